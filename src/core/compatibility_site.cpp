// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility_site.hpp"

#include "core/fields.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>

namespace cudapin::tables {

namespace {

/// What the rows point to: rows hold views, as the built-in ones do.
struct Texts {
  std::deque<std::string> words;
  std::deque<std::vector<int>> lists;

  std::string_view keep(std::string text) { return words.emplace_back(std::move(text)); }
};

Texts& texts() {
  static Texts kept;
  return kept;
}

/// Reads the keys of one row.
class RowReader {
 public:
  RowReader(const yaml::Node& node, yaml::Problems& problems) : node_(node), problems_(problems) {}

  RowReader& text(const char* key, bool required, std::string_view& target) {
    return field(key, required, [&](const yaml::Node& value) {
      target = texts().keep(yaml::read_line(value, fmt::format("'{}'", key), problems_));
    });
  }
  RowReader& version(const char* key, bool required, std::string_view& target) {
    return field(key, required, [&, key](const yaml::Node& value) {
      target = texts().keep(yaml::read_line(value, fmt::format("'{}'", key), problems_));
      if (target.empty() || target.find_first_not_of("0123456789.") != target.npos)
        problems_.add(value, tr("'{}' is no version", target));
    });
  }
  RowReader& number(const char* key, bool required, int& target) {
    return field(key, required, [&, key](const yaml::Node& value) { target = to_number(value, key); });
  }
  RowReader& numbers(const char* key, bool required, std::span<const int>& target) {
    return field(key, required, [&, key](const yaml::Node& value) {
      auto& list = texts().lists.emplace_back();
      for (const auto* word : yaml::read_words(value, fmt::format("'{}'", key), problems_))
        list.push_back(to_number(*word, key));
      std::ranges::sort(list);
      target = list;
    });
  }
  /// A list of words as the tables have it: parted by blanks.
  RowReader& words(const char* key, bool required, std::string_view& target) {
    return field(key, required, [&, key](const yaml::Node& value) {
      std::vector<std::string> all;
      for (const auto* word : yaml::read_words(value, fmt::format("'{}'", key), problems_))
        all.push_back(yaml::read_line(*word, tr_text("an entry"), problems_));
      target = texts().keep(join(all, " "));
    });
  }
  void finish(std::string_view what) { yaml::read_mapping(node_, what, fields_, problems_); }

 private:
  RowReader& field(const char* key, bool required, std::function<void(const yaml::Node&)> read) {
    fields_.push_back({key, required, std::move(read)});
    return *this;
  }
  int to_number(const yaml::Node& value, const char* key) {
    const auto text = yaml::read_line(value, fmt::format("'{}'", key), problems_);
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0)
      problems_.add(value, tr("'{}' is no number", text));
    return number;
  }

