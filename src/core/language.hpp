// SPDX-License-Identifier: GPL-3.0-or-later
// libc alone: the guard links it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace cudapin {

/// From here on texts are told in the language of `locale`, where `folder` has its catalogue
/// (LANGUAGE/LC_MESSAGES/cudapin.mo): in English for "C", for a locale that is not installed and for one that
/// does not write UTF-8.
void speak(const std::string& locale, const std::string& folder);

/// The same, once the first text is looked up: it costs nothing where nothing is said.
void speak_when_needed(std::string locale, std::string (*folder)());

/// The text in the language of this run.
const char* tr_text(const char* text);

/// A text that is looked up where it is told: marks it for the catalogue and changes nothing.
constexpr const char* tr_later(const char* text) { return text; }

/// The form of a text that goes with `count` things.
const char* tr_count(const char* one, const char* several, std::uint64_t count);

/// `form` with each `{}` replaced by the word whose turn it is, each `{N}` by the Nth word.
std::string filled(std::string_view form, std::initializer_list<std::string_view> words);

}  // namespace cudapin
