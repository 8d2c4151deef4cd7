// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/sharing.hpp"

#include "cli/report.hpp"
#include "commands/asking.hpp"
#include "commands/commands.hpp"
#include "commands/profiles.hpp"
#include "commands/style.hpp"
#include "core/profile_words.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/state.hpp"
#include "system/trusted_keys.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ostream>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Act = ExitStatus (*)(const ProfileOptions&, const Host&);

constexpr std::array<std::pair<std::string_view, Act>, 14> acts{{{"export", export_profile},
                                                                 {"sign", sign_profile},
                                                                 {"verify", verify_profile},
                                                                 {"add", add_profiles},
                                                                 {"remove", remove_profile},
                                                                 {"diff", diff_profiles},
                                                                 {"trust", trust},
                                                                 {"untrust", untrust},
                                                                 {"trusted", trusted},
                                                                 {"subscribe", subscribe},
                                                                 {"unsubscribe", unsubscribe},
                                                                 {"subscriptions", list_subscriptions},
                                                                 {"update", update},
                                                                 {"publish", publish}}};

std::string signature_beside(const fs::path& file) {
  const fs::path signature = file.string() + std::string(signature_ending);
  return fs::exists(signature) ? read_file(signature, largest_signature) : "";
}

std::optional<Profile> one_in_force(const Host& host, const std::string& name) {
  const auto known = known_profiles(host);
  const auto found = std::ranges::find(known, name, &ProfileEntry::name);
  if (found == known.end()) return std::nullopt;
  try {
    return read_profile_file(host, found->path);
  } catch (const Error&) {  // one that cannot be read pins nothing
    return std::nullopt;
  }
}

std::string pins_text(const Host& host, const Profile& profile) {
  std::vector<Row> rows;
  for (const auto& package : profile.packages)
    rows.push_back({"  " + package.name, package.version.text(), ""});
  for (const auto& open : profile.open)
    rows.push_back({"  " + open.name, open.range.text(), tr_text("a range")});
  return table(rows, style_of(host));
}

std::string lock_text_of(const SharedProfile& shared) {
  if (!shared.lock) return {};
  const auto& lock = *shared.lock;
  const auto vouched =
      std::ranges::count_if(lock.file.files, [](const LockedFile& file) { return file.vouched.has_value(); });
  auto text = tr("Lock of {} files: {}\n", lock.file.files.size(), signer_text(shared.lock_signature));
  if (vouched > 0)
    text += tr("It vouches for {} of them: {}\n", vouched,
               lock.objection.empty() ? tr_text("its signer is trusted to")
                                      : tr("not accepted, {}", lock.objection));
  return text;
}

nlohmann::json signature_json(const SignatureReport& signature) {
  return {{"state", word_of(signature.state)},
          {"trusted", signature.state == SignatureState::good},
          {"key", signature.key.empty() ? signature.fingerprint : signature.key},
          {"signer", signature.signer}};
}

}  // namespace

SharedProfile read_shared(const Host& host, const fs::path& staged, const std::string& name) {
  const auto file = staged / (name + std::string(profile_ending));
  SharedProfile shared{.profile = read_profile_file(host, file, staged)};
  if (shared.profile.name != name)
    throw Error(tr("'{}{}' holds the profile '{}'", name, profile_ending, printable(shared.profile.name)),
                tr_text("give the file and the profile the same name"));
  shared.signature =
      check_trusted(host, read_file(file, largest_text), signature_beside(file), Role::profile);
  const auto lock_file = staged / (name + std::string(lock_ending));
  if (!fs::exists(lock_file)) return shared;
  const auto signature = signature_beside(lock_file);
  const auto text = read_file(lock_file, largest_text);
  shared.lock = Lock{parse_lock(text, lock_file.string()), {}};
  shared.lock_signature = check_trusted(host, text, signature, Role::profile);
  if (shared.lock->file.has_vouches()) shared.lock->objection = vouching_objection(host, text, signature);
  if (shared.lock->file.profile != name || shared.lock->file.profile_sha256 != profile_sha256(shared.profile))
    throw Error(tr("the lock of '{}' was made of another text of that profile", name),
                tr("ask its author for a new lock: sudo cudapin lock {}", name));
  return shared;
}

