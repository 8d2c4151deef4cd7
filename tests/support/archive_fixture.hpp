// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/archive_server.hpp"
#include "support/test_folder.hpp"
#include "system/host.hpp"

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace cudapin {

/// `size` bytes that begin as a zst package does and repeat nowhere; the same for the same seed.
std::string package_bytes(std::size_t size, unsigned seed = 1);

/// An archive on loopback with an empty served folder and an empty folder of moved packages, and a Host whose
/// transfers count a second of silence as a stall.
struct ArchiveFixture {
  ArchiveFixture();

  /// Puts a package (and, with one, its signature) where the archive or, `is_moved`, the third host has it.
  std::filesystem::path add(const std::string& file, const std::string& bytes, bool is_moved = false) const;
  /// "archive 302", "node 206 bytes=100-", … of the requests so far.
  std::vector<std::string> log() const;

  TestFolder folder;
  std::filesystem::path served;
  std::filesystem::path moved;
  ArchiveServer server;
  std::atomic<int> interrupt{0};
  Host host;
};

}  // namespace cudapin
