// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/language.hpp"

#include "cli/report.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "support/catalogue.hpp"

#include <doctest/doctest.h>
#include <fmt/args.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

namespace cudapin {

namespace {

/// In Chinese for a while. C.UTF-8 is everywhere, and LANGUAGE says which catalogue.
class InChinese {
 public:
  InChinese() {
    ::setenv("LANGUAGE", "zh_CN", 1);
    speak("C.UTF-8", built_catalogues());
  }
  InChinese(const InChinese&) = delete;
  InChinese& operator=(const InChinese&) = delete;
  ~InChinese() {
    ::unsetenv("LANGUAGE");
    speak("C", "");
  }
};

/// The placeholders of a form by number, each with what stands behind its colon.
std::vector<std::string> placeholders(const std::string& form) {
  static const std::regex one("\\{([0-9]?)(:[^{}]*)?\\}");
  std::vector<std::string> all;
  for (std::sregex_iterator at(form.begin(), form.end(), one); at != std::sregex_iterator(); ++at) {
    const auto number = (*at)[1].str();
    all.push_back((number.empty() ? std::to_string(all.size()) : number) + (*at)[2].str());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// The form with words in its places; a text that is no form as it is.
std::string with_samples(const std::string& form) {
  fmt::dynamic_format_arg_store<fmt::format_context> words;
  const auto places = placeholders(form);
  for (std::size_t i = 0; i < 10; ++i) {
    const bool is_number = std::ranges::any_of(
        places, [&](const auto& place) { return place.starts_with(std::to_string(i) + ":"); });
    if (is_number)
      words.push_back(static_cast<int>(i) + 4);
    else
      words.push_back(std::string("word") + std::to_string(i));
  }
  try {
    return fmt::vformat(form, words);
  } catch (const fmt::format_error&) {
    return form;
  }
}

std::string golden_text(bool is_chinese) {
  std::string text;
  for (const auto& message : all_messages()) {
    const char* told = message.several.empty()
                           ? tr_text(message.english.c_str())
                           : tr_count(message.english.c_str(), message.several.c_str(), is_chinese ? 1 : 2);
    text += "- ";
    const auto lines = split(with_samples(told), "\n");
    for (const auto& line : lines) text += (&line == lines.data() ? "" : "\n  ") + wrap(line, 2, 80);
    text += '\n';
  }
  return text;
}

std::string kept(const std::string& name, const std::string& text) {
  const auto path = std::string(TEST_GOLDEN) + "/" + name;
  if (std::getenv("CUDAPIN_WRITE_GOLDEN")) std::ofstream(path) << text;
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

std::size_t count_messages(const std::string& golden) {
  const auto lines = split(golden, "\n");
  return static_cast<std::size_t>(
      std::ranges::count_if(lines, [](const auto& line) { return line.starts_with("- "); }));
}

bool has_chinese() {
  if (built_catalogues().empty()) MESSAGE("skipped: no gettext here");
  return !built_catalogues().empty();
}

}  // namespace

TEST_CASE("language: every message is as it was looked over in English") {
  const auto golden = kept("messages.C.txt", golden_text(false));
  CHECK(golden == golden_text(false));
  CHECK(count_messages(golden) == all_messages().size());
}

TEST_CASE("language: every message is as it was looked over in Chinese") {
  if (!has_chinese()) return;
  const InChinese chinese;
  const auto golden = kept("messages.zh_CN.txt", golden_text(true));
  CHECK(golden == golden_text(true));
  CHECK(count_messages(golden) == all_messages().size());
}

TEST_CASE("language: what is told fits 80 columns wherever a line may be broken") {
  if (!has_chinese()) return;
  const InChinese chinese;
  for (const auto& line : split(golden_text(true), "\n")) {
    const auto words = split(line, " ");
    const bool is_one_word = words.size() < 2;
    CHECK_MESSAGE((is_one_word || display_width(line) <= 80), line);
  }
}

TEST_CASE("language: a translation has the placeholders of its message") {
  if (!has_chinese()) return;
  const InChinese chinese;
  std::size_t translated = 0;
  for (const auto& message : all_messages()) {
    const char* const english = message.several.empty() ? message.english.c_str() : message.several.c_str();
    const std::string told = message.several.empty()
                                 ? tr_text(english)
                                 : tr_count(message.english.c_str(), message.several.c_str(), 2);
    CHECK_MESSAGE(placeholders(told) == placeholders(english), std::string(english));
    CHECK_MESSAGE((told.ends_with('\n') == std::string_view(english).ends_with('\n')), std::string(english));
    translated += told != english;
  }
  CHECK(translated * 100 > all_messages().size() * 98);
}

TEST_CASE("language: C is English whatever LANGUAGE says and an unknown locale too") {
  ::setenv("LANGUAGE", "zh_CN", 1);
  for (const auto* locale : {"C", "POSIX", "xx_YY.UTF-8"}) {
    speak(locale, built_catalogues());
    CHECK(std::string(tr_text("no verb given")) == "no verb given");
  }
  ::unsetenv("LANGUAGE");
  speak("C", "");
}

TEST_CASE("language: a form that does not fit its arguments is told in English") {
  CHECK(told("{} {} {}", "only {}", 7) == "only 7");
  CHECK(told("{1} vor {0}", "{} {}", "a", "b") == "b vor a");
  CHECK(filled("{} of {}", {"a", "b"}) == "a of b");
  CHECK(filled("{1} vor {0}, { and", {"a", "b"}) == "b vor a, { and");
}

TEST_CASE("report: wide text is broken between characters and never before a full stop") {
  CHECK(wrap("一二三四五六七八九十", 0, 12) == "一二三四五六\n七八九十");
  CHECK(wrap("一二三四五六。七", 0, 12) == "一二三四五\n六。七");
  CHECK(wrap("安装 cuda 11.1", 2, 10) == "安装\n  cuda\n  11.1");
}

}  // namespace cudapin
