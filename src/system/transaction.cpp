// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/transaction.hpp"

#include "core/error.hpp"
#include "core/pacman_log.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/alpm_handle.hpp"
#include "system/local_database.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <utility>

namespace cudapin {

namespace fs = std::filesystem;
using namespace alpm;

namespace {

struct FreeList {
  void operator()(alpm_list_t* list) const { alpm_list_free(list); }
};
/// A list that owns its nodes, not what they point to.
using List = std::unique_ptr<alpm_list_t, FreeList>;

void add(List& list, void* data) {
  alpm_list_t* nodes = list.release();
  list.reset(alpm_list_add(nodes, data));
}

std::string quoted(const char* text) { return fmt::format("'{}'", printable(text ? text : "")); }

alpm_list_t* installed_packages(alpm_handle_t* handle) {
  return alpm_db_get_pkgcache(alpm_get_localdb(handle));
}

std::string name_of_entry(const std::string& folder) {
  const auto dash = folder.rfind('-');
  return folder.substr(0, dash == 0 || dash == folder.npos ? dash : folder.rfind('-', dash - 1));
}

/// What the targets lack, and what installed packages would lack after them.
std::vector<std::string> broken_dependencies(alpm_handle_t* handle, alpm_list_t* targets,
                                             alpm_list_t* leaving) {
  std::vector<std::string> problems;
  auto* missing = alpm_checkdeps(handle, installed_packages(handle), leaving, targets, 1);
  for_each<alpm_depmissing_t>(missing, [&](alpm_depmissing_t* miss) {
    char* depend = alpm_dep_compute_string(miss->depend);
    problems.push_back(miss->causingpkg
                           ? tr("installing {} breaks {}, which needs {}", quoted(miss->causingpkg),
                                quoted(miss->target), quoted(depend))
                           : tr("{} needs {}, which neither the installed packages nor these have",
                                quoted(miss->target), quoted(depend)));
    std::free(depend);
    alpm_depmissing_free(miss);
  });
  alpm_list_free(missing);
  return problems;
}

#if ALPM_MAJOR >= 14
const char* name_in_conflict(alpm_pkg_t* pkg) { return alpm_pkg_get_name(pkg); }
#else
const char* name_in_conflict(const char* name) { return name; }
#endif

std::vector<std::string> conflicts(alpm_handle_t* handle, alpm_list_t* targets, alpm_list_t* leaving) {
  List together;
  for_each<alpm_pkg_t>(targets, [&](alpm_pkg_t* pkg) { add(together, pkg); });
  for_each<alpm_pkg_t>(installed_packages(handle), [&](alpm_pkg_t* pkg) {
    const auto* name = alpm_pkg_get_name(pkg);
    if (!alpm_pkg_find(targets, name) && !alpm_pkg_find(leaving, name)) add(together, pkg);
  });
  std::vector<std::string> problems;
  auto* found = alpm_checkconflicts(handle, together.get());
  for_each<alpm_conflict_t>(found, [&](alpm_conflict_t* conflict) {
    // An old conflict between two installed packages is not this transaction's.
    const auto* one = name_in_conflict(conflict->package1);
    const auto* two = name_in_conflict(conflict->package2);
    if (alpm_pkg_find(targets, one) || alpm_pkg_find(targets, two))
      problems.push_back(tr("{} conflicts with {}", quoted(one), quoted(two)));
    alpm_conflict_free(conflict);
  });
  alpm_list_free(found);
  return problems;
}

std::vector<std::string> foreign_architectures(const PacmanConf& conf, alpm_list_t* targets) {
  std::vector<std::string> problems;
  for_each<alpm_pkg_t>(targets, [&](alpm_pkg_t* pkg) {
    const std::string arch = alpm_pkg_get_arch(pkg) ? alpm_pkg_get_arch(pkg) : "any";
    if (arch != "any" && !conf.architectures.empty() && std::ranges::count(conf.architectures, arch) == 0)
      problems.push_back(tr("{} is built for {}, not for {}", quoted(alpm_pkg_get_name(pkg)),
                            quoted(arch.c_str()), join(conf.architectures, tr_text(" or "))));
  });
  return problems;
}

/// A package already has files by the thousand; so many lines help nobody.
constexpr std::size_t most_file_conflicts = 20;

std::string describe_file_conflicts(const alpm_list_t* found) {
  std::vector<std::string> problems;
  for_each<alpm_fileconflict_t>(found, [&](alpm_fileconflict_t* conflict) {
    const std::string owner = conflict->ctarget ? conflict->ctarget : "";
    problems.push_back(tr("{} would overwrite {}, {}", quoted(conflict->target), quoted(conflict->file),
                          owner.empty() ? tr_text("which belongs to no package")
                                        : tr("which belongs to {}", quoted(owner.c_str()))));
  });
  const auto all = problems.size();
  problems.resize(std::min(all, most_file_conflicts));
  if (all > most_file_conflicts)
    problems.push_back(tr("{} more files are in the way", all - most_file_conflicts));
  return join(problems, "\n");
}

/// prepare and commit give lists whose kind depends on the error.
void free_details(alpm_errno_t reason, alpm_list_t* details) {
  const auto free_item = [reason](void* item) {
    if (reason == ALPM_ERR_UNSATISFIED_DEPS)
      return alpm_depmissing_free(static_cast<alpm_depmissing_t*>(item));
    if (reason == ALPM_ERR_CONFLICTING_DEPS) return alpm_conflict_free(static_cast<alpm_conflict_t*>(item));
    if (reason == ALPM_ERR_FILE_CONFLICTS)
      return alpm_fileconflict_free(static_cast<alpm_fileconflict_t*>(item));
    std::free(item);
  };
  for_each<void>(details, free_item);
  alpm_list_free(details);
}

}  // namespace

struct Transaction::State {
  State(PacmanConf the_conf, const Host& the_host, TransactionEvents the_events)
      : conf(std::move(the_conf)), host(the_host), events(std::move(the_events)), handle(open_handle(conf)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (open) alpm_trans_release(handle.get());
    lock_note.reset();
  }

