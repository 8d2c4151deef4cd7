// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/commands.hpp"
#include "commands/facts.hpp"
#include "commands/profiles.hpp"
#include "commands/style.hpp"
#include "commands/way_back.hpp"
#include "core/compatibility.hpp"
#include "core/package_class.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/catalog.hpp"
#include "system/http.hpp"
#include "system/local_database.hpp"
#include "system/machine.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace cudapin {

namespace {

/// One version of a package with all that is known of it.
struct KnownVersion {
  PackageFileName file;
  std::string date = {};
  std::optional<std::uint64_t> size = {};
  std::vector<std::string> places = {};  ///< folders, and URLs of archives
  bool is_here = false;
  bool is_installed = false;
  std::vector<std::string> pinned_by = {};  ///< names of profiles
  std::optional<bool> fits = {};            ///< this machine's cards; nothing where no table tells
};

struct KnownPackage {
  std::string name;
  std::vector<KnownVersion> versions;  ///< newest first
  std::vector<std::string> problems;
};

/// What all the packages of one command are held against.
struct Background {
  std::vector<Gpu> gpus;
  std::vector<std::string> architectures;
  std::vector<Profile> profiles;
  LocalDatabase database;
};

std::vector<Gpu> cards(const Host& host, const std::vector<std::string>& words) {
  if (words.empty()) return inspect_machine(host).gpus;
  std::vector<Gpu> gpus;
  for (const auto& word : words) gpus.push_back(gpu_by_word(word));
  return gpus;
}

/// Only toolkits, cuDNN and drivers have rows in the tables.
std::optional<bool> fits(const std::vector<Gpu>& gpus, const std::string& name, const Version& version) {
  Circumstances circumstances{.gpus = gpus};
  if (name == "cuda" || name == "cuda-tools")
    circumstances.toolkit = version.upstream();
  else if (name == "cudnn")
    circumstances.cudnn = version.upstream();
  else if (class_of(name) == PackageClass::driver)
    circumstances.driver = version.upstream();
  else
    return std::nullopt;
  if (gpus.empty()) return std::nullopt;
  const auto findings = judge(circumstances);
  return std::ranges::find(findings, Severity::error, &Finding::severity) == findings.end();
}

/// The entry of this file's version, made where there is none yet.
KnownVersion& entry_of(KnownPackage& package, const PackageFileName& file) {
  const auto found = std::ranges::find_if(package.versions, [&](const KnownVersion& known) {
    return known.file.version.text() == file.version.text() && known.file.arch == file.arch;
  });
  return found != package.versions.end() ? *found : package.versions.emplace_back(KnownVersion{file});
}

bool is_for(const Background& background, const PackageFileName& file) {
  return file.arch == "any" ||
         std::ranges::find(background.architectures, file.arch) != background.architectures.end();
}

void add_profiles(const Background& background, KnownPackage& package) {
  for (const auto& profile : background.profiles) {
    // A file that has moved is in no list, but its exact name can be asked for.
    if (const auto* pinned = profile.find(package.name))
      if (const auto file = parse_file_name(pinned->file); file && is_for(background, *file))
        entry_of(package, *file).pinned_by.push_back(profile.name);
    for (const auto& open : profile.open)
      for (auto& known : package.versions)
        if (open.name == package.name && open.range.holds(known.file.version))
          known.pinned_by.push_back(profile.name);
  }
}

void add_installed(const Background& background, KnownPackage& package) {
  const auto installed = background.database.find(package.name);
  const auto version = installed ? Version::parse(installed->version) : std::nullopt;
  if (version)
    entry_of(package, {package.name, *version, installed->arch, ".pkg.tar.zst"}).is_installed = true;
}

KnownPackage known_package(const Background& background, const std::string& name, Catalog catalog) {
  KnownPackage package{name, {}, std::move(catalog.problems)};
  for (const auto& file : catalog.files) {
    if (!is_for(background, file.file)) continue;
    auto& known = entry_of(package, file.file);
    const auto place = shown_url(file.place);
    if (std::ranges::find(known.places, place) == known.places.end()) known.places.push_back(place);
    if (known.date.empty()) known.date = file.date;
    if (!known.size || file.is_here) known.size = file.size;
    known.is_here = known.is_here || file.is_here;
  }
  add_installed(background, package);
  add_profiles(background, package);
  for (auto& known : package.versions) known.fits = fits(background.gpus, name, known.file.version);
  std::ranges::stable_sort(package.versions, std::ranges::greater{},
                           [](const KnownVersion& known) -> const Version& { return known.file.version; });
  return package;
}

std::string place_text(const std::string& place) { return scheme_of(place).empty() ? place : host_of(place); }

std::string note_of(const KnownVersion& known) {
  std::vector<std::string> parts;
  if (known.is_installed) parts.push_back(tr_text("installed"));
  if (known.is_here) parts.push_back(tr_text("cached"));
  for (const auto& place : known.places)
    if (!place.starts_with('/')) parts.push_back(place_text(place));
  if (known.places.empty() && !known.is_installed) parts.push_back(tr_text("in no list, asked for by name"));
  if (!known.pinned_by.empty()) parts.push_back(tr("pinned by {}", join(known.pinned_by, " ")));
  if (known.fits) parts.push_back(*known.fits ? tr_text("fits") : tr_text("does not fit"));
  return join(parts, ", ");
}

std::string text_of(const KnownPackage& package, const Style& style) {
  std::vector<Row> rows;
  for (const auto& known : package.versions)
    rows.push_back({known.file.version.text(),
                    fmt::format("{:16} {:>9}", known.date, known.size ? human_size(*known.size) : ""),
                    note_of(known)});
  return table(rows, style);
}

nlohmann::json json_of(const KnownPackage& package) {
  auto versions = nlohmann::json::array();
  for (const auto& known : package.versions)
    versions.push_back({{"version", known.file.version.text()},
                        {"file", known.file.text()},
                        {"date", known.date},
                        {"size", known.size ? nlohmann::json(*known.size) : nlohmann::json()},
                        {"places", known.places},
                        {"cached", known.is_here},
                        {"installed", known.is_installed},
                        {"pinned_by", known.pinned_by},
                        {"fits", known.fits ? nlohmann::json(*known.fits) : nlohmann::json()}});
  return {{"name", package.name}, {"versions", versions}, {"problems", package.problems}};
}

void print_json(const Host& host, const Background& background, const std::vector<KnownPackage>& packages) {
  std::vector<std::string> gpus;
  for (const auto& gpu : background.gpus) gpus.push_back(gpu.name);
  auto list = nlohmann::json::array();
  for (const auto& package : packages) list.push_back(json_of(package));
  *host.out << json_text({{"schema", 1}, {"gpus", gpus}, {"packages", list}});
}

void print_text(const VersionsOptions& options, const Host& host, const std::vector<KnownPackage>& packages) {
  const auto style = style_of(host);
  std::vector<std::string> told;
  for (const auto& package : packages) {
    if (packages.size() > 1 && !options.quiet) *host.out << package.name << ":\n";
    if (options.quiet)
      for (const auto& known : package.versions) *host.out << known.file.version.text() << '\n';
    else
      *host.out << text_of(package, style);
    for (const auto& problem : package.problems)
      if (std::ranges::find(told, problem) == told.end()) told.push_back(problem);
  }
  for (const auto& problem : told) *host.err << tr_text("warning: ") << printable(problem) << '\n';
}

/// All names at once that no source has, with what the archives said.
void require_versions(const std::vector<KnownPackage>& packages, const Sources& sources) {
  std::vector<std::string> lines;
  for (const auto& package : packages) {
    if (!package.versions.empty()) continue;
    std::vector<std::string> asked;
    if (may_be_archived(sources, package.name))
      for (const auto& place : archive_places(sources)) asked.push_back("'" + shown_url(place.name) + "'");
    lines.push_back(tr("no version of '{}' was found: not in the store, not in a cache{}{}", package.name,
                       asked.empty()     ? ""
                       : sources.offline ? tr_text(", and no archive was asked: offline")
                                         : tr_text(", not at "),
                       sources.offline ? "" : join(asked, ", ")));
    lines.insert(lines.end(), package.problems.begin(), package.problems.end());
  }
  if (!lines.empty())
    throw Error(join(lines, "\n"), tr_text("check the name, or name another archive with --archive"));
}

}  // namespace

ExitStatus versions(const VersionsOptions& options, const Host& host) {
  load_site_rows(host);
  const auto conf = read_pacman_conf(host);
  const auto sources = sources_of(host, conf, options.archives, options.offline);
  const Background background{cards(host, options.gpus), conf.architectures, readable_profiles(host),
                              LocalDatabase(conf)};
  auto catalogs = catalogs_of(host, sources, options.packages);
  std::vector<KnownPackage> packages;
  for (std::size_t i = 0; i < catalogs.size(); ++i)
    packages.push_back(known_package(background, options.packages[i], std::move(catalogs[i])));
  require_versions(packages, sources);
  if (options.json)
    print_json(host, background, packages);
  else
    print_text(options, host, packages);
  return ExitStatus::done;
}

}  // namespace cudapin
