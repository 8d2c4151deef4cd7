// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/signature_report.hpp"

#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cudapin {

namespace {

/// The sentence has `{}` where the signature's origin stands.
struct Words {
  SignatureState state;
  const char* word;
  const char* sentence;
};

using enum SignatureState;

constexpr std::array<Words, 10> all_words{{
    {good, tr_later("good"), tr_later("the signature {} is good")},
    {marginal, tr_later("marginal trust"),
     tr_later("the signature {} is valid, but not enough main keys certify that key")},
    {untrusted, tr_later("unknown trust"),
     tr_later("the signature {} is valid, but too few main keys certify that key")},
    {key_expired, tr_later("key expired"),
     tr_later("the signature {} is valid, but that key has expired since")},
    {signature_expired, tr_later("signature expired"), tr_later("the signature {} has expired")},
    {key_revoked, tr_later("key revoked"), tr_later("the signature {} is by a key that was revoked")},
    {key_disabled, tr_later("key disabled"),
     tr_later("the signature {} is by a key that pacman's keyring has disabled")},
    {unknown_key, tr_later("unknown key"),
     tr_later("the signature {} is by a key that pacman's keyring does not have")},
    {missing, tr_later("missing"), tr_later("there is no signature beside it")},
    {tampered, tr_later("tampered"), tr_later("it is not the file that the signature {} was made for")},
}};

const Words& words_of(SignatureState state) { return *std::ranges::find(all_words, state, &Words::state); }

}  // namespace

std::string_view word_of(SignatureState state) { return words_of(state).word; }

std::string word_text(SignatureState state) { return tr_text(words_of(state).word); }

std::optional<SignatureState> signature_state(std::string_view word) {
  const auto found =
      std::ranges::find(all_words, word, [](const Words& words) { return std::string_view(words.word); });
  return found == all_words.end() ? std::nullopt : std::optional(found->state);
}

bool matches_file(SignatureState state) { return state < unknown_key; }

bool may_be_vouched(SignatureState state) { return matches_file(state) && state != good; }

std::string day_made(const SignatureReport& report) {
  return report.made > 0 ? utc_text(report.made, "%F") : "";
}

std::string sentence_of(const SignatureReport& report) {
  const auto day = day_made(report);
  auto origin = day.empty() ? tr_text("made") : tr_text("made on ") + day;
  if (!report.signer.empty()) origin += tr_text(" by ") + report.signer;
  if (!report.fingerprint.empty()) origin += fmt::format(" ({})", report.fingerprint);
  return filled(tr_text(words_of(report.state).sentence), {origin});
}

}  // namespace cudapin
