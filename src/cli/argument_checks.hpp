// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/arguments.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

// What the values of a command line must be, whatever parser has read them. Each throws Error with status
// `usage` for the first that is not right.

inline constexpr auto general_hint = "cudapin --help";

[[noreturn]] void refuse(const std::string& message, const std::string& hint = general_hint);

/// ", did you mean 'X'?", or empty when no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// "500K", "2M" or "1.5G" as bytes.
std::uint64_t read_rate(const std::string& text);
unsigned read_connections(const std::string& text);

/// The parser takes the next word for a value, whatever it is.
void require_value(const std::string& value, const std::string& name, const std::string& hint);

void check_store(const StoreOptions& options, const std::string& hint);
void check_fetch(const FetchOptions& options, const std::string& hint);
void check_packages(const std::vector<std::string>& names, const std::string& hint);
void check_guard(const GuardOptions& options, const std::string& hint);
void check_profile(const ProfileOptions& options, const std::string& hint);

}  // namespace cudapin
