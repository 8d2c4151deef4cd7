// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

/// Taking apart what /proc prints; no file is read here.
namespace cudapin::process_text {

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// The word number `index` of `text`, from 0.
std::string_view word(std::string_view text, std::size_t index);

/// What follows `key` at the start of a line, to the end of that line.
std::string_view line_after(std::string_view text, std::string_view key);

/// The fields of /proc/PID/stat after the name, which may hold anything, parentheses too; field 3 is word 0.
std::string_view after_name(std::string_view stat);
/// The name in it.
std::string_view name_in(std::string_view stat);

/// The value of a variable in /proc/PID/environ, or empty.
std::string_view variable(std::string_view environ, std::string_view name);

/// Container or batch job out of /proc/PID/cgroup: "docker 0123456789ab", "slurm job 77", or empty.
std::string place(std::string_view cgroup);

/// From the text of /etc/passwd: name services could block or lie at the wrong moment.
std::optional<std::string> user_name(std::string_view passwd, unsigned uid);

}  // namespace cudapin::process_text
