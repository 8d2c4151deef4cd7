// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/profiles.hpp"
#include "core/compatibility_data.hpp"
#include "core/shell_lines.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/toolkits.hpp"

#include <fmt/format.h>

#include <ostream>
#include <set>

namespace cudapin {

namespace {

std::string value_of(const Profile& profile, std::string_view name) {
  for (const auto& [key, value] : profile.environment)
    if (key == name) return value;
  return {};
}

/// What the toolkit compiles for the cards that are here; nothing for cards it has no code for.
std::set<int> architectures_for(const std::vector<Gpu>& gpus, const tables::Toolkit* toolkit) {
  std::set<int> list;
  for (const auto& gpu : gpus) {
    int best = 0;
    for (const int architecture : toolkit ? toolkit->architectures : std::span<const int>{})
      if (tables::find_binary_code(architecture, tables::sm(gpu.capability))) best = architecture;
    if (best != 0) list.insert(best);
  }
  return list;
}

ToolkitSeen installed_toolkit(const Host& host, const Profile& profile, const std::string& folder) {
  auto toolkit = toolkit_in(host.root, folder, "");
  if (toolkit.version.empty() && !toolkit.has_compiler)
    throw Error(tr("there is no toolkit in '{}'", folder), fmt::format("sudo cudapin use {}", profile.name));
  const auto* wanted = profile.find("cuda");
  const auto series = tables::series(toolkit.version);
  if (wanted && series != tables::series(wanted->version.upstream()))
    *host.err << tr("warning: CUDA {} is installed in {}, and {} has {}\n", toolkit.version, folder,
                    profile.name, wanted->version.upstream());
  return toolkit;
}

std::string architecture_lines(Shell shell, const std::set<int>& architectures) {
  if (architectures.empty()) return {};
  std::vector<std::string> numbers;
  std::vector<std::string> capabilities;
  for (const int sm : architectures) {
    numbers.push_back(std::to_string(sm));
    capabilities.push_back(tables::capability_text(sm));
  }
  // CMake takes the first from its command line alone and the second from the environment.
  return export_line(shell, "CMAKE_CUDA_ARCHITECTURES", join(numbers, ";")) +
         export_line(shell, "CUDAARCHS", join(numbers, ";")) +
         export_line(shell, "TORCH_CUDA_ARCH_LIST", join(capabilities, ";"));
}

}  // namespace

ExitStatus env(const EnvOptions& options, const Host& host) {
  const auto profile = load_profile(host, options.profile);
  const auto facts = gather_facts(host, read_pacman_conf(host), options.gpus);
  const auto shell = shell_of(options.shell.empty() ? host.variable("SHELL") : options.shell);
  auto home = value_of(profile, "CUDA_HOME");
  if (home.empty()) home = "/opt/cuda";
  const auto toolkit = installed_toolkit(host, profile, home);
  auto text = export_line(shell, "CUDA_HOME", home) + prepend_line(shell, "PATH", home + "/bin");
  for (const auto& [name, value] : profile.environment)
    if (name != "CUDA_HOME") text += export_line(shell, name, value);
  if (value_of(profile, "NVCC_CCBIN").empty())
    if (const auto compiler = value_of(profile, "CUDAHOSTCXX"); !compiler.empty())
      text += export_line(shell, "NVCC_CCBIN", compiler);
  text +=
      architecture_lines(shell, architectures_for(facts.machine.gpus, tables::find_toolkit(toolkit.version)));
  if (options.loader_path) text += prepend_line(shell, "LD_LIBRARY_PATH", home + "/lib64");
  *host.out << text;
  return ExitStatus::done;
}

}  // namespace cudapin
