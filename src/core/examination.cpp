// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/examination.hpp"

#include "core/compatibility_data.hpp"
#include "core/text.hpp"
#include "core/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace cudapin {

namespace {

std::vector<int> numbers_in(std::string_view text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < text.size();) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error == std::errc{} && number >= 0) {
      numbers.push_back(number);
      at = static_cast<std::size_t>(end - text.data());
    } else {
      ++at;
    }
  }
  return numbers;
}

/// The names that PyTorch takes in its list.
std::vector<int> architectures_of_name(std::string_view name) {
  if (name == "Kepler") return {35, 37};
  if (name == "Maxwell") return {50, 52};
  if (name == "Pascal") return {60, 61};
  if (name == "Volta") return {70};
  if (name == "Turing") return {75};
  if (name == "Ampere") return {80, 86};
  if (name == "Ada") return {89};
  if (name == "Hopper") return {90};
  if (name == "Blackwell") return {100, 120};
  return {};
}

/// "8.6" is 86 and so is "86"; "sm_86" and "compute_90a" too.
int architecture_of(std::string_view word) {
  for (const std::string_view prefix : {"compute_", "sm_", "lto_"})
    if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  const auto numbers = numbers_in(word);
  if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) == 0) return 0;
  const bool dotted = word.find('.') != word.npos && numbers.size() >= 2;
  return dotted ? numbers[0] * 10 + numbers[1] : numbers[0] >= 10 ? numbers[0] : 0;
}

}  // namespace

const Package* Examination::package(std::string_view name) const {
  const auto found = std::ranges::find(packages, name, &Package::name);
  return found == packages.end() ? nullptr : &*found;
}

std::string Examination::variable(const std::string& name) const {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string{} : found->second;
}

std::vector<int> Examination::gcc_majors() const {
  std::vector<int> majors;
  for (const auto& compiler : compilers) majors.push_back(compiler.major);
  if (majors.empty() && default_gcc != 0) majors.push_back(default_gcc);
  return majors;
}

Circumstances circumstances_of(const Examination& found) {
  const auto* toolkit = found.toolkit();
  return {.gpus = found.gpus,
          .driver = found.driver(),
          .toolkit = toolkit ? toolkit->version : "",
          .cudnn = found.cudnn,
          .glibc = toolkit && toolkit->takes_new_glibc ? "" : found.glibc,
          .host_gcc = found.gcc_majors()};
}

bool same_driver(std::string_view one, std::string_view other) {
  if (compare_versions(one, other) == 0) return true;
  const auto is_cut_off = [](std::string_view cut, std::string_view whole) {
    return std::ranges::count(cut, '.') == 1 && whole.starts_with(cut) && whole.substr(cut.size(), 1) == ".";
  };
  return is_cut_off(one, other) || is_cut_off(other, one);
}

std::string cudnn_version(std::string_view text) {
  const auto numbers = numbers_in(text);
  if (numbers.size() >= 3) return fmt::format("{}.{}.{}", numbers[0], numbers[1], numbers[2]);
  if (numbers.size() != 1) return {};
  const int number = numbers[0];
  if (number >= 90000) return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
  if (number < 1000 || number > 9999) return {};
  return fmt::format("{}.{}.{}", number / 1000, number / 100 % 10, number % 100);
}

std::vector<int> architectures_in(std::string_view list) {
  std::vector<int> architectures;
  const auto add = [&](int sm) {
    if (sm > 0 && std::ranges::find(architectures, sm) == architectures.end()) architectures.push_back(sm);
  };
  for (const auto& entry : split(list, " ;,")) {
    const auto word = std::string_view(entry).substr(0, entry.find_first_of("+-"));
    for (const int sm : architectures_of_name(word)) add(sm);
    add(architecture_of(word));
  }
  std::ranges::sort(architectures);
  return architectures;
}

}  // namespace cudapin
