// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/profiles.hpp"
#include "commands/sharing.hpp"
#include "commands/style.hpp"
#include "core/index_file.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/http.hpp"
#include "system/private_folder.hpp"
#include "system/state.hpp"
#include "system/subscriptions.hpp"
#include "system/trusted_keys.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr const char* index_name = "index.yaml";

/// An edition as it was fetched: signed, in time, and no older than what is here.
struct Edition {
  Index index;
  std::string text;
  std::string signature;
  SignatureReport signer;
};

[[noreturn]] void refuse(const SharedSource& source, const std::string& why, const std::string& hint = {}) {
  throw Error(tr("'{}' is not accepted: {}", source.shown(index_name), why), hint);
}

/// `known` is what is here of it already, or null.
Edition fetch_edition(const Host& host, const SharedSource& source, const Subscription* known) {
  const std::vector<SharedSource::Wanted> wanted{
      {index_name, largest_text}, {index_name + std::string(signature_ending), largest_signature}};
  const auto texts = source.read_all(wanted);
  if (!texts[0]) throw Error(tr("there is no index '{}'", source.shown(index_name)));
  Edition edition{.index = {}, .text = *texts[0], .signature = texts[1].value_or(""), .signer = {}};
  edition.signer = check_trusted(host, edition.text, edition.signature, Role::profile);
  if (edition.signer.state != SignatureState::good)
    refuse(source, trust_sentence(edition.signer),
           tr_text("sudo cudapin profile trust KEYFILE, with the publisher's public key"));
  if (known && known->key != edition.signer.key)
    refuse(
        source, tr("it is signed by {}, and this subscription is to {}", edition.signer.key, known->key),
        fmt::format("sudo cudapin profile unsubscribe '{}', and subscribe again", shown_url(known->place)));
  edition.index = parse_index(edition.text, source.shown(index_name));
  return edition;
}

/// Replays, frozen mirrors and a serial given twice.
void require_new_enough(const Host& host, const SharedSource& source, const Edition& edition,
                        const Subscription* known) {
  const auto& index = edition.index;
  if (index.expires <= timestamp(host))
    refuse(source, tr("it expired at {}", index.expires),
           tr_text("ask its publisher: cudapin profile publish"));
  if (!known) return;
  if (index.serial < known->serial)
    refuse(source, tr("it is edition {}, and edition {} is here", index.serial, known->serial));
  if (index.serial == known->serial && sha256_text(edition.text) != known->index_sha256)
    refuse(source, tr("it is another edition {} than the one that is here", index.serial));
}

/// Every file of the edition, each with the bytes that the index says.
void fetch_files(const SharedSource& source, const Index& index, const fs::path& folder) {
  std::vector<SharedSource::Wanted> wanted;
  for (const auto& file : index.files) wanted.push_back({file.name, static_cast<std::size_t>(file.size)});
  const auto texts = source.read_all(wanted);
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& file = index.files[i];
    if (!texts[i])
      problems.push_back(tr("there is no '{}', which the index names", source.shown(file.name)));
    else if (texts[i]->size() != file.size || sha256_text(*texts[i]) != file.sha256)
      problems.push_back(tr("'{}' is not the file that the index names", source.shown(file.name)));
    else
      replace_file(folder / file.name, *texts[i]);
  }
  if (!problems.empty())
    throw Error(join(problems, "\n"), tr_text("ask its publisher: cudapin profile publish"));
}

/// A folder that is gone again unless the edition in it is kept.
class Arrival {
 public:
  explicit Arrival(fs::path folder) : folder_(std::move(folder)) {
    fs::remove_all(folder_);
    make_folders(folder_);
  }
  ~Arrival() {
    std::error_code ignored;
    if (!is_kept_) fs::remove_all(folder_, ignored);
  }
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  const fs::path& folder() const { return folder_; }
  void keep() { is_kept_ = true; }

 private:
  fs::path folder_;
  bool is_kept_ = false;
};

