// SPDX-License-Identifier: GPL-3.0-or-later
// download TARGET SIZE SHA256 CONNECTIONS URL...: fetches one file from all URLs and verifies it, as `fetch`
// does. SIZE 0 and SHA256 - where they are not known.
#include "core/error.hpp"
#include "system/download.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 6) {
    std::cerr << "usage: download TARGET SIZE SHA256 CONNECTIONS URL...\n";
    return 2;
  }
  auto host = cudapin::Host::from_process();
  host.network.connections = static_cast<unsigned>(std::atoi(argv[4]));
  cudapin::DownloadJob job{{argv + 5, argv + argc}, argv[1], std::strtoull(argv[2], nullptr, 10), argv[3]};
  if (job.sha256 == "-") job.sha256.clear();
  try {
    const auto result = cudapin::download(host, std::span(&job, 1), {})[0];
    for (const auto& refusal : result.refusals) std::cerr << refusal.url << ": " << refusal.text << '\n';
    return result.outcome == cudapin::DownloadOutcome::done ? 0 : 1;
  } catch (const cudapin::Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