  PacmanConf conf;
  const Host& host;
  TransactionEvents events;
  Handle handle;  ///< outlives the transaction in it
  std::optional<LockNote> lock_note;
  bool open = false;
  bool started = false;
  bool done = false;
  std::size_t changed = 0;
  std::string hook;                           ///< that runs or ran last
  std::vector<std::string> errors;            ///< what libalpm logged as errors
  std::vector<std::string> new_dependencies;  ///< targets to be marked as dependencies
  bool set_reasons = false;                   ///< also of targets that are installed
  std::pair<std::string, int> last_step;      ///< of the progress
  std::exception_ptr thrown;                  ///< by a callback; C code is not unwound

  alpm_list_t* targets() const { return alpm_trans_get_add(handle.get()); }
  bool leaves(const char* name) const {
    return alpm_pkg_find(alpm_trans_get_remove(handle.get()), name) != nullptr;
  }
  void configure();
  std::string add_target(const TransactionTarget& target);
  std::string add_removal(const std::string& name);
  void overwrite_files_of(alpm_pkg_t* pkg);
  void require_solvable() const;
  Error prepare_failure(alpm_errno_t reason) const;
  Error commit_failure(alpm_errno_t reason, const alpm_list_t* details) const;
  Error unfinished() const;
  void mark_dependencies();

  void log(const std::string& text) const {
    if (events.log && !text.empty()) events.log(text);
  }
  /// pacman's way: libalpm finishes the package it is at. Before the start event it would not listen.
  void stop_if_interrupted() {
    if (started && host.interrupted()) alpm_trans_interrupt(handle.get());
  }
  template <typename Function>
  void shield(const Function& function) noexcept {
    try {
      function();
    } catch (...) {
      if (!thrown) thrown = std::current_exception();
    }
  }

  void note(alpm_event_type_t type, const char* text);

