// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/report.hpp"
#include "commands/sharing.hpp"
#include "commands/style.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/http.hpp"
#include "system/state.hpp"
#include "system/trusted_keys.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <istream>
#include <ostream>

namespace cudapin {

namespace {

/// As a person may type or paste it: with blanks, colons, 0x, in either case.
std::string plain_fingerprint(const std::string& typed) {
  std::string plain;
  for (const char c : join(split(typed, " :\t"), ""))
    plain += static_cast<char>(c >= 'a' && c <= 'f' ? c - 'a' + 'A' : c);
  return plain.starts_with("0x") ? plain.substr(2) : plain;
}

/// In groups of four, as gpg shows it and people read it out.
std::string read_out(const std::string& fingerprint) {
  std::string text;
  for (std::size_t i = 0; i < fingerprint.size(); i += 4)
    text += (text.empty() ? "" : " ") + fingerprint.substr(i, 4);
  return text;
}

std::string question_about(const PublicKey& key, Role role) {
  const auto* meaning =
      role == Role::vouch
          ? tr_text(
                "Its owner's profiles and locks will be taken, and packages that pacman refuses let in "
                "where such a lock vouches for them.")
          : tr_text("Its owner's profiles will be taken. No package is trusted for it.");
  return tr(
      "key          {}\nfingerprint  {}\nrole         {}\n\n{}\nCompare the fingerprint with what its "
      "owner tells you by another way.\n",
      key.user, read_out(key.fingerprint), word_of(role), meaning);
}

/// A typed yes, or the fingerprint itself on the command line.
void require_yes(const ProfileOptions& options, const Host& host, const PublicKey& key, Role role) {
  if (!options.fingerprint.empty()) {
    if (plain_fingerprint(options.fingerprint) == key.fingerprint) return;
    throw Error(tr("'{}' holds the key {}, not the one that '--fingerprint' names",
                   printable(options.words[0]), key.fingerprint),
                tr_text("ask the key's owner for the fingerprint"));
  }
  if (!host.in_is_terminal)
    throw Error(tr_text("nobody can say yes: the input is not a terminal"),
                tr_text("add --fingerprint with the whole fingerprint"), ExitStatus::usage);
  *host.out << fitted(host, question_about(key, role)) << tr_text(":: Trust it? Type 'yes': ") << std::flush;
  std::string answer;
  if (!std::getline(*host.in, answer) || trim(answer) != "yes")
    throw Error(tr_text("nothing was trusted: the answer was not 'yes'"));
}

bool is_trusted_so(const Host& host, const PublicKey& key, Role role) {
  const auto keys = trusted_keys(host);
  return std::ranges::any_of(keys, [&](const TrustedKey& trusted) {
    return trusted.key.fingerprint == key.fingerprint && trusted.role == role && trusted.objection.empty() &&
           trusted.key.text == key.text;
  });
}

void report_trust(const ProfileOptions& options, const Host& host, const PublicKey& key, Role role,
                  bool changed) {
  if (options.json)
    *host.out << json_text({{"schema", 1},
                            {"fingerprint", key.fingerprint},
                            {"user", key.user},
                            {"role", word_of(role)},
                            {"changed", changed}});
  else if (!options.quiet)
    *host.out << fitted(
        host, changed ? tr("{} ({}) is trusted for the role '{}'\n", key.user, key.fingerprint, word_of(role))
                      : tr("{} ({}) is trusted already for the role '{}'\n", key.user, key.fingerprint,
                           word_of(role)));
}

std::string state_of(const TrustedKey& trusted) {
  if (!trusted.objection.empty()) return tr("DOES NOT COUNT: {}", trusted.objection);
  if (trusted.key.is_revoked) return tr_text("revoked: nothing new by it is taken");
  return trusted.key.is_expired ? tr_text("expired: nothing by it is taken") : "";
}

/// The one key that the typed fingerprint, or its last 16 digits or more, means.
TrustedKey find_trusted(const Host& host, const std::string& typed) {
  const auto wanted = plain_fingerprint(typed);
  std::vector<TrustedKey> found;
  for (auto& trusted : trusted_keys(host))
    if (wanted.size() >= 16 && trusted.key.fingerprint.ends_with(wanted)) found.push_back(std::move(trusted));
  if (found.empty())
    throw Error(tr("no key '{}' is trusted; a fingerprint has 16 digits or more", printable(typed)),
                "cudapin profile trusted");
  return found.front();
}

}  // namespace

ExitStatus trust(const ProfileOptions& options, const Host& host) {
  require_root(options, host);
  const auto& file = options.words[0];
  const auto key = read_public_key(read_file(file, largest_text), file);
  const auto role = options.vouch ? Role::vouch : Role::profile;
  if (key.is_revoked || key.is_expired)
    throw Error(tr("the key {} in '{}' {}", key.fingerprint, printable(file),
                   key.is_revoked ? tr_text("was revoked") : tr_text("has expired")),
                tr_text("ask its owner for a new one"));
  const bool changed = !is_trusted_so(host, key, role);
  if (changed && !options.dry_run) {
    require_yes(options, host, key, role);
    const StateLock lock(host);
    trust_key(host, key, role);
    note(host, "trust " + key.fingerprint, tr("role {}", word_of(role)));
  }
  report_trust(options, host, key, role, changed);
  return ExitStatus::done;
}

ExitStatus untrust(const ProfileOptions& options, const Host& host) {
  require_root(options, host);
  const auto trusted = find_trusted(host, options.words[0]);
  if (!options.dry_run) {
    const StateLock lock(host);
    distrust_key(host, trusted.key.fingerprint);
    note(host, "untrust " + trusted.key.fingerprint, "");
  }
  if (options.json)
    *host.out << json_text({{"schema", 1}, {"fingerprint", trusted.key.fingerprint}, {"changed", true}});
  else if (!options.quiet)
    *host.out << fitted(host, tr("{} ({}) is no longer trusted; what came by it stays until it is removed\n",
                                 trusted.key.user, trusted.key.fingerprint));
  return ExitStatus::done;
}

ExitStatus trusted(const ProfileOptions& options, const Host& host) {
  auto list = nlohmann::json::array();
  std::vector<Row> rows;
  for (const auto& one : trusted_keys(host)) {
    list.push_back({{"fingerprint", one.key.fingerprint},
                    {"user", one.key.user},
                    {"role", word_of(one.role)},
                    {"counts", one.objection.empty() && !one.key.is_revoked && !one.key.is_expired},
                    {"problem", state_of(one)},
                    {"path", one.path.string()}});
    rows.push_back({one.key.fingerprint, std::string(word_of(one.role)),
                    one.key.user + (state_of(one).empty() ? "" : ", " + state_of(one))});
  }
  if (options.json)
    *host.out << json_text({{"schema", 1}, {"keys", list}});
  else
    *host.out << (rows.empty() ? tr_text("no key is trusted; 'sudo cudapin profile trust KEYFILE' adds one\n")
                               : table(rows, style_of(host)));
  return ExitStatus::done;
}

}  // namespace cudapin
