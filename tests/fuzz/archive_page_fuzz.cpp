// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/archive_page.hpp"
#include "core/text.hpp"

#include <cstdint>
#include <cstdlib>

namespace {

using namespace cudapin;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Whatever a page says, what it gives is a package of that name, fit for a path and a terminal.
void check(const ArchivedFile& file, std::string_view name) {
  const auto text = file.file.text();
  require(file.file.name == name && text.find('/') == text.npos && printable(text) == text);
  require(parse_file_name(text).has_value());
  require(file.date.empty() || (file.date.size() == 16 && printable(file.date) == file.date));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view page(reinterpret_cast<const char*>(data), size);
  const auto files = files_in_page(page, "cuda");
  for (const auto& file : files) check(file, "cuda");
  if (!files.empty()) require(kind_of_page(page) == PageKind::listing);
  for (const auto& line : split(page, "\n"))
    if (const auto file = file_in_index(line)) require(file->text().find('/') == std::string::npos);
  return 0;
}
