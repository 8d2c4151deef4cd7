// SPDX-License-Identifier: GPL-3.0-or-later
// archive_server DIR [--moved DIR] [--port N] [--log FILE]: prints its base URL and serves until killed.
#include "support/archive_server.hpp"

#include <unistd.h>

#include <charconv>
#include <exception>
#include <iostream>
#include <string_view>

namespace {

int serve(int argc, char** argv) {
  std::filesystem::path moved;
  std::filesystem::path log;
  int port = 0;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const std::string_view value = argv[i + 1];
    if (option == "--moved") moved = value;
    if (option == "--log") log = value;
    if (option == "--port") std::from_chars(value.data(), value.data() + value.size(), port);
  }
  cudapin::ArchiveServer server(argv[1], moved, port);
  if (!log.empty()) server.log_to(log);
  std::cout << server.url() << std::endl;
  for (;;) ::pause();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc % 2 != 0) {
    std::cerr << "usage: archive_server DIR [--moved DIR] [--port N] [--log FILE]\n";
    return 2;
  }
  try {
    return serve(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << "archive_server: " << failure.what() << '\n';
    return 1;
  }
}
