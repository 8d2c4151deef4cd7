// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility_rules.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cudapin::rules {

using enum Severity;

namespace {

enum class Fit { yes, untried, no };

/// How a cuDNN goes with a CUDA series. Up to 8.0 there was an archive for each series; from 8.1 on one for a
/// major, good for a range of series.
Fit fit(const tables::Cudnn& cudnn, std::string_view cuda) {
  const auto builds = split(cudnn.builds, " ");
  if (older(cudnn.version, "8.1"))
    return std::ranges::find(builds, cuda) != builds.end() ? Fit::yes : Fit::no;
  const auto same_major = [&](std::string_view version) {
    return tables::major(version) == tables::major(cuda);
  };
  if (std::ranges::none_of(builds, same_major)) return Fit::no;
  for (const auto& range : split(cudnn.supports, " ")) {
    const auto ends = split(range, "-");
    if (!same_major(range)) continue;
    return older(cuda, ends[0]) ? Fit::no : older(ends[1], cuda) ? Fit::untried : Fit::yes;
  }
  return Fit::no;
}

/// The newest cuDNN of the tables for which `holds`, in words.
template <typename Predicate>
std::string newest_cudnn(std::string_view otherwise, Predicate holds) {
  const auto rows = tables::cudnns();
  const auto found = std::find_if(rows.rbegin(), rows.rend(), holds);
  return found == rows.rend() ? std::string(otherwise) : tr("use cuDNN {}", found->version);
}

/// Least sm of a cuDNN for a CUDA major; the least of all its builds when the major is not known.
int least_sm(const tables::Cudnn& cudnn, int cuda_major) {
  int least = 0;
  for (const auto& pair : split(cudnn.least, " ")) {
    const auto colon = pair.find(':');
    const int here = tables::sm(std::string_view(pair).substr(colon + 1));
    if (pair[0] == '*' || tables::major(pair) == cuda_major) return here;
    least = least == 0 ? here : std::min(least, here);
  }
  return least;
}

}  // namespace

Findings cudnn_is_known(std::string_view version) {
  if (version.empty() || tables::find_cudnn(version)) return {};
  return {{note, tr("cuDNN {} is in no table, so nothing is known of what fits it", version),
           tr("the tables go from cuDNN {} to {}", tables::cudnns().front().version,
              tables::cudnns().back().version),
           ""}};
}

Findings cudnn_fits_toolkit(const tables::Cudnn& cudnn, std::string_view toolkit) {
  const auto cuda = tables::series(toolkit);
  const auto result = fit(cudnn, cuda);
  if (result == Fit::yes) return {};
  const auto remedy = newest_cudnn(tr("use a cuDNN built for CUDA {}", cuda),
                                   [&](const auto& row) { return fit(row, cuda) == Fit::yes; });
  const auto evidence =
      tr("cuDNN {}: builds for CUDA {}, works with {}", cudnn.version, cudnn.builds, cudnn.supports);
  if (result == Fit::untried)
    return {{warning,
             tr("CUDA {} is {}newer than what cuDNN {} was made for", cuda,
                hedge(tables::names(cudnn.uncertain, "supports")), cudnn.version),
             evidence, remedy}};
  const bool uncertain = tables::names(cudnn.uncertain, "builds_for");
  return {{uncertain ? warning : error,
           tr("cuDNN {} is {}not built for CUDA {}", cudnn.version, hedge(uncertain), cuda), evidence,
           remedy}};
}

Findings cudnn_has_code(const tables::Cudnn& cudnn, std::string_view toolkit, const Card& card) {
  const int cuda = tables::major(toolkit);
  const int least = least_sm(cudnn, cuda);
  if (card.sm >= least) return {};
  const auto good = [&](const auto& row) {
    return card.sm >= least_sm(row, cuda) &&
           (toolkit.empty() || fit(row, tables::series(toolkit)) != Fit::no);
  };
  return {{error,
           tr("cuDNN {} {}has no code for the {} (sm_{}); its least is sm_{}", cudnn.version,
              hedge(tables::names(cudnn.uncertain, "cc_min")), card.gpu.name, card.sm, least),
           tr("cuDNN {}: least capability {}; {}", cudnn.version, tables::capability_text(least),
              card.evidence()),
           newest_cudnn(tr_text("use an older cuDNN with an older CUDA"), good)}};
}

}  // namespace cudapin::rules
