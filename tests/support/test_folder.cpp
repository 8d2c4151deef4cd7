// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/test_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace cudapin {

namespace fs = std::filesystem;

TestFolder::TestFolder() {
  auto name = (fs::canonical(fs::temp_directory_path()) / "cudapin-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp " + name);
  path_ = name;
  fs::permissions(path_, fs::perms(0755));  // as the folders of a machine are: others may read
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_text(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string read_text(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void damage_file(const fs::path& path, double share) {
  std::fstream stream(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto at = static_cast<std::streamoff>(static_cast<double>(fs::file_size(path)) * share);
  stream.seekg(at);
  const auto byte = static_cast<char>(~stream.get());
  stream.seekp(at);
  if (!stream.put(byte).flush()) throw std::runtime_error("cannot damage " + path.string());
}

}  // namespace cudapin
