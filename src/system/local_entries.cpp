// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/local_entries.hpp"

#include "system/raw_files.hpp"

#include <algorithm>

namespace cudapin {

namespace {

/// Calls `visit(section, line)` for each line under a `%SECTION%`.
template <typename Visit>
void visit_sections(std::string_view text, Visit visit) {
  std::string_view section;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.size() > 2 && line.front() == '%' && line.back() == '%')
      section = line;
    else if (line.empty())
      section = {};
    else
      visit(section, line);
  }
}

std::string entry(const std::string& dbpath, const std::string& name, const std::string& version,
                  const char* file) {
  return dbpath + "/local/" + name + '-' + version + '/' + file;
}

}  // namespace

std::map<std::string, std::string> installed_versions(const std::string& dbpath) {
  std::map<std::string, std::string> versions;
  raw::visit_entries(AT_FDCWD, (dbpath + "/local").c_str(), [&](int, const char* entry_name) {
    const std::string_view folder(entry_name);
    const auto release = folder.rfind('-');
    if (release == folder.npos || release == 0) return;
    const auto version = folder.rfind('-', release - 1);
    if (version != folder.npos && version > 0)
      versions.emplace(folder.substr(0, version), folder.substr(version + 1));
  });
  return versions;
}

PackageLinks parse_links(std::string_view desc) {
  PackageLinks links;
  visit_sections(desc, [&](std::string_view section, std::string_view line) {
    if (section == "%VERSION%")
      links.version = line;
    else if (section == "%DEPENDS%")
      links.depends.emplace_back(line);
    else if (section == "%PROVIDES%")
      links.provides.emplace_back(line);
  });
  return links;
}

PackageLinks installed_links(const std::string& dbpath, const std::string& name, const std::string& version) {
  std::string text;
  raw::read_file(entry(dbpath, name, version, "desc"), text);
  auto links = parse_links(text);
  links.version = version;
  return links;
}

std::vector<std::string> owned_files(const std::string& dbpath, const std::string& name,
                                     const std::string& version) {
  std::string text;
  raw::read_file(entry(dbpath, name, version, "files"), text);
  std::vector<std::string> files;
  visit_sections(text, [&](std::string_view section, std::string_view line) {
    if (section == "%FILES%" && !line.ends_with('/')) files.emplace_back(line);
  });
  return files;
}

}  // namespace cudapin
