// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/yaml_text.hpp"

#include "core/text.hpp"

#include <vector>

namespace cudapin::yaml {

std::string scalar(std::string_view text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const bool is_plain = text.find_first_of(letters) == 0 && text.find_first_of("0123456789-") != text.npos &&
                        text.find_first_not_of(std::string(letters) + "0123456789._+-") == text.npos;
  if (is_plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text)
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return quoted + "\"";
}

std::string flow_list(std::span<const std::string> texts) {
  std::vector<std::string> words;
  for (const auto& text : texts) words.push_back(scalar(text));
  return "[" + join(words, ", ") + "]";
}

}  // namespace cudapin::yaml
