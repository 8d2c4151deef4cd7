// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/asking.hpp"
#include "commands/commands.hpp"
#include "commands/style.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/child.hpp"
#include "system/files.hpp"
#include "system/guard_admin.hpp"
#include "system/guard_facts.hpp"
#include "system/pacman_conf.hpp"

#include <filesystem>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// A database folder of our own with fresh sync databases beside the machine's local one: pacman's stay as
/// they are until the upgrade itself, or a refusal would leave the machine to partial upgrades.
class FreshDatabases {
 public:
  FreshDatabases(const Host& host, const PacmanConf& conf) {
    folder_ = host.at("/run") / "cudapin-upgrade";
    fs::remove_all(folder_);
    make_folders(folder_);
    fs::create_directory_symlink(conf.dbpath / "local", folder_ / "local");
    const auto result = run_child({"pacman", "--root", conf.root.string(), "--config", conf.file.string(),
                                   "--dbpath", folder_.string(), "--logfile", "/dev/null", "-Sy"},
                                  300);
    if (result.status != 0)
      throw Error(tr("the databases cannot be refreshed: {}", trim(result.err)), "pacman -Sy");
  }
  FreshDatabases(const FreshDatabases&) = delete;
  FreshDatabases& operator=(const FreshDatabases&) = delete;
  ~FreshDatabases() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

void show(const Host& host, const Verdict& verdict, const GuardInput& input) {
  if (!verdict.blocks) {
    *host.out << tr_text("nothing is left out\n");
    return;
  }
  *host.out << fitted(host, tr("left out: {}\n", join(input.ignored, " ")));
  for (const auto& line : verdict.lines)
    if (line.starts_with("  ")) *host.out << line << '\n';
}

}  // namespace

ExitStatus upgrade(const UpgradeOptions& options, const Host& host) {
  if (!host.privileged) throw Error(tr_text("only root can upgrade"), "sudo cudapin upgrade");
  const auto conf = read_pacman_conf(host);
  GuardInput input;
  Verdict verdict;
  {
    const FreshDatabases fresh(host, conf);
    const GuardFiles files(host.root.string(), {}, fresh.folder().string());
    verdict = guard_admin::check(files, host, {}, input);
  }
  if (!options.quiet) show(host, verdict, input);
  std::vector<std::string> command{"pacman",   "--root",           conf.root.string(),
                                   "--config", conf.file.string(), "-Syu"};
  if (host.root == "/") command = {"pacman", "-Syu"};
  if (options.noconfirm) command.emplace_back("--noconfirm");
  if (verdict.blocks) command.insert(command.end(), {"--ignore", join(input.ignored, ",")});
  if (!options.quiet) *host.out << ":: " << join(command, " ") << '\n' << std::flush;
  if (options.dry_run) return ExitStatus::done;
  if (!options.noconfirm) ask(host, tr_text("Upgrade the rest?"), tr_text("add --noconfirm, or --dry-run"));
  return static_cast<ExitStatus>(run_in_foreground(command, host));
}

}  // namespace cudapin
