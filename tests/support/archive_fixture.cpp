// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/archive_fixture.hpp"

#include "core/package.hpp"
#include "system/archive.hpp"

#include <fmt/format.h>

#include <random>
#include <stdexcept>

namespace cudapin {

namespace fs = std::filesystem;

std::string package_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes = "\x28\xb5\x2f\xfd";
  while (bytes.size() < size) bytes += static_cast<char>(random());
  bytes.resize(size);
  return bytes;
}

namespace {

fs::path make(const fs::path& folder) {
  fs::create_directories(folder);
  return folder;
}

}  // namespace

ArchiveFixture::ArchiveFixture()
    : served(make(folder / "served")), moved(make(folder / "moved")), server(served, moved) {
  host.environment["CUDAPIN_TIMEOUT"] = "1";
  host.interrupt = &interrupt;
  host.now = [] { return std::chrono::system_clock::from_time_t(1'704'164'645); };
  host.privileged = true;
}

fs::path ArchiveFixture::add(const std::string& file, const std::string& bytes, bool is_moved) const {
  const bool signature = file.ends_with(".sig");
  const auto name = parse_file_name(signature ? file.substr(0, file.size() - 4) : file);
  if (!name) throw std::runtime_error("no package file name: " + file);
  const auto path = (is_moved ? moved : served) / archive_path(*name).parent_path() / file;
  write_text(path, bytes);
  return path;
}

std::vector<std::string> ArchiveFixture::log() const {
  std::vector<std::string> lines;
  for (const auto& request : server.requests())
    lines.push_back(fmt::format("{} {}{}{}", request.host, request.status, request.range.empty() ? "" : " ",
                                request.range));
  return lines;
}

}  // namespace cudapin
