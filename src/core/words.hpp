// SPDX-License-Identifier: GPL-3.0-or-later
// What people read, in their language. Commands to paste, JSON, file formats and journals are told to
// programs too and stay as they are.
#pragma once

#include "core/language.hpp"

#include <fmt/format.h>

#include <string>

namespace cudapin {

/// `translated` filled in, or `english` where it does not fit the arguments.
template <typename... Arguments>
std::string told(const char* translated, fmt::string_view english, Arguments&&... arguments) {
  try {
    return fmt::vformat(translated, fmt::make_format_args(arguments...));
  } catch (const fmt::format_error&) {
    return fmt::vformat(english, fmt::make_format_args(arguments...));
  }
}

/// Formats the form that the language of this run has for `form`.
template <typename... Arguments>
std::string tr(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
  const fmt::string_view english = form;
  return told(tr_text(english.data()), english, arguments...);
}

/// Of two forms the one that goes with `count` things.
template <typename... Arguments>
std::string trn(fmt::format_string<Arguments...> one, fmt::format_string<Arguments...> several,
                std::uint64_t count, Arguments&&... arguments) {
  const fmt::string_view english = count == 1 ? one : several;
  const fmt::string_view first = one;
  const fmt::string_view other = several;
  return told(tr_count(first.data(), other.data(), count), english, arguments...);
}

}  // namespace cudapin
