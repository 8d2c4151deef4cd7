// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/python_environment.hpp"

#include "core/compatibility_data.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/peek.hpp"
#include "system/toolkits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// A package by the name of its folder of metadata, "torch-1.7.0+cu110.dist-info", or of conda's file,
/// "pytorch-1.7.0-py3.8_cuda11.0.221_cudnn8.0.3_0.json".
struct Distribution {
  std::string name;     ///< lower case, `_` for `-`
  std::string version;  ///< without what follows a `+`
  std::string local;    ///< that
  std::string build;    ///< conda's
  std::string path;
};

std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) c = c == '-' || c == '.' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return plain;
}

Distribution with_version(std::string_view name, std::string_view version, const std::string& path) {
  const auto plus = version.find('+');
  return {plain_name(name), std::string(version.substr(0, plus)),
          plus == version.npos ? std::string{} : std::string(version.substr(plus + 1)), "", path};
}

std::vector<Distribution> wheels_in(const fs::path& folder, const std::string& site) {
  std::vector<Distribution> found;
  for (const auto& entry : names_in(folder, site))
    for (const std::string_view suffix : {".dist-info", ".egg-info"}) {
      if (!entry.ends_with(suffix)) continue;
      const auto stem = std::string_view(entry).substr(0, entry.size() - suffix.size());
      const auto dash = stem.find('-');
      if (dash == stem.npos) continue;
      const auto version = stem.substr(dash + 1);
      found.push_back(with_version(stem.substr(0, dash), version.substr(0, version.find("-py")),
                                   (folder / site / entry).string()));
    }
  return found;
}

