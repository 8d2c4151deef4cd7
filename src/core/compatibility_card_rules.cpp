// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility_rules.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin::rules {

using enum Severity;

namespace {

/// The newest architecture of the toolkit whose code runs on the card, or null.
const tables::BinaryCode* running_code(const tables::Toolkit& toolkit, int sm) {
  const tables::BinaryCode* best = nullptr;
  for (const int architecture : toolkit.architectures)
    if (const auto* code = tables::find_binary_code(architecture, sm)) best = code;
  return best;
}

Finding dropped_by_toolkit(const tables::Toolkit& toolkit, const Card& card, std::string evidence) {
  const auto last = card.capability.last_cuda;
  return {error,
          tr("CUDA {} no longer compiles for the {} (sm_{}); the last toolkit that does is {}",
             tables::series(toolkit.version), card.gpu.name, card.sm, last),
          std::move(evidence), tr("use CUDA {} or older", last)};
}

Finding runs_older_code(const tables::Toolkit& toolkit, const Card& card, const tables::BinaryCode& code,
                        std::string evidence) {
  const auto first = card.capability.first_cuda;
  return {warning,
          tr("CUDA {} {}runs sm_{} code on the {} but cannot compile compute_{}; the first toolkit that does "
             "is {}",
             tables::series(toolkit.version),
             hedge(code.uncertain || tables::names(card.capability.uncertain, "row")), code.sm, card.gpu.name,
             card.sm, first),
          std::move(evidence), tr("compile with -arch=sm_{}, or use CUDA {} or newer", code.sm, first)};
}

Finding driver_too_old(Severity severity, std::string_view how, std::string_view driver, const Card& card,
                       std::string_view first) {
  return {severity,
          tr("driver {} {} for the {}; the first driver that {} is {}", driver, how, card.gpu.name,
             severity == note ? tr_text("surely knows it") : tr_text("knows it"), first),
          tr("{}, first driver {}", card.evidence(), first), tr("use driver {} or newer", first)};
}

/// The least driver that knows the product, in the branch of `driver`.
std::string_view first_driver_in_branch(const tables::Product& product, int branch) {
  const auto later = tables::value_of(product.later, std::to_string(branch));
  return later.empty() ? product.first_driver : later;
}

Finding branch_without_card(std::string_view driver, const Card& card) {
  return {warning,
          tr("driver {} probably does not know the {}; driver {} does", driver, card.gpu.name,
             card.product->first_driver),
          tr("{}, first driver {}, but not in branch {}", card.evidence(), card.product->first_driver,
             tables::major(driver)),
          tr_text("use a driver of another branch")};
}

Findings driver_knows_product(std::string_view driver, const Card& card) {
  const auto& product = *card.product;
  const int branch = tables::major(driver);
  const auto first = first_driver_in_branch(product, branch);
  const bool young = older(driver, first);
  if (!young && tables::names(product.without, std::to_string(branch)))
    return {branch_without_card(driver, card)};
  if (!young) return {};
  if (product.source == tables::Source::upper_bound)
    return {driver_too_old(note, tr_text("may be too old"), driver, card, first)};
  const bool exact = product.source == tables::Source::changelog && branch == tables::major(first) &&
                     !(first != product.first_driver && tables::names(product.uncertain, "later"));
  return {driver_too_old(exact ? error : warning,
                         exact ? tr_text("is too old") : tr_text("is probably too old"), driver, card,
                         first)};
}

}  // namespace

std::string Card::evidence() const {
  return tr("{}{}capability {}", gpu.pci_id, gpu.pci_id.empty() ? "" : ": ", gpu.capability);
}

std::optional<Card> card_of(const Gpu& gpu) {
  const auto* capability = tables::find_capability(tables::sm(gpu.capability));
  if (!capability) return std::nullopt;
  const auto colon = gpu.pci_id.find(':');
  const auto* product = colon == gpu.pci_id.npos
                            ? nullptr
                            : tables::find_product(std::string_view(gpu.pci_id).substr(colon + 1));
  return Card{gpu, capability->sm, *capability, product};
}

Findings card_is_known(const Gpu& gpu) {
  return {{warning, tr("{} is in no table, so nothing is known of what fits it", gpu.name),
           tr("{} at {}", gpu.pci_id, gpu.address.empty() ? tr_text("an address not given") : gpu.address),
           tr_text("name its kind, for example --gpu 8.6")}};
}

Findings some_card_is_known(const std::vector<Gpu>& gpus) {
  if (!gpus.empty()) return {};
  return {{note, tr_text("no NVIDIA card is known here, so nothing is said about cards"),
           tr_text("PCI devices of this machine"), tr_text("--gpu 8.6 names one")}};
}

Findings toolkit_has_code(const tables::Toolkit& toolkit, const Card& card) {
  const auto& architectures = toolkit.architectures;
  if (std::ranges::find(architectures, card.sm) != architectures.end()) return {};
  const auto evidence = tr("CUDA {}: sm_{} to sm_{}; {}", toolkit.version, architectures.front(),
                           architectures.back(), card.evidence());
  if (card.sm < architectures.front()) return {dropped_by_toolkit(toolkit, card, evidence)};
  if (const auto* code = running_code(toolkit, card.sm))
    return {runs_older_code(toolkit, card, *code, evidence)};
  const auto first = card.capability.first_cuda;
  return {{error,
           tr("CUDA {} {}has no code for the {} (sm_{}); the first toolkit that has it is {}",
              tables::series(toolkit.version), hedge(tables::names(card.capability.uncertain, "first_cuda")),
              card.gpu.name, card.sm, first),
           evidence, tr("use CUDA {} or newer", first)}};
}

Findings driver_keeps_card(std::string_view driver, const Card& card) {
  const auto& generation = *tables::find_generation(card.capability.generation);
  if (generation.last_branch == 0 || tables::major(driver) <= generation.last_branch) return {};
  return {{error,
           tr("driver {} no longer drives the {}; the last branch that does is {}", driver, card.gpu.name,
              generation.last_branch),
           tr("{}, {}; its last driver is {}", card.evidence(), generation.id, generation.last_driver),
           tr("use driver {} ({} of the AUR), or a profile that brings one: cudapin suggest",
              generation.last_driver, generation.legacy_package)}};
}

Findings driver_knows_card(std::string_view driver, const Card& card) {
  const auto first = card.capability.first_driver;
  if (!older(driver, first)) return card.product ? driver_knows_product(driver, card) : Findings{};
  const bool uncertain = tables::names(card.capability.uncertain, "first_driver");
  return {driver_too_old(error, uncertain ? tr_text("is probably too old") : tr_text("is too old"), driver,
                         card, card.product ? card.product->first_driver : first)};
}

}  // namespace cudapin::rules