void require_trusted(const SharedProfile& shared, bool is_remote) {
  using enum SignatureState;
  const auto& name = shared.profile.name;
  const auto check = [&](const SignatureReport& signature, const std::string& what) {
    const bool may_be_unknown = !is_remote && (signature.state == missing || signature.state == unknown_key);
    if (signature.state == good || may_be_unknown) return;
    throw Error(tr("{} '{}' is not accepted: {}", what, name, trust_sentence(signature)),
                signature.state == unknown_key
                    ? tr_text("sudo cudapin profile trust KEYFILE, with the signer's public key")
                    : "cudapin profile trusted");
  };
  check(shared.signature, tr_text("the profile"));
  if (!shared.lock) return;
  check(shared.lock_signature, tr_text("the lock of"));
  if (!shared.lock->objection.empty())
    throw Error(tr("the lock of '{}' vouches for packages, and may not: {}", name, shared.lock->objection),
                tr_text("sudo cudapin profile trust --vouch KEYFILE, with the signer's public key"));
}

std::string signer_text(const SignatureReport& signature) {
  if (signature.state == SignatureState::good)
    return tr("signed by {} ({}), trusted", signature.signer, signature.key);
  return trust_sentence(signature);
}

std::string shared_text(const Host& host, const SharedProfile& shared) {
  const auto& profile = shared.profile;
  auto text = tr("Profile {}: {}\n{}\n{}It pins:\n{}", profile.name, printable(profile.summary),
                 signer_text(shared.signature), lock_text_of(shared), pins_text(host, profile));
  const auto replaced = one_in_force(host, profile.name);
  if (!replaced) return text + tr_text("No profile of that name is in force here.\n");
  const auto found = differences(*replaced, profile);
  return text + (found.empty() ? tr("It comes to the same as '{}'.\n", replaced->origin)
                               : tr("Against '{}':\n{}", replaced->origin, differences_text(host, found)));
}

nlohmann::json shared_json(const Host& host, const SharedProfile& shared) {
  auto packages = nlohmann::json::object();
  for (const auto& package : shared.profile.packages) packages[package.name] = package.version.text();
  for (const auto& open : shared.profile.open) packages[open.name] = open.range.text();
  const auto replaced = one_in_force(host, shared.profile.name);
  return {{"name", shared.profile.name},
          {"signature", signature_json(shared.signature)},
          {"lock", shared.lock ? signature_json(shared.lock_signature) : nlohmann::json(nullptr)},
          {"pins", packages},
          {"replaces", replaced ? nlohmann::json(replaced->origin) : nlohmann::json(nullptr)},
          {"differences", differences_json(differences(replaced.value_or(Profile{}), shared.profile))}};
}

std::string differences_text(const Host& host, std::span<const Difference> found) {
  std::vector<Row> rows;
  for (const auto& one : found)
    rows.push_back({"  " + one.part,
                    fmt::format("{} -> {}", one.from.empty() ? tr_text("(none)") : one.from,
                                one.to.empty() ? tr_text("(none)") : one.to),
                    ""});
  return table(rows, style_of(host));
}

nlohmann::json differences_json(std::span<const Difference> found) {
  auto list = nlohmann::json::array();
  for (const auto& one : found)
    list.push_back({{"part", one.part}, {"package", one.is_package}, {"from", one.from}, {"to", one.to}});
  return list;
}

fs::path gpg_home(const Host& host) {
  if (const auto named = host.variable("GNUPGHOME"); !named.empty()) return named;
  return fs::path(host.variable("HOME")) / ".gnupg";
}

bool is_profile_file_name(const std::string& name) { return is_profile_name(name) && name != "index"; }

void require_root(const ProfileOptions& options, const Host& host) {
  if (host.privileged || options.dry_run) return;
  auto command = "sudo cudapin profile " + options.action;
  for (const auto& word : options.words) command += " " + printable(word);
  throw Error(tr_text("only root can change what this machine trusts and knows"), command);
}

void ask(const ProfileOptions& options, const Host& host, const std::string& question) {
  if (!options.noconfirm) ask(host, question, tr_text("add --noconfirm, or --dry-run to see it only"));
}

void note(const Host& host, const std::string& command, const std::string& why) {
  const auto state = read_state(host);
  const auto profile = state ? state->profile : "";
  append_history(host, {.time = timestamp(host),
                        .user = acting_user(host),
                        .command = "profile " + command,
                        .from = profile,
                        .to = profile,
                        .changes = {},
                        .result = "done",
                        .why = why});
}

ExitStatus profile(const ProfileOptions& options, const Host& host) {
  const auto act = std::ranges::find(acts, options.action, &std::pair<std::string_view, Act>::first);
  return act->second(options, host);
}

}  // namespace cudapin
