// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/language.hpp"

#include <langinfo.h>
#include <libintl.h>

#include <clocale>
#include <utility>

namespace cudapin {

namespace {

constexpr auto domain = "cudapin";

/// What speak_when_needed() was told, until it is done. The language of a process is libc's state; this is
/// its beginning.
std::string wanted_locale;
std::string (*wanted_folder)();

void begin() {
  if (wanted_locale.empty()) return;
  speak(std::exchange(wanted_locale, {}), wanted_folder());
}

bool writes_utf8(const std::string& locale) {
  const auto found = ::newlocale(LC_CTYPE_MASK, locale.c_str(), nullptr);
  if (!found) return false;
  const std::string_view codeset = ::nl_langinfo_l(CODESET, found);
  const bool is_utf8 = codeset == "UTF-8";
  ::freelocale(found);
  return is_utf8;
}

}  // namespace

void speak(const std::string& locale, const std::string& folder) {
  if (!writes_utf8(locale) || !std::setlocale(LC_MESSAGES, locale.c_str())) {
    std::setlocale(LC_MESSAGES, "C");
    return;
  }
  std::setlocale(LC_CTYPE, locale.c_str());  // what libc and libalpm say is put into its characters
  ::bindtextdomain(domain, folder.c_str());
  ::bind_textdomain_codeset(domain, "UTF-8");
}

void speak_when_needed(std::string locale, std::string (*folder)()) {
  wanted_locale = std::move(locale);
  wanted_folder = folder;
}

const char* tr_text(const char* text) {
  begin();
  return *text ? ::dgettext(domain, text) : text;
}

const char* tr_count(const char* one, const char* several, std::uint64_t count) {
  begin();
  return ::dngettext(domain, one, several, count);
}

std::string filled(std::string_view form, std::initializer_list<std::string_view> words) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t at = 0; at < form.size(); ++at) {
    const auto close = form[at] == '{' ? form.find('}', at) : form.npos;
    if (close == form.npos) {
      text += form[at];
      continue;
    }
    const bool is_numbered = close == at + 2;
    const auto index = is_numbered ? static_cast<std::size_t>(form[at + 1] - '0') : next++;
    if (index < words.size()) text += words.begin()[index];
    at = close;
  }
  return text;
}

}  // namespace cudapin
