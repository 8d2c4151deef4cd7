// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/explanation_rules.hpp"
#include "core/frameworks.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <algorithm>

namespace cudapin::explanations {

using fmt::format;
using enum Severity;

namespace {

std::string build_name(const tables::FrameworkBuild& build) {
  return format("{} {}{}{}", build.framework, build.version, build.tag.empty() ? "" : "+", build.tag);
}

std::string either(const std::string& text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : text;
}

/// The newest build of a framework that runs on every card here, and on its driver.
const tables::FrameworkBuild* newest_build(const Examination& found, std::string_view framework) {
  const tables::FrameworkBuild* best = nullptr;
  for (const auto& build : tables::framework_builds()) {
    const bool runs =
        build.framework == framework && std::ranges::all_of(found.gpus, [&](const Gpu& gpu) {
          const int sm = tables::sm(gpu.capability);
          return sm == 0 || reach(build, sm) == Reach::compiled || reach(build, sm) == Reach::compatible;
        });
    const auto most = highest_cuda(found.driver());
    const bool served = most.empty() || tables::major(build.cuda) <= tables::major(most);
    if (runs && served) best = &build;
  }
  return best;
}

std::string torch_remedy(const Examination& found) {
  const auto* build = found.gpus.empty() ? nullptr : newest_build(found, "torch");
  if (!build) return tr_text("install a build that lists the card: cudapin doctor --env DIR");
  return format("pip install torch=={} --index-url https://download.pytorch.org/whl/{}", build->version,
                build->tag);
}

Finding no_code_for_card(const KnownMessage& message, const Examination& found) {
  const auto list = architectures_in(message.words.empty() ? "" : message.words.back());
  const bool names_card =
      message.error->id == "torch_cc_list" || message.error->id == "torch_sm_incompatible";
  if (names_card && !list.empty() && !found.gpus.empty() && !has_card(found, list[0]))
    return {error,
            tr("the program was built without code for capability {}, which no card here has",
               tables::capability_text(list[0])),
            cards(found),
            tr_text("run cudapin doctor --explain on the machine that printed it, or add --gpu")};
  return {error,
          tr("the program was built without code for {}: for older cards only, or no longer for this one",
             cards(found)),
          format("{}; {}", cards(found), toolkit(found)),
          names_card ? torch_remedy(found)
                     : tr("build it with CMAKE_CUDA_ARCHITECTURES=\"{}\", or {}",
                          architecture_list(found, nullptr), torch_remedy(found))};
}

Finding damaged_code(const KnownMessage&, const Examination& found) {
  return {error, tr_text("the code in the program is damaged or was made for another family of cards"),
          cards(found),
          tr("build it anew with CMAKE_CUDA_ARCHITECTURES=\"{}\"", architecture_list(found, nullptr))};
}

/// "11010" is CUDA 11.1.
std::string series_of_number(const std::string& number) {
  if (number.size() < 4 || number.find_first_not_of("0123456789") != number.npos) return number;
  return format("{}.{}", number.substr(0, number.size() - 3),
                number.substr(number.size() - 3, 2) == "00"
                    ? "0"
                    : std::to_string(std::stoi(number.substr(number.size() - 3)) / 10));
}

Finding card_needs_newer_cuda(const KnownMessage& message, const Examination& found) {
  return {error,
          tr("the framework was built with a CUDA older than {}, which the card needs",
             series_of_number(word(message))),
          cards(found), torch_remedy(found)};
}

Finding torch_driver_too_old(const KnownMessage& message, const Examination& found) {
  const auto offered = series_of_number(word(message));
  const auto most = highest_cuda(found.driver());
  const bool other = !most.empty() && most != offered;
  return {error,
          tr("the framework brings a newer CUDA than the driver runs: the driver offered {}{}", offered,
             other ? tr(", and {} here offers {}", driver(found), most) : ""),
          format("{}; {}", driver(found), cards(found)), torch_remedy(found)};
}

Finding built_without_gpu(const KnownMessage&, const Examination& found) {
  return {
      error,
      tr_text("this build of the framework is for processors only; driver and toolkit have no part in it"),
      cards(found), torch_remedy(found)};
}

Finding extension_of_other_cuda(const KnownMessage& message, const Examination& found) {
  const auto compiler = word(message, 0);
  const auto built = word(message, 1);
  return {error,
          tr("the compiler that the build found is CUDA {}, and the framework was built with {}",
             either(compiler, tr_text("of another version")), either(built, tr_text("another"))),
          format("{}; CUDA_HOME={}", toolkit(found), found.variable("CUDA_HOME")),
          built.empty() ? "cudapin doctor --env DIR"
                        : toolkit_remedy(found, tables::series(built), tables::series(built))};
}

Finding apex_refuses(const KnownMessage& message, const Examination& found) {
  const auto built = std::string(tables::series(word(message)));
  const auto* here = found.toolkit();
  const auto* pair = matching_pair(found, "torch", "1.7.0");
  const auto* row = tables::find_toolkit(built);
  const bool compiles =
      row && std::ranges::all_of(found.gpus, [&](const Gpu& gpu) {
        return std::ranges::find(row->architectures, tables::sm(gpu.capability)) != row->architectures.end();
      });
  std::string remedy = compiles ? toolkit_remedy(found, built, built) : "";
  if (!compiles && pair)
    remedy = tr("install the matching pair: {} with CUDA {}", build_name(*pair), pair->cuda);
  return {error,
          tr("apex wants the compiler's CUDA to equal the framework's: the compiler is {}, the framework "
             "was built "
             "with {}{}",
             here ? std::string(tables::series(here->version)) : tr_text("another"),
             either(built, tr_text("another")),
             row && !compiles && !found.gpus.empty()
                 ? tr(", and CUDA {} does not compile for {}", built, cards(found))
                 : ""),
          format("{}; {}", toolkit(found), cards(found)), either(remedy, "cudapin doctor --env DIR")};
}

Finding no_compiler(const KnownMessage&, const Examination& found) {
  for (const auto& seen : found.toolkits)
    if (seen.has_compiler)
      return {error, tr("the build did not find the compiler, and there is one in {}", seen.folder),
              format("CUDA_HOME={}", found.variable("CUDA_HOME")),
              format("export CUDA_HOME={0} PATH={0}/bin:$PATH", seen.folder)};
  return {error, tr_text("only the runtime of CUDA is here, and the build needs its compiler"),
          toolkit(found),
          tr_text("pin the toolkit that the framework was built with: cudapin doctor --env DIR")};
}

/// CUDA series or major that a soname stands for.
std::string series_of_library(const std::string& library, const std::string& soname) {
  if (library.find("cudnn") != std::string::npos) return "cuDNN " + soname;
  return soname == "11.0" ? "CUDA 11" : "CUDA " + soname;
}

/// A profile of that CUDA major, or in words.
std::string major_remedy(const Examination& found, int major) {
  auto remedy = toolkit_remedy(found, format("{}.0", major), format("{}.99", major));
  return remedy.find("cudapin use") == std::string::npos ? tr("use CUDA {}", major) : remedy;
}

Finding library_missing(const KnownMessage& message, const Examination& found) {
  const bool named = message.words.size() > 1;
  const auto library = named ? message.words[0] : message.quote.substr(0, message.quote.find(".so"));
  const auto soname = word(message, named ? 1 : 0);
  const auto wanted = series_of_library(library, soname);
  const bool is_cudnn = library.find("cudnn") != std::string::npos;
  const int major = tables::major(soname);
  const auto here = is_cudnn ? either(found.cudnn, tr_text("no cuDNN")) : toolkit(found);
  const int here_major = tables::major(is_cudnn          ? found.cudnn
                                       : found.toolkit() ? found.toolkit()->version
                                                         : "");
  if (here_major == major && major != 0)
    return {error, tr("{} is here, but the program does not look where it is", wanted),
            format("{}; LD_LIBRARY_PATH={}", here, found.variable("LD_LIBRARY_PATH")), "sudo ldconfig"};
  return {error, tr("the program was linked with {}, and here is {}", wanted, here),
          tr("{}.so.{} is missing", library, soname),
          is_cudnn ? tr("use a profile with cuDNN {}: cudapin list", major) : major_remedy(found, major)};
}

Finding cudnn_older_than_built(const KnownMessage& message, const Examination& found) {
  const auto loaded = either(cudnn_version(word(message, 0)), word(message, 0));
  const auto built = either(cudnn_version(word(message, 1)), word(message, 1));
  for (const auto& library : found.libraries)
    if (library.path.find("libcudnn") != std::string::npos)
      return {error,
              tr("LD_LIBRARY_PATH brings another cuDNN than the system's: cuDNN {} was loaded, and the "
                 "program was "
                 "built with {}",
                 loaded, built),
              format("{}: {}", library.path, either(library.version, tr_text("unknown"))),
              "unset LD_LIBRARY_PATH"};
  return {error, tr("cuDNN {} was loaded, and the program was built with {}", loaded, built),
          tr("cuDNN here: {}", either(found.cudnn, tr_text("none"))),
          tr("use cuDNN {} or newer of the same major number: cudapin list", built)};
}

Finding libraries_missing(const KnownMessage&, const Examination& found) {
  return {error,
          tr_text("a library of the pair that the framework was built for is missing, so it computes on the "
                  "processor"),
          format("{}; cuDNN {}", toolkit(found), either(found.cudnn, tr_text("none"))),
          tr_text("read the lines above it, they name the library")};
}

Finding cudnn_has_no_code(const KnownMessage&, const Examination& found) {
  const auto* cudnn = tables::find_cudnn(found.cudnn);
  for (const auto& gpu : found.gpus)
    if (const auto card = rules::card_of(gpu); card && cudnn)
      if (auto findings =
              rules::cudnn_has_code(*cudnn, found.toolkit() ? found.toolkit()->version : "", *card);
          !findings.empty())
        return findings.front();
  return {
      error,
      found.cudnn.empty()
          ? tr_text("the cuDNN that the program carries has no code for the card; the system has none")
          : tr("cuDNN has no code for the card; cuDNN {} here has it for {}, so the program carries another",
               found.cudnn, cards(found)),
      cards(found), "cudapin doctor --env DIR"};
}

Finding cudnn_parts_differ(const KnownMessage&, const Examination& found) {
  std::vector<std::string> places;
  for (const auto& library : found.libraries) places.push_back(library.path);
  return {error,
          places.empty()
              ? tr("parts of two cuDNN versions were loaded: {} and one that the program brings",
                   found.cudnn.empty() ? tr_text("one of the system") : tr("the system's {}", found.cudnn))
              : tr_text("parts of two cuDNN versions were loaded, and LD_LIBRARY_PATH names one of them"),
          places.empty() ? tr("cuDNN here: {}", either(found.cudnn, tr_text("none"))) : join(places, ", "),
          places.empty() ? tr_text("keep one: cudapin doctor --env DIR") : "unset LD_LIBRARY_PATH"};
}

Finding cudnn_did_not_start(const KnownMessage&, const Examination& found) {
  const auto* row = found.toolkit() ? tables::find_toolkit(found.toolkit()->version) : nullptr;
  const bool old = row && !found.driver().empty() && rules::older(found.driver(), row->driver);
  return {
      error,
      old ? tr("cuDNN did not start; {} is older than {} wants", driver(found), toolkit(found))
          : tr_text("cuDNN did not start: most often the card has no memory left"),
      tr("{}; cuDNN {}; {} at work", driver(found), either(found.cudnn, tr_text("none")), found.work.size()),
      found.work.empty() ? "nvidia-smi" : "cudapin status"};
}

constexpr Row rows[] = {
    {"cuda_209", no_code_for_card},
    {"cuda_98", no_code_for_card},
    {"cuda_200", damaged_code},
    {"torch_cc_list", no_code_for_card},
    {"torch_sm_incompatible", no_code_for_card},
    {"torch_requires_cuda", card_needs_newer_cuda},
    {"torch_old_driver", torch_driver_too_old},
    {"torch_cpu_wheel", built_without_gpu},
    {"torch_ext_mismatch", extension_of_other_cuda},
    {"apex_mismatch", apex_refuses},
    {"apex_no_nvcc", no_compiler},
    {"tf_dlopen_cudnn", library_missing},
    {"tf_cudnn_runtime", cudnn_older_than_built},
    {"tf_dlopen_gpu", libraries_missing},
    {"loader_cudart", library_missing},
    {"cudnn_arch", cudnn_has_no_code},
    {"cudnn_version", cudnn_parts_differ},
    {"cudnn_init", cudnn_did_not_start},
};

}  // namespace

std::span<const Row> program_rows() { return rows; }

}  // namespace cudapin::explanations
