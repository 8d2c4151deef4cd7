// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility_data.hpp"

#include "core/text.hpp"
#include "core/version.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace cudapin::tables {

namespace {

bool is_version(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == text.npos && text[0] != '.' &&
         text.back() != '.';
}

bool is_version_or_empty(std::string_view text) { return text.empty() || is_version(text); }

template <typename Rows, typename Before>
bool is_sorted_without_duplicates(Rows rows, Before before) {
  return std::adjacent_find(rows.begin(), rows.end(),
                            [&](auto& left, auto& right) { return !before(left, right); }) == rows.end();
}

bool only_names(std::string_view cells, const std::set<std::string>& allowed) {
  const auto words = split(cells, " ");
  return std::ranges::all_of(words, [&](auto& word) { return allowed.contains(word); });
}

bool has_architecture(const Toolkit& toolkit, int sm) {
  return std::ranges::find(toolkit.architectures, sm) != toolkit.architectures.end();
}

}  // namespace

TEST_CASE("tables: toolkits are sorted and their cells are well formed") {
  CHECK(toolkits().size() >= 75);
  CHECK(is_sorted_without_duplicates(
      toolkits(), [](auto& a, auto& b) { return compare_versions(a.version, b.version) < 0; }));
  for (const auto& row : toolkits()) {
    CAPTURE(row.version);
    CHECK(is_version(row.version));
    CHECK(is_version(row.driver));
    CHECK(is_version_or_empty(row.bundled_driver));
    CHECK(is_version_or_empty(row.glibc_max));
    CHECK(is_version_or_empty(row.nvcc));
    CHECK(std::ranges::is_sorted(row.architectures));
    CHECK(row.gcc_min <= row.gcc_max);
    CHECK(row.gcc_practical_max <= row.gcc_max);
    CHECK(only_names(row.uncertain,
                     {"clang", "driver", "floor", "gcc_max", "gcc_min", "glibc", "nvcc", "sm_72", "sm_107"}));
  }
}

TEST_CASE("tables: drivers and limits never shrink from one toolkit to the next") {
  const auto rows = toolkits();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    CAPTURE(rows[i].version);
    CHECK(compare_versions(rows[i - 1].driver, rows[i].driver) <= 0);
    CHECK(rows[i - 1].gcc_max <= rows[i].gcc_max);
    CHECK(rows[i - 1].gcc_min <= rows[i].gcc_min);
    if (rows[i].glibc_max.empty()) continue;
    CHECK(!rows[i - 1].glibc_max.empty());
    CHECK(compare_versions(rows[i - 1].glibc_max, rows[i].glibc_max) <= 0);
  }
}

TEST_CASE("tables: every architecture of a toolkit is a capability or Thor's first name and has a code row") {
  for (const auto& row : toolkits())
    for (const int architecture : row.architectures) {
      CAPTURE(architecture);
      CHECK((architecture == 101 || find_capability(architecture)));
      CHECK(find_binary_code(architecture, architecture));
    }
}

TEST_CASE("tables: first and last toolkit of a capability agree with the toolkits") {
  for (const auto& capability : capabilities()) {
    CAPTURE(capability.sm);
    CHECK(find_generation(capability.generation));
    CHECK(is_version(capability.first_cuda));
    CHECK(is_version_or_empty(capability.last_cuda));
    CHECK(is_version_or_empty(capability.first_driver));
    for (const auto& toolkit : toolkits()) {
      CAPTURE(toolkit.version);
      const auto here = series(toolkit.version);
      const bool begun = compare_versions(capability.first_cuda, here) <= 0;
      const bool ended = !capability.last_cuda.empty() && compare_versions(capability.last_cuda, here) < 0;
      CHECK(has_architecture(toolkit, capability.sm) == (begun && !ended));
    }
  }
}