std::vector<SharedProfile> read_edition(const Host& host, const Index& index, const fs::path& folder) {
  std::vector<SharedProfile> all;
  for (const auto& file : index.files)
    if (file.name.ends_with(profile_ending) && !file.name.ends_with(lock_ending))
      all.push_back(read_shared(host, folder, file.name.substr(0, file.name.size() - profile_ending.size())));
  return all;
}

/// The index answers for all it names, but not for what a lock lets in.
std::vector<std::string> notes_on(const std::vector<SharedProfile>& all) {
  std::vector<std::string> notes;
  for (const auto& shared : all)
    if (shared.lock && !shared.lock->objection.empty())
      notes.push_back(tr("the lock of '{}' vouches for packages, and that does not count: {}",
                         shared.profile.name, shared.lock->objection));
  return notes;
}

/// What a person is told of an edition, in both forms.
struct News {
  nlohmann::json json;
  std::string text;
};

News news_of(const Host& host, const SharedSource& source, const Edition& edition,
             const std::vector<SharedProfile>& all, bool is_new) {
  News news{.json = {{"place", source.place()},
                     {"serial", edition.index.serial},
                     {"expires", edition.index.expires},
                     {"key", edition.signer.key},
                     {"signer", edition.signer.signer},
                     {"changed", is_new},
                     {"profiles", nlohmann::json::array()},
                     {"notes", notes_on(all)}},
            .text = tr("{}: edition {}, {}, holds until {}\n", shown_url(source.place()),
                       edition.index.serial, signer_text(edition.signer), edition.index.expires)};
  if (!is_new) news.text += tr_text("nothing is new\n");
  for (const auto& shared : all) {
    if (is_new) news.json["profiles"].push_back(shared_json(host, shared));
    if (is_new) news.text += '\n' + shared_text(host, shared);
  }
  for (const auto& one : notes_on(all)) news.text += tr("note: {}\n", one);
  return news;
}

Subscription subscription_of(const Host& host, const SharedSource& source, const Edition& edition) {
  return {.place = source.place(),
          .key = edition.signer.key,
          .serial = edition.index.serial,
          .index_sha256 = sha256_text(edition.text),
          .expires = edition.index.expires,
          .updated = timestamp(host)};
}

/// Fetches, verifies and shows; nothing of it is in force before `keep` is called. Without news only the time
/// of the look is noted.
News bring(const ProfileOptions& options, const Host& host, const SharedSource& source,
           const Subscription* known, bool asks) {
  const auto edition = fetch_edition(host, source, known);
  require_new_enough(host, source, edition, known);
  auto next = subscription_of(host, source, edition);
  const bool is_new = !known || known->serial != next.serial;
  if (!is_new) {
    if (!options.dry_run) write_subscription(host, next);
    return news_of(host, source, edition, {}, false);
  }
  const auto passing = options.dry_run ? std::make_unique<PrivateFolder>("edition") : nullptr;
  Arrival arrival(passing ? passing->path() / "edition" : edition_folder(host, next));
  fetch_files(source, edition.index, arrival.folder());
  const auto all = read_edition(host, edition.index, arrival.folder());
  auto news = news_of(host, source, edition, all, true);
  if (options.dry_run) return news;
  if (asks && !options.noconfirm) {
    *host.out << fitted(host, news.text);
    ask(options, host, tr_text("Subscribe to it?"));
  }
  arrival.keep();
  write_subscription(host, next);
  note(host, fmt::format("{} {}", options.action, shown_url(source.place())),
       tr("edition {}, {}", next.serial, signer_text(edition.signer)));
  return news;
}

/// A dry run takes none: it leaves no file.
std::optional<StateLock> lock_for(const ProfileOptions& options, const Host& host) {
  std::optional<StateLock> lock;
  if (!options.dry_run) lock.emplace(host);
  return lock;
}

std::optional<Subscription> find_subscription(const Host& host, const std::string& place) {
  for (auto& one : subscriptions(host))
    if (one.place == place) return std::move(one);
  return std::nullopt;
}

bool is_expired(const Host& host, const Subscription& one) { return one.expires <= timestamp(host); }

std::string none_text() {
  return tr_text("nothing is subscribed; 'sudo cudapin profile subscribe URL' does it\n");
}

}  // namespace

