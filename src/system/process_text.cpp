// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/process_text.hpp"

#include <algorithm>
#include <array>

namespace cudapin::process_text {

namespace {

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/// The id of 64 hexadecimal digits that ends `part`, shortened as container tools show it; or empty.
std::string container_id(std::string_view part) {
  constexpr std::size_t length = 64;
  constexpr std::size_t shown = 12;
  if (part.ends_with(".scope")) part.remove_suffix(6);
  if (part.size() < length) return {};
  const auto id = part.substr(part.size() - length);
  return std::all_of(id.begin(), id.end(), is_hex) ? std::string(id.substr(0, shown)) : "";
}

struct Kind {
  std::string_view word;
  std::string_view name;
};

/// The container tool that named the folder, by what it puts before the id or above it.
std::string_view container_kind(std::string_view path) {
  constexpr std::array kinds{Kind{"libpod", "podman"}, Kind{"docker", "docker"},
                             Kind{"cri-containerd", "containerd"}, Kind{"crio", "cri-o"},
                             Kind{"kubepods", "kubernetes"}};
  for (const auto& kind : kinds)
    if (path.find(kind.word) != path.npos) return kind.name;
  return "container";
}

/// "lxc.payload.NAME", "machine-NAME.scope", "job_77": what is named instead of numbered.
std::string named_place(std::string_view part) {
  const auto after = [&](std::string_view start) {
    return part.starts_with(start) ? part.substr(start.size()) : std::string_view{};
  };
  if (const auto job = after("job_"); !job.empty()) return "slurm job " + std::string(job);
  if (const auto name = after("lxc.payload."); !name.empty()) return "lxc " + std::string(name);
  if (auto name = after("machine-"); name.ends_with(".scope")) {
    name.remove_suffix(6);
    return "machine " + std::string(name);
  }
  return {};
}

}  // namespace

std::string_view word(std::string_view text, std::size_t index) {
  constexpr std::string_view blank = " \t\n";
  for (;; --index) {
    const auto start = std::min(text.find_first_not_of(blank), text.size());
    text.remove_prefix(start);
    const auto end = std::min(text.find_first_of(blank), text.size());
    if (index == 0) return text.substr(0, end);
    text.remove_prefix(end);
  }
}

std::string_view line_after(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    if (line.starts_with(key)) return line.substr(key.size());
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

std::string_view after_name(std::string_view stat) {
  const auto close = stat.rfind(')');
  return close == stat.npos ? std::string_view{} : stat.substr(close + 1);
}

std::string_view name_in(std::string_view stat) {
  const auto open = stat.find('(');
  const auto close = stat.rfind(')');
  return open < close && close != stat.npos ? stat.substr(open + 1, close - open - 1) : std::string_view{};
}

std::string_view variable(std::string_view environ, std::string_view name) {
  while (!environ.empty()) {
    const auto entry = environ.substr(0, environ.find('\0'));
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
    environ.remove_prefix(std::min(entry.size() + 1, environ.size()));
  }
  return {};
}

std::string place(std::string_view cgroup) {
  while (!cgroup.empty()) {
    auto path = cgroup.substr(0, cgroup.find('\n'));
    cgroup.remove_prefix(std::min(path.size() + 1, cgroup.size()));
    for (auto rest = path; !rest.empty();) {
      const auto part = rest.substr(0, rest.find('/'));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      if (auto named = named_place(part); !named.empty()) return named;
      if (const auto id = container_id(part); !id.empty())
        return std::string(container_kind(path)) + ' ' + id;
    }
  }
  return {};
}

std::optional<std::string> user_name(std::string_view passwd, unsigned uid) {
  while (!passwd.empty()) {
    const auto line = passwd.substr(0, passwd.find('\n'));
    passwd.remove_prefix(std::min(line.size() + 1, passwd.size()));
    const auto name = line.substr(0, line.find(':'));
    const auto secret = line.find(':', name.size() + 1);
    if (name.empty() || secret == line.npos) continue;
    const auto field = line.substr(secret + 1, line.find(':', secret + 1) - secret - 1);
    if (number<unsigned>(field) == uid) return std::string(name);
  }
  return std::nullopt;
}

}  // namespace cudapin::process_text
