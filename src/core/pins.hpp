// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin {

/// The managed block in pacman.conf: two marker lines round IgnorePkg lines, right after the first [options]
/// header. Everything outside it is never changed by a byte; line ends follow the header's (CRLF or LF).

/// `text` with the block for exactly `names` (sorted, no duplicates); an old block is replaced where it
/// stands, without names the block is taken out. Lines stay below pacman's limit of 4,095 bytes. Throws Error
/// when there is no [options] header or a block is damaged (one marker without the other).
std::string with_pins(std::string_view text, std::span<const std::string> names);

/// `text` without the block, byte for byte what it was before with_pins.
std::string without_pins(std::string_view text);

/// The names in the block; empty when there is none.
std::vector<std::string> pins_in(std::string_view text);

}  // namespace cudapin