ExitStatus subscribe(const ProfileOptions& options, const Host& host) {
  require_root(options, host);
  const SharedSource source(host, options.words[0]);
  const auto lock = lock_for(options, host);
  const auto known = find_subscription(host, source.place());
  if (known) {
    if (options.json)
      *host.out << json_text(
          {{"schema", 1}, {"subscription", {{"place", known->place}, {"changed", false}}}});
    else if (!options.quiet)
      *host.out << tr("subscribed to {} already; next: sudo cudapin profile update\n",
                      shown_url(known->place));
    return ExitStatus::done;
  }
  const auto news = bring(options, host, source, nullptr, true);
  if (options.json)
    *host.out << json_text({{"schema", 1}, {"subscription", news.json}});
  else if (!options.quiet && (options.noconfirm || options.dry_run))
    *host.out << fitted(host, news.text);
  if (!options.json && !options.quiet && !options.dry_run)
    *host.out << tr_text("subscribed; nothing is switched: cudapin use NAME\n");
  return ExitStatus::done;
}

ExitStatus unsubscribe(const ProfileOptions& options, const Host& host) {
  require_root(options, host);
  const SharedSource source(host, options.words[0]);
  const auto lock = lock_for(options, host);
  const auto known = find_subscription(host, source.place());
  if (!known)
    throw Error(tr("nothing is subscribed from '{}'", shown_url(source.place())),
                "cudapin profile subscriptions");
  if (const auto state = read_state(host); state && is_below(state->origin, edition_folder(host, *known)))
    throw Error(tr("'{}' comes from there, and is in force", state->profile), "sudo cudapin release");
  if (!options.dry_run) remove_subscription(host, *known);
  if (!options.dry_run) note(host, "unsubscribe " + shown_url(known->place), "");
  if (options.json)
    *host.out << json_text({{"schema", 1}, {"subscription", {{"place", known->place}, {"changed", true}}}});
  else if (!options.quiet)
    *host.out << tr("no longer subscribed to {}\n", shown_url(known->place));
  return ExitStatus::done;
}

ExitStatus list_subscriptions(const ProfileOptions& options, const Host& host) {
  auto list = nlohmann::json::array();
  std::vector<Row> rows;
  for (const auto& one : subscriptions(host)) {
    list.push_back({{"place", one.place},
                    {"key", one.key},
                    {"serial", one.serial},
                    {"expires", one.expires},
                    {"expired", is_expired(host, one)},
                    {"updated", one.updated}});
    rows.push_back({shown_url(one.place), tr("edition {}", one.serial),
                    tr("{} {}, looked for news at {}, signed by {}",
                       is_expired(host, one) ? tr_text("EXPIRED at") : tr_text("holds until"), one.expires,
                       one.updated, one.key)});
  }
  if (options.json)
    *host.out << json_text({{"schema", 1}, {"subscriptions", list}});
  else
    *host.out << (rows.empty() ? fitted(host, none_text()) : table(rows, style_of(host)));
  return ExitStatus::done;
}

ExitStatus update(const ProfileOptions& options, const Host& host) {
  require_root(options, host);
  const auto lock = lock_for(options, host);
  auto list = nlohmann::json::array();
  std::vector<std::string> failures;
  std::string hint;
  const auto subscribed = subscriptions(host);
  if (subscribed.empty() && !options.json && !options.quiet) *host.out << fitted(host, none_text());
  for (const auto& known : subscribed) try {
      const auto news = bring(options, host, SharedSource(host, known.place), &known, false);
      list.push_back(news.json);
      if (!options.json && !options.quiet) *host.out << fitted(host, news.text);
    } catch (const Error& error) {
      if (error.status == ExitStatus::interrupted) throw;
      failures.emplace_back(error.what());
      if (hint.empty()) hint = error.hint;
    }
  if (options.json) *host.out << json_text({{"schema", 1}, {"subscriptions", list}, {"failures", failures}});
  if (!failures.empty()) throw Error(join(failures, "\n"), hint);
  return ExitStatus::done;
}

}  // namespace cudapin