TEST_CASE("tables: capabilities and generations are sorted and refer to each other") {
  CHECK(is_sorted_without_duplicates(capabilities(), [](auto& a, auto& b) { return a.sm < b.sm; }));
  for (const auto& generation : generations()) {
    CAPTURE(generation.id);
    CHECK(std::ranges::count(generations(), generation.id, &Generation::id) == 1);
    CHECK(std::ranges::count(capabilities(), generation.id, &Capability::generation) >= 1);
    CHECK((generation.last_branch == 0) == generation.last_driver.empty());
    CHECK((generation.last_branch == 0) == generation.legacy_package.empty());
    CHECK((generation.last_branch == 0 || major(generation.last_driver) == generation.last_branch));
  }
}

TEST_CASE("tables: binary code runs on its own capability or a later one and on its own major only") {
  for (const auto& code : binary_codes()) {
    CAPTURE(code.sm);
    CHECK(code.sm <= code.from);
    CHECK(code.from < code.below);
    CHECK((code.below - 1) / 10 == code.from / 10);
    CHECK((code.except == 0 || (code.from < code.except && code.except < code.below)));
  }
}

TEST_CASE("tables: every device id is in one chip only and the ids of a chip are sorted") {
  std::set<std::string> seen;
  std::set<std::string_view> names_seen;
  for (const auto& chip : chips()) {
    CAPTURE(chip.name);
    CHECK(names_seen.insert(chip.name).second);
    CHECK(find_capability(chip.sm));
    const auto ids = split(chip.ids, " ");
    CHECK(std::ranges::is_sorted(ids));
    CHECK(join(ids, " ") == chip.ids);
    for (const auto& id : ids) {
      CAPTURE(id);
      CHECK(find_chip(id) == &chip);
      CHECK(seen.insert(id).second);
    }
  }
  CHECK(seen.size() >= 946);
  CHECK(is_sorted_without_duplicates(
      chips(), [](auto& a, auto& b) { return std::pair(a.sm, a.name) < std::pair(b.sm, b.name); }));
}

TEST_CASE("tables: every product has a chip and a first driver that its generation allows") {
  CHECK(products().size() >= 310);
  CHECK(is_sorted_without_duplicates(products(), [](auto& a, auto& b) { return a.id < b.id; }));
  for (const auto& product : products()) {
    CAPTURE(product.id);
    REQUIRE(find_chip(product.id));
    CHECK(!product.name.empty());
    const auto& capability = *find_capability(find_chip(product.id)->sm);
    CHECK(compare_versions(capability.first_driver, product.first_driver) <= 0);
    for (const auto& pair : split(product.later, " ")) {
      const auto branch = pair.substr(0, pair.find(':'));
      CHECK(branch == std::to_string(major(value_of(product.later, branch))));
      CHECK(compare_versions(product.first_driver, value_of(product.later, branch)) < 0);
    }
    for (const auto& branch : split(product.without, " ")) CHECK(major(branch) > major(product.first_driver));
    CHECK(only_names(product.uncertain, {"later"}));
  }
}

TEST_CASE("tables: driver branches are sorted and agree with the generations and the toolkits") {
  CHECK(
      is_sorted_without_duplicates(driver_branches(), [](auto& a, auto& b) { return a.branch < b.branch; }));
  for (const auto& branch : driver_branches()) {
    CAPTURE(branch.branch);
    REQUIRE(find_generation(branch.oldest_generation));
    REQUIRE(find_generation(branch.newest_generation));
    for (const auto& generation : generations()) {
      const bool dropped = generation.last_branch != 0 && generation.last_branch < branch.branch;
      const bool before = &generation < find_generation(branch.oldest_generation);
      CHECK(dropped == before);
    }
    CHECK((branch.printed.empty() == (branch.branch < 410)));
    CHECK((branch.last_release.empty() || major(branch.last_release) == branch.branch));
  }
  for (const auto& toolkit : toolkits()) {
    CAPTURE(toolkit.version);
    const auto* branch = find_driver_branch(toolkit.driver);
    REQUIRE(branch);
    CHECK(compare_versions(series(toolkit.version), branch->cuda) <= 0);
  }
}

