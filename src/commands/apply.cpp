// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/apply.hpp"

#include "commands/change.hpp"
#include "commands/way_back.hpp"
#include "core/error.hpp"
#include "core/words.hpp"

#include <ostream>

namespace cudapin {

namespace {

/// A signal stops what was asked for, not the way back from it.
struct Undisturbed {
  explicit Undisturbed(const Host& of) : host(of) { host.interrupt = &none; }
  std::atomic<int> none{0};
  Host host;
};

void take_back(const Host& host, const PacmanConf& conf, const Error& failure) {
  try {
    settle_journal(host, conf, true);
  } catch (const std::exception& second) {
    throw Error(tr("{}\n{}\nthe change is half done; the next cudapin command will finish it", failure.what(),
                   second.what()),
                "sudo cudapin recover", failure.status);
  }
  throw Error(tr("{}; the set before is back", failure.what()), failure.hint, failure.status);
}

/// The change went wrong after its journal was opened: forward once more, unless it was stopped by the
/// person, then back.
void mend_now(const Host& host, const PacmanConf& conf, const Error& failure) {
  const Undisturbed calm(host);
  if (failure.status == ExitStatus::interrupted) return take_back(calm.host, conf, failure);
  *host.err << tr(":: {}; trying once more\n", failure.what());
  try {
    settle_journal(calm.host, conf, false);
  } catch (const std::exception&) {
    take_back(calm.host, conf, failure);
  }
}

Error as_error(const std::exception& caught) {
  if (const auto* error = dynamic_cast<const Error*>(&caught)) return *error;
  return Error(caught.what());
}

/// `started` tells, when this throws, whether the machine may be different already.
void change(const Host& host, const PacmanConf& conf, const JournalRecord& record,
            const std::function<void()>& last_check, bool& started) {
  const auto before_commit = [&] {
    last_check();
    host.check_interrupt();
    require_space(host.at(state_folder), journal_size(conf, record));
    host.step("journal");
    open_journal(host, conf, record);
  };
  if (record.packages.empty())
    before_commit();
  else
    change_packages(host, conf, record.packages, false, before_commit, &started);
  started = true;
  host.step("prove");
  require_proof(conf, record.packages, true);
  conclude(host, conf, record, Direction::forward, "done");
}

}  // namespace

void carry_out(const Host& host, const PacmanConf& conf, const JournalRecord& record,
               const std::function<void()>& last_check) {
  if (journal_is_open(host))
    throw Error(tr_text("another change was interrupted meanwhile"), "sudo cudapin recover");
  bool started = false;
  try {
    change(host, conf, record, last_check, started);
  } catch (const std::exception& caught) {
    if (!journal_is_open(host)) throw;
    const auto failure = as_error(caught);
    if (started) return mend_now(host, conf, failure);
    close_journal(host);
    throw Error(tr("{}; nothing was changed", failure.what()), failure.hint, failure.status);
  }
}

}  // namespace cudapin
