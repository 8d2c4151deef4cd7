// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis_rules.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace cudapin::diagnosis {

using fmt::format;
using enum Severity;

namespace {

const tables::Toolkit* row_of(const Examination& found) {
  return found.toolkit() ? tables::find_toolkit(found.toolkit()->version) : nullptr;
}

std::string place(const ToolkitSeen& toolkit) {
  return toolkit.through.empty() ? toolkit.folder : tr("{} (by {})", toolkit.folder, toolkit.through);
}

void place_evidence(Findings& findings, const ToolkitSeen& toolkit) {
  for (auto& finding : findings) finding.evidence = format("{}: {}", place(toolkit), finding.evidence);
}

Findings toolkit_is_known(const Examination& found) {
  const auto* toolkit = found.toolkit();
  if (!toolkit) return {};
  if (toolkit->version.empty())
    return {{warning, tr("the toolkit in {} does not tell its version", toolkit->folder), place(*toolkit),
             "sudo pacman -S cuda"}};
  auto findings = rules::toolkit_is_known(toolkit->version);
  place_evidence(findings, *toolkit);
  return findings;
}

Findings cards_have_code(const Examination& found) {
  Findings findings;
  const auto* row = row_of(found);
  for (const auto& gpu : found.gpus)
    if (const auto card = rules::card_of(gpu); card && row)
      for (auto& finding : rules::toolkit_has_code(*row, *card)) findings.push_back(std::move(finding));
  if (found.toolkit()) place_evidence(findings, *found.toolkit());
  return findings;
}

Findings driver_serves(const Examination& found) {
  const auto* row = row_of(found);
  if (!row || tables::major(found.driver()) == 0) return {};
  auto findings = rules::driver_serves_toolkit(found.driver(), *row);
  place_evidence(findings, *found.toolkit());
  return findings;
}

Findings cudnn_fits(const Examination& found) {
  auto findings = rules::cudnn_is_known(found.cudnn);
  const auto* cudnn = tables::find_cudnn(found.cudnn);
  if (!cudnn) return findings;
  const auto* row = row_of(found);
  const auto cuda = row ? row->version : std::string_view{};
  const auto add = [&](Findings more) {
    for (auto& finding : more) findings.push_back(std::move(finding));
  };
  if (row) add(rules::cudnn_fits_toolkit(*cudnn, cuda));
  for (const auto& gpu : found.gpus)
    if (const auto card = rules::card_of(gpu)) add(rules::cudnn_has_code(*cudnn, cuda, *card));
  return findings;
}

/// "/usr/bin/g++-13" -> 13, 0 for a name without a number.
int major_in_name(const std::string& path) {
  const auto dash = path.rfind('-');
  int number = 0;
  if (dash != path.npos && path.find('/', dash) == path.npos)
    std::from_chars(path.data() + dash + 1, path.data() + path.size(), number);
  return number;
}

std::string chosen_compiler(const Examination& found) {
  for (const auto* name : {"NVCC_CCBIN", "CUDAHOSTCXX"})
    if (auto value = found.variable(name); !value.empty()) return value;
  return found.toolkit() ? found.toolkit()->host_compiler : std::string{};
}

/// What the toolkit takes: its own header's word, unless less is known to work.
int most_gcc(const ToolkitSeen& toolkit, const tables::Toolkit* row) {
  const int practical = row ? row->gcc_practical_max : 0;
  const int said = toolkit.gcc_max != 0 ? toolkit.gcc_max : row ? row->gcc_max : 0;
  return practical != 0 && (said == 0 || practical < said) ? practical : said;
}

const Compiler* newest_up_to(const Examination& found, int most) {
  const Compiler* best = nullptr;
  for (const auto& compiler : found.compilers)
    if (compiler.major <= most && (!best || compiler.major > best->major)) best = &compiler;
  return best;
}

Findings gcc_is_accepted(const Examination& found) {
  const auto* toolkit = found.toolkit();
  if (!toolkit) return {};
  const auto* row = row_of(found);
  const int most = most_gcc(*toolkit, row);
  const auto chosen = chosen_compiler(found);
  if (most == 0 || chosen.find("clang") != chosen.npos) return {};
  const int used = major_in_name(chosen) != 0 ? major_in_name(chosen) : found.default_gcc;
  if (used <= most) return {};
  const auto evidence = tr("{}: gcc {} at most; {}", place(*toolkit), most,
                           chosen.empty() ? tr_text("NVCC_CCBIN is not set in this shell")
                                          : tr("the host compiler is {}", chosen));
  const auto cuda = tables::series(toolkit->version);
  if (const auto* compiler = newest_up_to(found, most))
    return {{warning,
             tr("CUDA {} does not take gcc {}, the one a build finds; gcc {} is installed, but not "
                "chosen in this "
                "shell",
                cuda, used, compiler->major),
             evidence, format("export NVCC_CCBIN={0} CUDAHOSTCXX={0}", compiler->path)}};
  return {{error, tr("CUDA {} does not take gcc {}, and no older one is installed", cuda, used), evidence,
           tr("install gcc{0} and export NVCC_CCBIN=/usr/bin/g++-{0}", most)}};
}

Findings clang_is_accepted(const Examination& found) {
  const auto* row = row_of(found);
  if (!row || chosen_compiler(found).find("clang") == std::string::npos || found.clang.empty()) return {};
  if (tables::major(found.clang) <= tables::major(row->clang_max)) return {};
  return {{error,
           tr("CUDA {} {}takes clang up to {}, and clang here is {}", tables::series(row->version),
              rules::hedge(tables::names(row->uncertain, "clang")), row->clang_max, found.clang),
           tr("the host compiler is {}", chosen_compiler(found)),
           tr("unset NVCC_CCBIN CUDAHOSTCXX, or install clang {}", row->clang_max)}};
}

Findings glibc_is_accepted(const Examination& found) {
  const auto* row = row_of(found);
  if (!row || found.toolkit()->takes_new_glibc) return {};
  auto findings = rules::glibc_fits(found.glibc, *row);
  place_evidence(findings, *found.toolkit());
  return findings;
}

Findings printed_is_not_installed(const Examination& found) {
  const auto printed = highest_cuda(found.driver());
  const auto* toolkit = found.toolkit();
  if (printed.empty() || found.driver_loaded.empty() || found.gpus.empty()) return {};
  const auto here = toolkit ? std::string(tables::series(toolkit->version)) : std::string{};
  if (printed == here) return {};
  return {{note,
           tr("nvidia-smi shows CUDA {}, the newest that driver {} runs; the toolkit here is {}", printed,
              found.driver(), here.empty() ? tr_text("none") : "CUDA " + here),
           toolkit ? place(*toolkit) : tr_text("/opt/cuda is missing"), ""}};
}

constexpr Rule all[] = {toolkit_is_known, cards_have_code,   driver_serves,     cudnn_fits,
                        gcc_is_accepted,  clang_is_accepted, glibc_is_accepted, printed_is_not_installed};

}  // namespace

std::span<const Rule> toolkit_rules() { return all; }

}  // namespace cudapin::diagnosis