TEST_CASE("tables: driver floors are those of the first toolkit of each major from 11 on") {
  for (const auto& floor : driver_floors()) CHECK(is_version(floor.driver));
  CHECK(is_sorted_without_duplicates(driver_floors(),
                                     [](auto& a, auto& b) { return a.cuda_major < b.cuda_major; }));
  CHECK(driver_floors().front().cuda_major == 11);
  CHECK(driver_floors().back().cuda_major == major(toolkits().back().version));
}

TEST_CASE("tables: cuDNN rows are sorted and their ranges and capabilities are known") {
  CHECK(cudnns().size() >= 76);
  CHECK(is_sorted_without_duplicates(
      cudnns(), [](auto& a, auto& b) { return compare_versions(a.version, b.version) < 0; }));
  for (const auto& cudnn : cudnns()) {
    CAPTURE(cudnn.version);
    CHECK(only_names(cudnn.uncertain, {"builds_for", "cc_min", "supports"}));
    for (const auto& build : split(cudnn.builds, " ")) CHECK(is_version(build));
    for (const auto& range : split(cudnn.supports, " ")) {
      const auto ends = split(range, "-");
      REQUIRE(ends.size() == 2);
      CHECK(find_toolkit(ends[0]));
      CHECK(find_toolkit(ends[1]));
      CHECK(compare_versions(ends[0], ends[1]) <= 0);
    }
    for (const auto& pair : split(cudnn.least, " "))
      CHECK(find_capability(sm(pair.substr(pair.find(':') + 1))));
  }
}

TEST_CASE("tables: a toolkit is found by version or nvcc build and by the update before it") {
  const auto version_of = [](std::string_view version) {
    const auto* row = find_toolkit(version);
    return row ? row->version : std::string_view("none");
  };
  CHECK(version_of("11.1.0") == "11.1.0");
  CHECK(version_of("11.1") == "11.1.0");
  CHECK(version_of("11.1.74") == "11.1.0");
  CHECK(version_of("11.1.105") == "11.1.1");
  CHECK(version_of("11.1.9") == "11.1.1");
  CHECK(version_of("10.2.89") == "10.2.89");
  CHECK(version_of("10.2") == "10.2.89");
  CHECK(version_of("12.7.0") == "none");
  CHECK(version_of("1.1") == "none");
  CHECK(version_of("") == "none");
  CHECK(version_of("garbage") == "none");
}

TEST_CASE("tables: a cuDNN is found by its first three numbers") {
  REQUIRE(find_cudnn("8.0.4"));
  CHECK(find_cudnn("8.0.4")->version == "8.0.4.30");
  CHECK(find_cudnn("9.15.0.58")->version == "9.15.0.57");
  CHECK(find_cudnn("7.6.5.32")->version == "7.6.5.32");
  CHECK(!find_cudnn("8.0"));
  CHECK(!find_cudnn(""));
  CHECK(!find_cudnn("7.1.4"));
}

TEST_CASE("tables: capabilities and versions are read and written") {
  CHECK(sm("8.6") == 86);
  CHECK(sm("12.1") == 121);
  for (const auto* text : {"", "8", "8.", ".6", "8.66", "a.6", "8.x", "123.4", "-1.2"}) CHECK(sm(text) == 0);
  CHECK(capability_text(86) == "8.6");
  CHECK(capability_text(120) == "12.0");
  CHECK(series("11.1.0") == "11.1");
  CHECK(series("2.40+r16+gdeadbeef") == "2.40");
  CHECK(series("12") == "12");
  CHECK(major("590.48.01") == 590);
  CHECK(major("x") == 0);
  CHECK(names("clang glibc", "glibc"));
  CHECK(names("row", "glibc"));
  CHECK(!names("clang", "clan"));
  CHECK(value_of("510:510.60.02 575:575.64", "575") == "575.64");
  CHECK(value_of("510:510.60.02", "51").empty());
}