  static void on_event(void* state, alpm_event_t* event) noexcept;
  static void on_question(void* state, alpm_question_t* question) noexcept;
  static void on_progress(void* state, alpm_progress_t kind, const char* package, int percent, std::size_t of,
                          std::size_t nth) noexcept;
  static void on_log(void* state, alpm_loglevel_t level, const char* format, va_list arguments) noexcept;
};

/// libalpm's unions may point to one of their smaller, less aligned members: they are never copied.
#define CUDAPIN_UNALIGNED __attribute__((no_sanitize("alignment")))

CUDAPIN_UNALIGNED void Transaction::State::on_event(void* state, alpm_event_t* event) noexcept {
  const auto type = event->type;
  const char* text = type == ALPM_EVENT_HOOK_RUN_START   ? event->hook_run.name
                     : type == ALPM_EVENT_SCRIPTLET_INFO ? event->scriptlet_info.line
                                                         : "";
  auto& self = *static_cast<State*>(state);
  self.shield([&] { self.note(type, text); });
}

void Transaction::State::note(alpm_event_type_t type, const char* text) {
  if (type == ALPM_EVENT_TRANSACTION_START) {
    started = true;
    alpm_logaction(handle.get(), own_log_prefix, "changing packages; more in: cudapin history\n");
  }
  if (type == ALPM_EVENT_TRANSACTION_DONE) done = true;
  if (type == ALPM_EVENT_PACKAGE_OPERATION_DONE) ++changed;
  if (type == ALPM_EVENT_HOOK_RUN_START) hook = text;
  if (type == ALPM_EVENT_SCRIPTLET_INFO) log(std::string(trim(text)));
  stop_if_interrupted();
}

/// No to everything: nothing is removed, replaced, skipped or imported that cudapin did not plan. libalpm
/// asks about a conflict with a package that leaves all the same.
CUDAPIN_UNALIGNED void Transaction::State::on_question(void* state, alpm_question_t* question) noexcept {
  switch (question->type) {
    case ALPM_QUESTION_INSTALL_IGNOREPKG:
      question->install_ignorepkg.install = 0;
      break;
    case ALPM_QUESTION_REPLACE_PKG:
      question->replace.replace = 0;
      break;
    case ALPM_QUESTION_CONFLICT_PKG:
      question->conflict.remove =
          static_cast<State*>(state)->leaves(name_in_conflict(question->conflict.conflict->package2)) ? 1 : 0;
      break;
    case ALPM_QUESTION_CORRUPTED_PKG:
      question->corrupted.remove = 0;
      break;
    case ALPM_QUESTION_REMOVE_PKGS:
      question->remove_pkgs.skip = 0;
      break;
    case ALPM_QUESTION_SELECT_PROVIDER:
      question->select_provider.use_index = 0;
      break;
    case ALPM_QUESTION_IMPORT_KEY:
      question->import_key.import = 0;
      break;
  }
}

void Transaction::State::on_progress(void* state, alpm_progress_t, const char* package, int percent,
                                     std::size_t of, std::size_t nth) noexcept {
  auto& self = *static_cast<State*>(state);
  self.shield([&] {
    self.stop_if_interrupted();
    const std::pair step(std::string(package ? package : ""), percent);
    if (!self.events.progress || step.first.empty() || step == self.last_step)
      return;  // libalpm repeats itself
    self.last_step = step;
    self.events.progress(step.first, percent, nth, of);
  });
}

void Transaction::State::on_log(void* state, alpm_loglevel_t level, const char* format,
                                va_list arguments) noexcept {
  auto& self = *static_cast<State*>(state);
  if (level != ALPM_LOG_ERROR && level != ALPM_LOG_WARNING) return;
  std::array<char, 4096> buffer{};
  std::vsnprintf(buffer.data(), buffer.size(), format, arguments);
  self.shield([&] {
    std::string text(trim(buffer.data()));
    if (level == ALPM_LOG_WARNING) return self.log(text);
    if (std::ranges::count(self.errors, text) == 0) self.errors.push_back(std::move(text));
  });
}

void Transaction::State::configure() {
  auto* alpm = handle.get();
  alpm_option_set_eventcb(alpm, on_event, this);
  alpm_option_set_questioncb(alpm, on_question, this);
  alpm_option_set_progresscb(alpm, on_progress, this);
  alpm_option_set_logcb(alpm, on_log, this);
  for (const auto& folder : conf.cache_dirs) alpm_option_add_cachedir(alpm, folder.c_str());
  alpm_option_add_hookdir(alpm, (conf.root / "usr/share/libalpm/hooks/").c_str());
  for (const auto& folder : conf.hook_dirs) alpm_option_add_hookdir(alpm, folder.c_str());
  for (const auto& arch : conf.architectures) alpm_option_add_architecture(alpm, arch.c_str());
  for (const auto& pattern : conf.no_extract) alpm_option_add_noextract(alpm, pattern.c_str());
  for (const auto& pattern : conf.no_upgrade) alpm_option_add_noupgrade(alpm, pattern.c_str());
  if (!conf.gpg_dir.empty()) alpm_option_set_gpgdir(alpm, conf.gpg_dir.c_str());
  if (!conf.log_file.empty()) alpm_option_set_logfile(alpm, conf.log_file.c_str());
  alpm_option_set_checkspace(alpm, 1);
  alpm_option_set_default_siglevel(alpm, 0);
  alpm_option_set_local_file_siglevel(alpm, 0);
}

/// What is wrong with the target, or empty when it is part of the transaction.
std::string Transaction::State::add_target(const TransactionTarget& target) {
  const auto failure = [&](alpm_errno_t reason) {
    return tr("cannot install '{}': {}", target.file.string(), alpm_strerror(reason));
  };
  alpm_pkg_t* pkg = nullptr;
  if (alpm_pkg_load(handle.get(), target.file.c_str(), 1, 0, &pkg) != 0)
    return failure(alpm_errno(handle.get()));
  const std::string name = alpm_pkg_get_name(pkg);
  if (alpm_add_pkg(handle.get(), pkg) != 0) {
    const auto reason = alpm_errno(handle.get());
    alpm_pkg_free(pkg);  // libalpm owns it only from here on
    return failure(reason);
  }
  if (target.reason == Reason::dependency &&
      (set_reasons || !alpm_db_get_pkg(alpm_get_localdb(handle.get()), name.c_str())))
    new_dependencies.push_back(name);
  return {};
}

std::string Transaction::State::add_removal(const std::string& name) {
  auto* pkg = alpm_db_get_pkg(alpm_get_localdb(handle.get()), name.c_str());
  if (pkg && alpm_remove_pkg(handle.get(), pkg) == 0) return {};
  return tr("cannot remove '{}': {}", name,
            pkg ? alpm_strerror(alpm_errno(handle.get())) : tr_text("it is not installed"));
}

/// Exactly these paths: the option takes patterns, so what is special in one is escaped.
void Transaction::State::overwrite_files_of(alpm_pkg_t* pkg) {
  const auto* files = alpm_pkg_get_files(pkg);
  for (std::size_t i = 0; files && i < files->count; ++i) {
    std::string pattern;
    for (const char* c = files->files[i].name; *c; ++c) {
      if (std::string_view("*?[]\\!").find(*c) != std::string_view::npos) pattern += '\\';
      pattern += *c;
    }
    alpm_option_add_overwrite_file(handle.get(), pattern.c_str());
  }
}

/// libalpm would stop at the first kind of problem; these are all.
void Transaction::State::require_solvable() const {
  auto problems = foreign_architectures(conf, targets());
  auto* leaving = alpm_trans_get_remove(handle.get());
  std::ranges::move(broken_dependencies(handle.get(), targets(), leaving), std::back_inserter(problems));
  std::ranges::move(conflicts(handle.get(), targets(), leaving), std::back_inserter(problems));
  if (!problems.empty()) throw Error(join(problems, "\n"), "pacman -Dk");
}

Error Transaction::State::prepare_failure(alpm_errno_t reason) const {
  return Error(tr("cannot prepare the transaction: {}{}", alpm_strerror(reason),
                  errors.empty() ? "" : " (" + printable(join(errors, "; ")) + ")"),
               "pacman -Dk");
}

Error Transaction::State::commit_failure(alpm_errno_t reason, const alpm_list_t* details) const {
  const auto logged = errors.empty() ? "" : " (" + printable(join(errors, "; ")) + ")";
  if (reason == ALPM_ERR_FILE_CONFLICTS)
    return Error(describe_file_conflicts(details),
                 tr_text("move the files away that belong to no package, then run it again"));
  if (reason == ALPM_ERR_TRANS_HOOK_FAILED && !hook.empty())
    return Error(tr("a hook refused the transaction: '{}'{}", printable(hook), logged),
                 "tail /var/log/pacman.log");
  const auto state =
      started ? tr("the transaction failed after {} of {} packages", changed, alpm_list_count(targets()))
              : std::string(tr_text("nothing was changed"));
  return Error(
      fmt::format("{}: {}{}", state, alpm_strerror(reason), logged),
      reason == ALPM_ERR_DISK_SPACE ? tr_text("df -h  # make room, then run it again") : "cudapin status");
}

/// A commit that reports success without having come to its end.
Error Transaction::State::unfinished() const {
  if (!host.interrupted()) return Error(tr_text("the transaction ended before all packages were installed"));
  return Error(changed == 0 ? tr_text("interrupted before the first package was changed")
                            : tr("interrupted after {} of {} packages", changed, alpm_list_count(targets())),
               {}, ExitStatus::interrupted);
}

void Transaction::State::mark_dependencies() {
  for (const auto& name : new_dependencies)
    if (auto* pkg = alpm_db_get_pkg(alpm_get_localdb(handle.get()), name.c_str());
        pkg && alpm_pkg_set_reason(pkg, ALPM_PKG_REASON_DEPEND) != 0)
      log(tr("cannot mark '{}' as a dependency", name));
}

Transaction::Transaction(const PacmanConf& conf, const Host& host, TransactionEvents events)
    : state_(std::make_unique<State>(conf, host, std::move(events))) {
  state_->configure();
  clear_dead_lock(conf, host, false);
  // Who cannot write there gets no lock either.
  if (::access(conf.dbpath.c_str(), W_OK) == 0) state_->lock_note.emplace(conf, host);
  if (alpm_trans_init(state_->handle.get(), 0) != 0) {
    const auto reason = alpm_errno(state_->handle.get());
    if (reason == ALPM_ERR_HANDLE_LOCK) throw lock_failure(conf, host);
    throw state_->prepare_failure(reason);
  }
  state_->open = true;
  if (state_->lock_note) state_->lock_note->made();
}

Transaction::~Transaction() = default;

void Transaction::prepare(std::span<const TransactionTarget> targets, const Preparation& preparation) {
  std::vector<std::string> problems;
  const auto note = [&](std::string problem) {
    if (!problem.empty()) problems.push_back(std::move(problem));
  };
  state_->set_reasons = preparation.set_reasons;
  for (const auto& target : targets) note(state_->add_target(target));
  for (const auto& name : preparation.removals) note(state_->add_removal(name));
  if (preparation.own_files_may_exist)
    for_each<alpm_pkg_t>(state_->targets(), [&](alpm_pkg_t* pkg) { state_->overwrite_files_of(pkg); });
  for (const auto& folder : broken_entries(state_->conf.dbpath))
    if (alpm_pkg_find(state_->targets(), name_of_entry(folder).c_str()))
      problems.push_back(tr("the database entry '{}' is incomplete: its installation was cut off", folder));
  if (!problems.empty()) throw Error(join(problems, "\n"), "pacman -Dk");
  state_->require_solvable();
  alpm_list_t* details = nullptr;
  if (alpm_trans_prepare(state_->handle.get(), &details) == 0) return;
  const auto reason = alpm_errno(state_->handle.get());
  free_details(reason, details);
  throw state_->prepare_failure(reason);
}

void Transaction::commit() {
  state_->host.check_interrupt();
  state_->errors.clear();
  alpm_list_t* details = nullptr;
  const int result = alpm_trans_commit(state_->handle.get(), &details);
  const auto reason = alpm_errno(state_->handle.get());
  state_->mark_dependencies();
  if (result != 0) {
    const auto failure = state_->commit_failure(reason, details);
    free_details(reason, details);
    throw failure;
  }
  for (const auto& error : state_->errors)
    state_->log(error);  // scriptlets and late hooks fail without effect
  if (!state_->done) throw state_->unfinished();
  if (state_->thrown) std::rethrow_exception(state_->thrown);
}

bool Transaction::started() const { return state_->started; }

}  // namespace cudapin
