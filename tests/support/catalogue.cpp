// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/catalogue.hpp"

#include <filesystem>
#include <fstream>

namespace cudapin {

namespace {

/// Undoes the backslashes of a quoted line.
std::string unquoted(const std::string& line) {
  std::string text;
  const auto end = line.rfind('"');
  for (auto at = line.find('"') + 1; at < end; ++at) {
    if (line[at] == '\\') ++at;
    text += line[at - 1] == '\\' && line[at] == 'n' ? '\n' : line[at];
  }
  return text;
}

}  // namespace

std::vector<Message> all_messages() {
  std::ifstream file(SOURCE_DIR "/po/cudapin.pot");
  std::vector<Message> messages;
  std::string* open = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("msgid "))
      open = &messages.emplace_back(Message{unquoted(line), {}}).english;
    else if (line.starts_with("msgid_plural "))
      *(open = &messages.back().several) = unquoted(line);
    else if (line.starts_with('"') && open)
      *open += unquoted(line);
    else
      open = nullptr;
  }
  if (!messages.empty()) messages.erase(messages.begin());
  return messages;
}

std::string built_catalogues() {
  const std::string folder = BINARY_DIR "/po";
  return std::filesystem::exists(folder + "/zh_CN/LC_MESSAGES/cudapin.mo") ? folder : "";
}

}  // namespace cudapin