TEST_CASE("tables: builds of frameworks refer to toolkits and cuDNN series that are known") {
  CHECK(framework_builds().size() >= 120);
  std::set<std::string> seen;
  for (const auto& build : framework_builds()) {
    CAPTURE(build.framework);
    CAPTURE(build.version);
    CAPTURE(build.tag);
    CHECK(seen.insert(join(std::vector<std::string>{std::string(build.framework), std::string(build.version),
                                                    std::string(build.tag)},
                           " "))
              .second);
    CHECK(is_version(build.version));
    const auto* toolkit = find_toolkit(build.cuda);
    REQUIRE(toolkit);
    CHECK(series(toolkit->version) == build.cuda);
    CHECK(is_version(build.cudnn));
    CHECK(only_names(build.uncertain, {"cudnn", "sm", "tag", "row", "default", "ptx"}));
    for (const auto& architecture : split(build.architectures, " ")) {
      CAPTURE(architecture);
      CHECK(has_architecture(*toolkit, std::stoi(architecture)));
    }
    CHECK((build.ptx == 0 || has_architecture(*toolkit, build.ptx)));
    const auto digits = "cu" + join(split(build.cuda, "."), "");
    CHECK((build.tag.empty() || build.tag == digits));
  }
}

TEST_CASE("tables: builds of a framework stand in the order of their versions") {
  for (std::size_t i = 1; i < framework_builds().size(); ++i) {
    const auto& left = framework_builds()[i - 1];
    const auto& right = framework_builds()[i];
    CAPTURE(right.version);
    if (left.framework == right.framework) CHECK(compare_versions(left.version, right.version) <= 0);
  }
}

TEST_CASE("tables: a framework version has at most one default build") {
  for (const auto& build : framework_builds())
    CHECK(std::ranges::count_if(framework_builds(), [&](auto& other) {
            return other.framework == build.framework && other.version == build.version && other.is_default;
          }) <= 1);
}

TEST_CASE("tables: kernel limits belong to branches and are sorted") {
  CHECK(kernel_limits().size() >= 151);
  CHECK(is_sorted_without_duplicates(
      kernel_limits(), [](auto& a, auto& b) { return compare_versions(a.driver, b.driver) < 0; }));
  for (const auto& row : kernel_limits()) {
    CAPTURE(row.driver);
    CHECK(is_version(row.kernel));
    CHECK(find_driver_branch(row.driver));
  }
  for (const auto& row : kernel_patches()) {
    CAPTURE(row.kernel);
    CHECK(compare_versions(row.from, row.to) <= 0);
    CHECK((row.flavour == "open" || row.flavour == "closed" || row.flavour == "both"));
  }
}

TEST_CASE("tables: limits on glibc agree with the toolkits") {
  for (const auto& row : host_glibcs()) {
    CAPTURE(row.glibc);
    REQUIRE(find_toolkit(row.last_broken_cuda));
    if (row.functions.find("cospi") == row.functions.npos && row.functions != "rsqrt") continue;
    for (const auto& toolkit : toolkits()) {
      CAPTURE(toolkit.version);
      const bool broken = compare_versions(series(toolkit.version), row.last_broken_cuda) <= 0;
      const bool takes = toolkit.glibc_max.empty() || compare_versions(toolkit.glibc_max, row.glibc) >= 0;
      CHECK(broken != takes);
    }
  }
}

TEST_CASE("tables: every kind of known error has an id of its own and a pattern") {
  std::set<std::string_view> ids;
  for (const auto& error : known_errors()) {
    CAPTURE(error.id);
    CHECK(ids.insert(error.id).second);
    CHECK(!error.component.empty());
    CHECK(error.patterns.size() >= 12);
  }
}

}  // namespace cudapin::tables