std::vector<Distribution> conda_packages(const fs::path& folder) {
  std::vector<Distribution> found;
  for (const auto& entry : names_in(folder, "conda-meta")) {
    if (!entry.ends_with(".json")) continue;
    const auto stem = std::string_view(entry).substr(0, entry.size() - 5);
    const auto build = stem.rfind('-');
    const auto version = build == stem.npos || build == 0 ? stem.npos : stem.rfind('-', build - 1);
    if (version == stem.npos) continue;
    auto one = with_version(stem.substr(0, version), stem.substr(version + 1, build - version - 1),
                            (folder / "conda-meta" / entry).string());
    one.build = stem.substr(build + 1);
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<std::string> site_folders(const fs::path& folder) {
  std::vector<std::string> sites;
  for (const std::string library : {"lib", "lib64"})
    for (const auto& name : names_in(folder, library))
      if (name.starts_with("python3")) sites.push_back(fmt::format("{}/{}/site-packages", library, name));
  return sites;
}

/// "cu110" -> "11.0", "cu92" -> "9.2", "cuda12.cudnn89" -> "12".
std::string cuda_of_tag(std::string_view tag) {
  const auto at = tag.find("cu");
  if (at == tag.npos) return {};
  auto digits = tag.substr(at + 2);
  if (digits.starts_with("da")) digits.remove_prefix(2);
  digits = digits.substr(0, digits.find_first_not_of("0123456789."));
  if (digits.find('.') != digits.npos) return std::string(tables::series(digits));
  if (digits.size() < 2) return {};
  if (tag.find("cuda") != tag.npos && digits.size() == 2) return std::string(digits);
  return fmt::format("{}.{}", digits.substr(0, digits.size() - 1), digits.back());
}

/// The number behind `word` in conda's build text: "cudnn8.0.3" in "py3.8_cuda11.0.221_cudnn8.0.3_0".
std::string version_after(std::string_view build, std::string_view word) {
  for (const auto& piece : split(build, "_"))
    if (piece.starts_with(word) && is_dotted_version(piece.substr(word.size())))
      return piece.substr(word.size());
  return {};
}

/// `cuda = '11.0'` or `cuda: Optional[str] = '12.1'` in torch/version.py; None for a build without.
struct TorchFile {
  std::string cuda;
  bool says_none = false;
  std::string path;
};

TorchFile torch_file(const fs::path& folder, const std::vector<std::string>& sites) {
  for (const auto& site : sites) {
    const auto path = site + "/torch/version.py";
    for (const auto& line : split(read_start(folder, path, 16384), "\n")) {
      if (!line.starts_with("cuda")) continue;
      const auto value = trim(std::string_view(line).substr(line.find('=') + 1));
      const auto words = split(value, "'\" ");
      if (words.empty()) continue;
      if (words[0] == "None") return {"", true, (folder / path).string()};
      if (is_dotted_version(words[0])) return {words[0], false, (folder / path).string()};
    }
  }
  return {};
}

using Distributions = std::vector<Distribution>;

const Distribution* find(const Distributions& all, std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    for (const auto& one : all)
      if (one.name == name) return &one;
  return nullptr;
}

/// The first whose name begins so: "nvidia_cudnn_cu12".
const Distribution* find_start(const Distributions& all, std::string_view start) {
  const auto found = std::ranges::find_if(all, [&](auto& one) { return one.name.starts_with(start); });
  return found == all.end() ? nullptr : &*found;
}

std::string version_of(const Distribution* one) { return one ? one->version : std::string{}; }

void add_torch(const fs::path& folder, const std::vector<std::string>& sites, const Distributions& all,
               PythonEnvironment& environment) {
  const auto* torch = find(all, {"torch", "pytorch"});
  if (!torch) return;
  const auto file = torch_file(folder, sites);
  FrameworkSeen seen{
      .name = "torch", .version = torch->version, .path = file.path.empty() ? torch->path : file.path};
  seen.cuda = !file.cuda.empty() ? file.cuda : cuda_of_tag(torch->local);
  if (seen.cuda.empty()) seen.cuda = version_after(torch->build, "cuda");
  seen.cudnn = version_after(torch->build, "cudnn");
  seen.cpu_only = file.says_none || torch->local == "cpu" || torch->build.find("cpu") != std::string::npos;
  // A wheel of the default index has no tag and, unless the file says otherwise, is the default build.
  if (seen.cuda.empty() && !seen.cpu_only)
    for (const auto& build : tables::framework_builds())
      if (build.framework == "torch" && build.version == seen.version && build.is_default)
        seen.cuda = build.cuda;
  environment.frameworks.push_back(std::move(seen));
}

void add_tensorflow(const Distributions& all, PythonEnvironment& environment) {
  const auto* tensorflow = find(all, {"tensorflow", "tensorflow_gpu", "tensorflow_base", "tensorflow_cpu"});
  if (!tensorflow) return;
  FrameworkSeen seen{.name = "tensorflow", .version = tensorflow->version, .path = tensorflow->path};
  for (const auto& build : tables::framework_builds())
    if (build.framework == "tensorflow" && tables::series(build.version) == tables::series(seen.version)) {
      seen.cuda = build.cuda;
      seen.cudnn = build.cudnn;
    }
  seen.cpu_only = tensorflow->name == "tensorflow_cpu";
  environment.frameworks.push_back(std::move(seen));
}

void add_jax(const Distributions& all, PythonEnvironment& environment) {
  const auto* jax = find(all, {"jaxlib", "jax"});
  if (!jax) return;
  const auto* plugin = find_start(all, "jax_cuda");
  FrameworkSeen seen{.name = "jax", .version = jax->version, .path = plugin ? plugin->path : jax->path};
  seen.cuda = plugin ? cuda_of_tag(plugin->name) : cuda_of_tag(jax->local);
  seen.cpu_only = seen.cuda.empty();
  environment.frameworks.push_back(std::move(seen));
}

void add_mxnet(const Distributions& all, PythonEnvironment& environment) {
  const auto* mxnet = find_start(all, "mxnet");
  if (!mxnet) return;
  const auto cuda = cuda_of_tag(mxnet->name);
  environment.frameworks.push_back({.name = "mxnet",
                                    .version = mxnet->version,
                                    .cuda = cuda,
                                    .cpu_only = cuda.empty(),
                                    .path = mxnet->path});
}

void add_apex(const fs::path& folder, const std::vector<std::string>& sites, const Distributions& all,
              PythonEnvironment& environment) {
  const bool unpacked =
      std::ranges::any_of(sites, [&](auto& site) { return exists_below(folder, site + "/apex"); });
  const auto* apex = find(all, {"apex"});
  if (apex || unpacked)
    environment.frameworks.push_back(
        {.name = "apex", .version = version_of(apex), .path = apex ? apex->path : "apex"});
}

void add_carried(const fs::path& folder, const Distributions& all, PythonEnvironment& environment) {
  const auto* cudnn = find_start(all, "nvidia_cudnn");
  environment.cudnn = version_of(cudnn ? cudnn : find(all, {"cudnn"}));
  const auto* runtime = find_start(all, "nvidia_cuda_runtime");
  environment.cudart = version_of(runtime ? runtime : find(all, {"cudatoolkit", "cuda_cudart"}));
  if (!exists_below(folder, "bin/nvcc")) return;
  auto toolkit = toolkit_in(folder, "", "");
  toolkit.folder = folder.string();
  if (toolkit.version.empty()) toolkit.version = version_of(find(all, {"cuda_nvcc", "cudatoolkit_dev"}));
  toolkit.through = tr_text("the environment");
  environment.toolkits.push_back(std::move(toolkit));
}

}  // namespace

PythonEnvironment read_python_environment(const std::string& name) {
  std::error_code error;
  const auto folder = fs::absolute(name, error).lexically_normal();
  if (!fs::is_directory(folder, error)) throw Error(tr("'{}' is not a folder", printable(name)));
  const auto sites = site_folders(folder);
  if (sites.empty() && !exists_below(folder, "conda-meta"))
    throw Error(tr("'{}' is no virtual environment and no conda prefix", printable(name)),
                "cudapin doctor --env \"$VIRTUAL_ENV\"");
  auto all = conda_packages(folder);
  for (const auto& site : sites)
    for (auto& wheel : wheels_in(folder, site)) all.push_back(std::move(wheel));
  PythonEnvironment environment{.folder = folder.string()};
  add_torch(folder, sites, all, environment);
  add_tensorflow(all, environment);
  add_jax(all, environment);
  add_mxnet(all, environment);
  add_apex(folder, sites, all, environment);
  add_carried(folder, all, environment);
  return environment;
}

}  // namespace cudapin
