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

/// The one of pacman's IgnorePkg entries, names or globs, that already covers `name`, or empty.
std::string covering_entry(std::span<const std::string> entries, const std::string& name);

// The block is ours, but others write into it: pamac merges every IgnorePkg line of the file into the first
// one and blanks the rest, a .pacnew merge drops it, people edit. `ours` are the names that cudapin pins or
// pinned before; whatever else stands in the block is somebody else's and is never lost.

/// `text` with what is not ours moved out of the block to right below it: foreign names on an IgnorePkg line
/// of their own, other lines as they are. Without a block, or with a damaged one, the same text.
std::string with_foreign_kept(std::string_view text, std::span<const std::string> ours);

/// The names among `ours` that IgnorePkg lines outside the block list as well, sorted.
std::vector<std::string> pins_outside(std::string_view text, std::span<const std::string> ours);

/// What is not as `with_pins(text, names)` would leave it, one line each; `own` are those of the names that
/// the person's lines had listed before cudapin came.
std::vector<std::string> pin_problems(std::string_view text, std::span<const std::string> names,
                                      std::span<const std::string> own);

/// `text` with one whole block for exactly `names`, whatever had become of it. Foreign names and lines stay;
/// names of ours leave other IgnorePkg lines, except for `own`.
std::string repaired_pins(std::string_view text, std::span<const std::string> names,
                          std::span<const std::string> own);

}  // namespace cudapin
