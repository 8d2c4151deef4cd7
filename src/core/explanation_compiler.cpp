// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explanation_rules.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>
#include <charconv>

namespace cudapin::explanations {

using fmt::format;
using enum Severity;

namespace {

const tables::Toolkit* row_of(const Examination& found) {
  return found.toolkit() ? tables::find_toolkit(found.toolkit()->version) : nullptr;
}

std::string evidence(const Examination& found) { return format("{}; {}", toolkit(found), cards(found)); }

int number(const std::string& text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The message names an architecture that no card here has.
Finding not_needed(int sm, const Examination& found, const tables::Toolkit* row, std::string_view why) {
  const auto list = architecture_list(found, row);
  return {error, tr("the build asks for sm_{}, which {}; no card here needs it", sm, why), evidence(found),
          tr("build for the cards that are here: CMAKE_CUDA_ARCHITECTURES=\"{}\"", list)};
}

Finding dropped(int sm, const Examination& found, const tables::Toolkit& row, std::string_view last) {
  const auto why = tr("CUDA {} no longer compiles for", tables::series(row.version));
  if (!found.gpus.empty() && !has_card(found, sm)) return not_needed(sm, found, &row, why);
  return {error, tr("{} sm_{}; the last toolkit that does is {}", why, sm, last), evidence(found),
          toolkit_remedy(found, "", last)};
}

Finding too_new(int sm, const Examination& found, const tables::Toolkit& row, std::string_view first) {
  const auto why = tr("CUDA {} does not know yet", tables::series(row.version));
  if (!found.gpus.empty() && !has_card(found, sm)) return not_needed(sm, found, &row, why);
  const auto list = architecture_list(found, &row);
  const auto now = list.empty() ? "" : tr(", or build for sm_{}, whose code runs on it", list);
  return {error, tr("{} sm_{}; the first toolkit that does is {}", why, sm, first), evidence(found),
          toolkit_remedy(found, first, tables::find_capability(sm)->last_cuda) + now};
}

Finding other_compiler(int sm, const Examination& found) {
  std::vector<std::string> others;
  for (const auto& seen : found.toolkits)
    if (seen.has_compiler) others.push_back(tr("{} in {}", seen.version, seen.folder));
  return {error,
          tr("{} compiles for sm_{}, so another compiler printed this: an older one comes first where it was "
             "printed",
             toolkit(found), sm),
          tr("compilers here: {}", others.empty() ? tr_text("none") : join(others, ", ")),
          tr("CUDA_HOME={0} PATH={0}/bin:$PATH", found.toolkit()->folder)};
}

Finding unsupported_architecture(const KnownMessage& message, const Examination& found) {
  const auto list = architectures_in(word(message));
  const int sm = list.empty() ? 0 : list[0];
  const auto* capability = tables::find_capability(sm);
  if (!capability)
    return {error, tr("'{}' is no architecture that any CUDA has", word(message)), evidence(found),
            format("CMAKE_CUDA_ARCHITECTURES=\"{}\"", architecture_list(found, row_of(found)))};
  const auto* row = row_of(found);
  if (!row)
    return {error,
            tr("the compiler that printed this has no code for sm_{}: CUDA {} is the first that does, {} "
               "the last",
               sm, capability->first_cuda,
               capability->last_cuda.empty() ? tr_text("none yet") : capability->last_cuda),
            evidence(found), toolkit_remedy(found, capability->first_cuda, capability->last_cuda)};
  if (std::ranges::find(row->architectures, sm) != row->architectures.end()) return other_compiler(sm, found);
  if (!capability->last_cuda.empty() && rules::older(capability->last_cuda, tables::series(row->version)))
    return dropped(sm, found, *row, capability->last_cuda);
  return too_new(sm, found, *row, capability->first_cuda);
}

/// nvcc takes the option with one dash only, and says so before it looks at the architecture.
Finding architecture_value(const KnownMessage& message, const Examination& found) {
  if (message.quote.find("Unknown option") == std::string::npos)
    return unsupported_architecture(message, found);
  const auto list = architectures_in(word(message));
  const auto* row = row_of(found);
  const bool compiles =
      row && !list.empty() && std::ranges::find(row->architectures, list[0]) != row->architectures.end();
  if (compiles)
    return {error,
            tr("the compiler knows this option with one dash only, and does compile for {}", word(message)),
            evidence(found), format("nvcc -arch={}", word(message))};
  auto finding = unsupported_architecture(message, found);
  finding.what = tr("the compiler knows this option with one dash only; besides, {}", finding.what);
  return finding;
}

Finding assembler_too_old(const KnownMessage& message, const Examination& found) {
  auto finding = unsupported_architecture(message, found);
  finding.what =
      tr("the assembler that ran is older than the compiler that called it and has no {}: two "
         "toolkits are mixed",
         word(message));
  const auto* seen = found.toolkit();
  if (seen && finding.remedy.find("cudapin use") == std::string::npos)
    finding.remedy = tr("let one toolkit come first: PATH={}/bin:$PATH", seen->folder);
  return finding;
}

Finding deprecated(const KnownMessage&, const Examination& found) {
  std::vector<std::string> old;
  for (const auto& gpu : found.gpus)
    if (const auto last = last_toolkit(gpu.capability); !last.empty())
      old.push_back(tr("{} (up to CUDA {})", gpu.name, last));
  if (old.empty())
    return {note,
            tr_text("a warning about old cards that a later toolkit drops; no card here is one of them"),
            evidence(found), tr_text("leave it, or give nvcc -Wno-deprecated-gpu-targets")};
  return {
      warning, tr("a later toolkit drops these cards: {}", join(old, ", ")), evidence(found),
      tr("keep the toolkit pinned: {}", toolkit_remedy(found, "", last_toolkit(found.gpus[0].capability)))};
}

/// The newest compiler here of at most `most`, or null.
const Compiler* compiler_up_to(const Examination& found, int most) {
  const Compiler* best = nullptr;
  for (const auto& compiler : found.compilers)
    if (compiler.major <= most && (!best || compiler.major > best->major)) best = &compiler;
  return best;
}

std::string compiler_remedy(const Examination& found, int most) {
  if (const auto* compiler = compiler_up_to(found, most))
    return format("export NVCC_CCBIN={0} CUDAHOSTCXX={0}", compiler->path);
  return tr("install gcc{0} and export NVCC_CCBIN=/usr/bin/g++-{0}", most);
}

Finding gcc_too_new(const KnownMessage& message, const Examination& found) {
  const int most = number(word(message));
  const auto* compiler = compiler_up_to(found, most);
  const auto here =
      found.default_gcc == 0 ? std::string(tr_text("an unknown gcc")) : format("gcc {}", found.default_gcc);
  const auto set = found.variable("NVCC_CCBIN");
  return {error,
          tr("the compiler takes gcc up to {}, and the default here is {}{}", most, here,
             compiler ? tr("; gcc {} is installed, but was not used", compiler->major)
                      : tr_text("; no older one is installed")),
          format("{}; NVCC_CCBIN {}", toolkit(found),
                 set.empty() ? tr_text("is not set in this shell") : tr("is {}", set)),
          compiler_remedy(found, most)};
}

Finding clang_too_new(const KnownMessage& message, const Examination& found) {
  const int most = number(word(message)) - 1;
  return {error,
          tr("the compiler takes clang up to {}, and {}", most,
             found.clang.empty() ? tr_text("a newer one was used") : tr("clang here is {}", found.clang)),
          toolkit(found), compiler_remedy(found, row_of(found) ? row_of(found)->gcc_max : most)};
}

/// First toolkit in the table whose headers go with this glibc.
std::string_view first_toolkit_for_glibc(std::string_view glibc) {
  for (const auto& row : tables::toolkits())
    if (row.glibc_max.empty() || !rules::older(row.glibc_max, glibc)) return tables::series(row.version);
  return {};
}

std::string glibc_remedy(const Examination& found, std::string_view glibc, const tables::Toolkit* row) {
  const auto first = first_toolkit_for_glibc(glibc);
  const auto container = tr("build in a container with glibc {} or older",
                            row && !row->glibc_max.empty() ? row->glibc_max : "2.40");
  const bool card_goes_along = std::ranges::none_of(found.gpus, [&](const Gpu& gpu) {
    const auto last = last_toolkit(gpu.capability);
    return !last.empty() && rules::older(last, first);
  });
  if (first.empty() || !card_goes_along)
    return container + (found.gpus.empty()
                            ? ""
                            : tr("; no toolkit for the {} goes with glibc {}", found.gpus[0].name, glibc));
  return tr("use CUDA {} or newer, or {}", first, container);
}

Finding glibc_too_new(const KnownMessage& message, const Examination& found) {
  const auto glibc = std::string(tables::series(found.glibc));
  const auto* row = row_of(found);
  const auto function = word(message);
  const auto about =
      format("{}; glibc {}", toolkit(found), found.glibc.empty() ? tr_text("unknown") : found.glibc);
  const bool fits = row && !glibc.empty() && (row->glibc_max.empty() || !rules::older(row->glibc_max, glibc));
  if (fits)
    return {error,
            tr("glibc declares {} in a way the toolkit's headers contradict; glibc {} and CUDA {} here "
               "do not, so "
               "this comes from another machine or another toolkit",
               function.empty() ? tr_text("a function") : function, glibc, tables::series(row->version)),
            about, tr_text("run cudapin doctor where it was built")};
  return {
      error,
      tr("glibc {} is newer than the headers of {} take: both declare {}, and differently; another gcc does "
         "not help",
         glibc.empty() ? tr_text("here") : glibc,
         row ? format("CUDA {}", tables::series(row->version)) : tr_text("this CUDA"),
         function.empty() ? tr_text("the same function") : function),
      about, glibc_remedy(found, glibc.empty() ? "2.43" : glibc, row)};
}

Finding headers_of_gcc(const KnownMessage&, const Examination& found) {
  return {error,
          tr("CUDA up to 11.5 does not understand the headers of gcc 11 and newer, though it lets gcc 11 "
             "pass; the "
             "default here is gcc {}",
             found.default_gcc == 0 ? tr_text("unknown") : std::to_string(found.default_gcc)),
          evidence(found), compiler_remedy(found, 10)};
}

Finding compiler_not_identified(const KnownMessage&, const Examination& found) {
  return {
      error,
      tr_text(
          "the compiler failed on an empty program; the real message stands further down in the same log"),
      evidence(found),
      tr("read the lines under it, and name the cards: -DCMAKE_CUDA_ARCHITECTURES=\"{}\"",
         architecture_list(found, row_of(found)))};
}

Finding installer_refuses_gcc(const KnownMessage&, const Examination& found) {
  return {error,
          tr("NVIDIA's installer refuses gcc {}, which is newer than its toolkit takes",
             found.default_gcc == 0 ? tr_text("here") : std::to_string(found.default_gcc)),
          evidence(found),
          toolkit_remedy(found, "", found.gpus.empty() ? "" : last_toolkit(found.gpus[0].capability))};
}

constexpr Row rows[] = {
    {"nvcc_unsupported_arch", unsupported_architecture},
    {"nvcc_arch_value", architecture_value},
    {"ptxas_arch_value", assembler_too_old},
    {"nvcc_deprecated_arch", deprecated},
    {"nvcc_deprecated_offline", deprecated},
    {"gcc_too_new", gcc_too_new},
    {"clang_too_new", clang_too_new},
    {"glibc_math_noexcept", glibc_too_new},
    {"glibc_math_noexcept_clang", glibc_too_new},
    {"libstdcxx_parameter_packs", headers_of_gcc},
    {"glibc_malloc_attr", headers_of_gcc},
    {"cmake_compiler_id", compiler_not_identified},
    {"runfile_gcc", installer_refuses_gcc},
};

}  // namespace

std::span<const Row> compiler_rows() { return rows; }

}  // namespace cudapin::explanations