  const yaml::Node& node_;
  yaml::Problems& problems_;
  std::vector<yaml::Field> fields_;
};

Toolkit read_toolkit(const yaml::Node& node, yaml::Problems& problems) {
  // What is not said is as in the newest toolkit that is known.
  auto row = toolkits().back();
  row.nvcc = row.bundled_driver = row.uncertain = "";
  RowReader(node, problems)
      .version("version", true, row.version)
      .version("driver", true, row.driver)
      .numbers("architectures", false, row.architectures)
      .number("gcc_min", false, row.gcc_min)
      .number("gcc_max", false, row.gcc_max)
      .version("clang_max", false, row.clang_max)
      .version("glibc_max", false, row.glibc_max)
      .version("nvcc", false, row.nvcc)
      .finish(tr_text("a row of 'cuda'"));
  return row;
}

DriverBranch read_branch(const yaml::Node& node, yaml::Problems& problems) {
  auto row = driver_branches().back();
  row.last_release = row.uncertain = "";
  RowReader(node, problems)
      .number("branch", true, row.branch)
      .version("cuda", true, row.cuda)
      .version("last_release", false, row.last_release)
      .finish(tr_text("a row of 'drivers'"));
  row.printed = row.cuda;
  return row;
}

Cudnn read_cudnn(const yaml::Node& node, yaml::Problems& problems) {
  auto row = cudnns().back();
  row.uncertain = "";
  RowReader(node, problems)
      .version("version", true, row.version)
      .words("builds", true, row.builds)
      .words("supports", true, row.supports)
      .text("least", false, row.least)
      .finish(tr_text("a row of 'cudnn'"));
  if (row.least.find(':') == row.least.npos) row.least = texts().keep("*:" + std::string(row.least));
  for (const auto& range : split(row.supports, " "))
    if (range.find('-') == range.npos) problems.add(node, tr("'{}' is no range such as 13.0-13.6", range));
  return row;
}

KernelLimit read_kernel(const yaml::Node& node, yaml::Problems& problems) {
  KernelLimit row{};
  RowReader(node, problems)
      .version("driver", true, row.driver)
      .version("kernel", true, row.kernel)
      .finish(tr_text("a row of 'kernels'"));
  return row;
}

FrameworkBuild read_build(const yaml::Node& node, yaml::Problems& problems) {
  FrameworkBuild row{};
  RowReader(node, problems)
      .text("framework", true, row.framework)
      .version("version", true, row.version)
      .text("tag", false, row.tag)
      .version("cuda", true, row.cuda)
      .version("cudnn", false, row.cudnn)
      .words("architectures", false, row.architectures)
      .number("ptx", false, row.ptx)
      .finish(tr_text("a row of 'frameworks'"));
  return row;
}

/// A card is a product and, its chip being unknown, a chip of its own.
void read_card(const yaml::Node& node, yaml::Problems& problems, std::vector<Product>& cards,
               std::vector<Chip>& own_chips) {
  Product row{.source = Source::upper_bound};
  std::string_view capability;
  RowReader(node, problems)
      .text("id", true, row.id)
      .text("name", true, row.name)
      .version("capability", true, capability)
      .version("driver", true, row.first_driver)
      .finish(tr_text("a row of 'cards'"));
  if (row.id.starts_with("10de:")) row.id.remove_prefix(5);
  if (row.id.size() != 4 || row.id.find_first_not_of("0123456789abcdef") != row.id.npos)
    problems.add(node, tr("'{}' is no device id such as 10de:2204", row.id));
  if (!find_capability(sm(capability)))
    problems.add(node, tr("'{}' is no capability that the tables know", capability));
  cards.push_back(row);
  if (!find_chip(row.id)) own_chips.push_back({row.name, sm(capability), row.id, ""});
}

/// The built-in rows with `own` in their places; what `same` calls the same is replaced.
template <typename Row, typename Same, typename Before>
void merge(std::span<const Row> rows, const std::vector<Row>& own, Same same, Before before) {
  if (own.empty()) return;
  std::vector<Row> merged(rows.begin(), rows.end());
  for (const auto& row : own) {
    std::erase_if(merged, [&](const Row& other) { return same(row, other); });
    merged.insert(std::upper_bound(merged.begin(), merged.end(), row, before), row);
  }
  merged_rows<Row>() = std::move(merged);
}

template <typename Row>
void merge_by(std::vector<Row> own, std::span<const Row> rows, std::string_view Row::*version) {
  merge(
      rows, own, [=](const Row& a, const Row& b) { return a.*version == b.*version; },
      [=](const Row& a, const Row& b) { return compare_versions(a.*version, b.*version) < 0; });
}

/// Everything that one or more files add.
struct SiteRows {
  std::vector<Toolkit> toolkits;
  std::vector<DriverBranch> branches;
  std::vector<Cudnn> cudnns;
  std::vector<KernelLimit> kernels;
  std::vector<FrameworkBuild> builds;
  std::vector<Product> products;
  std::vector<Chip> chips;
};

void read_rows(const yaml::Node& list, std::string_view what, yaml::Problems& problems,
               const std::function<void(const yaml::Node&)>& read) {
  if (list.kind != yaml::Node::Kind::sequence) problems.add(list, tr("'{}' must be a list", what));
  for (const auto& item : list.items) read(item);
}

void read_file(const SiteFile& file, SiteRows& rows) {
  const auto root = yaml::parse(file.first, file.second);
  if (root.kind == yaml::Node::Kind::null) return;
  yaml::Problems problems(file.second);
  const auto list = [&](const char* key, std::function<void(const yaml::Node&)> read) {
    return yaml::Field{
        key, false, [&problems, key, read](const yaml::Node& node) { read_rows(node, key, problems, read); }};
  };
  const std::vector<yaml::Field> fields{
      list("cuda", [&](auto& node) { rows.toolkits.push_back(read_toolkit(node, problems)); }),
      list("drivers", [&](auto& node) { rows.branches.push_back(read_branch(node, problems)); }),
      list("cudnn", [&](auto& node) { rows.cudnns.push_back(read_cudnn(node, problems)); }),
      list("kernels", [&](auto& node) { rows.kernels.push_back(read_kernel(node, problems)); }),
      list("frameworks", [&](auto& node) { rows.builds.push_back(read_build(node, problems)); }),
      list("cards", [&](auto& node) { read_card(node, problems, rows.products, rows.chips); })};
  yaml::read_mapping(root, tr_text("the file"), fields, problems);
  problems.throw_if_any("man cudapin.conf");
}

void clear_rows() {
  merged_rows<Toolkit>().clear();
  merged_rows<DriverBranch>().clear();
  merged_rows<Cudnn>().clear();
  merged_rows<KernelLimit>().clear();
  merged_rows<FrameworkBuild>().clear();
  merged_rows<Product>().clear();
  merged_rows<Chip>().clear();
  texts() = {};
}

void put_in(const SiteRows& rows) {
  merge_by(rows.toolkits, toolkits(), &Toolkit::version);
  merge_by(rows.cudnns, cudnns(), &Cudnn::version);
  merge_by(rows.kernels, kernel_limits(), &KernelLimit::driver);
  merge(
      driver_branches(), rows.branches, [](auto& a, auto& b) { return a.branch == b.branch; },
      [](auto& a, auto& b) { return a.branch < b.branch; });
  merge(
      framework_builds(), rows.builds,
      [](auto& a, auto& b) { return a.framework == b.framework && a.version == b.version && a.tag == b.tag; },
      [](auto&, auto&) { return false; });
  merge(
      products(), rows.products, [](auto& a, auto& b) { return a.id == b.id; },
      [](auto& a, auto& b) { return a.id < b.id; });
  merge(
      chips(), rows.chips, [](auto& a, auto& b) { return a.name == b.name; },
      [](auto&, auto&) { return false; });
}

}  // namespace

void use_site_rows(const std::vector<SiteFile>& files) {
  clear_rows();
  SiteRows rows;
  for (const auto& file : files) read_file(file, rows);
  put_in(rows);
}

}  // namespace cudapin::tables
