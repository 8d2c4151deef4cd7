// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/toolkits.hpp"

#include "core/text.hpp"
#include "core/version.hpp"
#include "system/peek.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// version.json names the release as "11.6.2"; some older ones have a date there, and nvcc's build beside it.
std::string version_of_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {};
  for (const auto* part : {"cuda", "cuda_nvcc"}) {
    const auto found = json.find(part);
    if (found == json.end() || !found->is_object() || !found->contains("version")) continue;
    const auto& value = (*found)["version"];
    if (!value.is_string()) continue;
    const auto version = value.get<std::string>();
    if (is_dotted_version(version) && version.size() - version.rfind('.') < 6) return version;
  }
  return {};
}

std::string version_of_header(const std::string& header) {
  const int number = defined_number(header, "CUDART_VERSION");  // 11010 is 11.1
  return number < 1000 ? std::string{} : fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

/// "#if __GNUC__ > 15": the newest gcc that the toolkit's own check lets pass.
int gcc_limit(const fs::path& root, const std::string& folder) {
  for (const auto* name : {"/include/crt/host_config.h", "/include/host_config.h"}) {
    const auto header = read_start(root, folder + name);
    constexpr std::string_view check = "#if __GNUC__ > ";
    const auto at = header.find(check);
    int limit = 0;
    if (at != header.npos)
      std::from_chars(header.data() + at + check.size(), header.data() + header.size(), limit);
    if (limit > 0) return limit;
  }
  return 0;
}

/// Whether a function of the toolkit's header promises not to throw, as glibc's own does.
bool promises(std::string_view header, std::string_view function) {
  const auto at = header.find(fmt::format("double                 {}(double x)", function));
  if (at == header.npos) return false;
  const auto declaration = header.substr(at, header.find(';', at) - at);
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"noexcept", "__THROW", "EXCEPTION_SPECIFIER"},
      [&](auto word) { return declaration.find(word) != declaration.npos; });
}

/// glibc 2.41 declares cospi and its like, 2.42 rsqrt too; a package may have its headers patched for that.
bool headers_are_ready(const fs::path& root, const std::string& folder, std::string_view glibc) {
  if (glibc.empty() || compare_versions(glibc, "2.41") < 0) return false;
  const auto header = read_start(root, folder + "/include/crt/math_functions.h", 512u << 10);
  return promises(header, "cospi") && (compare_versions(glibc, "2.42") < 0 || promises(header, "rsqrt"));
}

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

void add(std::vector<ToolkitSeen>& seen, ToolkitSeen toolkit) {
  const bool known = std::ranges::any_of(seen, [&](const auto& one) { return one.folder == toolkit.folder; });
  if (!known && !toolkit.folder.empty()) seen.push_back(std::move(toolkit));
}

/// The folder that `path` leads to, when it holds a toolkit.
void add_folder(std::vector<ToolkitSeen>& seen, const Host& host, const std::string& path,
                const std::string& through, std::string_view glibc) {
  const auto folder = resolved(host.root, path);
  if (folder.empty()) return;
  auto toolkit = toolkit_in(host.root, folder, glibc);
  if (!toolkit.has_compiler && toolkit.version.empty()) return;
  toolkit.through = through;
  add(seen, std::move(toolkit));
}

}  // namespace

std::string toolkit_version(const fs::path& root, const std::string& folder) {
  for (const auto& version : {version_of_json(read_start(root, folder + "/version.json")),
                              first_version(first_line(read_start(root, folder + "/version.txt"))),
                              version_of_header(read_start(root, folder + "/include/cuda_runtime_api.h"))})
    if (!version.empty()) return version;
  return {};
}

ToolkitSeen toolkit_in(const fs::path& root, const std::string& folder, std::string_view glibc) {
  ToolkitSeen toolkit{.folder = folder,
                      .version = toolkit_version(root, folder),
                      .has_compiler = exists_below(root, folder + "/bin/nvcc"),
                      .gcc_max = gcc_limit(root, folder),
                      .takes_new_glibc = headers_are_ready(root, folder, glibc)};
  for (const auto* name : {"/bin/g++", "/bin/gcc"})
    if (toolkit.host_compiler.empty()) toolkit.host_compiler = resolved(root, folder + name);
  return toolkit;
}

std::vector<ToolkitSeen> toolkits_seen(const Host& host, std::string_view glibc) {
  std::vector<ToolkitSeen> seen;
  for (const auto* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto value = host.variable(name); value.starts_with('/'))
      add_folder(seen, host, value, name, glibc);
  for (const auto& folder : split(host.variable("PATH"), ":")) {
    const auto nvcc = resolved(host.root, folder + "/nvcc");
    if (nvcc.empty()) continue;
    add_folder(seen, host, parent(parent(nvcc)), "PATH", glibc);
    break;
  }
  for (const std::string place : {"/opt", "/usr/local"})
    for (const auto& name : names_in(host.root, place))
      if (name == "cuda" || name.starts_with("cuda-")) add_folder(seen, host, place + "/" + name, "", glibc);
  return seen;
}

std::vector<LibrarySeen> preferred_libraries(const Host& host) {
  std::vector<LibrarySeen> libraries;
  for (const auto& folder : split(host.variable("LD_LIBRARY_PATH"), ":")) {
    if (!folder.starts_with('/')) continue;
    const auto names = names_in(host.root, folder);
    for (const std::string stem : {"libcudart.so", "libcudnn.so", "libcuda.so"}) {
      const bool there = std::ranges::any_of(names, [&](auto& name) { return name.starts_with(stem); });
      if (there) libraries.push_back({folder + "/" + stem, highest_suffix(names, stem + ".")});
    }
  }
  return libraries;
}

std::vector<Compiler> compilers_seen(const Host& host, int default_gcc) {
  constexpr int oldest = 4;
  constexpr int newest = 30;
  std::vector<Compiler> compilers;
  for (int major = oldest; major <= newest; ++major)
    if (const auto path = fmt::format("/usr/bin/g++-{}", major); exists_below(host.root, path))
      compilers.push_back({major, path});
  const bool known = std::ranges::any_of(compilers, [&](auto& one) { return one.major == default_gcc; });
  if (default_gcc != 0 && !known) compilers.push_back({default_gcc, "/usr/bin/g++"});
  return compilers;
}

}  // namespace cudapin
