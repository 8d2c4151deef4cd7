// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compatibility.hpp"
#include "core/compatibility_data.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cudapin {

namespace {

using tables::Product;
using Words = std::vector<std::string>;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// "10de:2204", "0x2204" and "2204" -> "2204"; empty for another vendor or what is no id.
std::string device_id(std::string_view word) {
  auto id = lower(word);
  for (const std::string_view prefix : {"0x10de:", "10de:", "0x"})
    if (id.starts_with(prefix)) id.erase(0, prefix.size());
  return id.size() == 4 && id.find_first_not_of("0123456789abcdef") == id.npos ? id : std::string{};
}

/// A name in lower-case words; letters and digits part, so that "RTX3090" is "RTX 3090".
Words words_of(std::string_view text) {
  enum class Kind { other, letter, digit };
  const auto kind = [](unsigned char c) {
    return std::isdigit(c) ? Kind::digit : std::isalpha(c) ? Kind::letter : Kind::other;
  };
  Words words;
  auto before = Kind::other;
  for (const char c : text) {
    const auto now = kind(static_cast<unsigned char>(c));
    if (now != Kind::other && now != before) words.emplace_back();
    if (now != Kind::other) words.back() += lower({&c, 1});
    before = now;
  }
  return words;
}

bool is_number(const std::string& word) { return std::isdigit(static_cast<unsigned char>(word[0])) != 0; }

/// Without the words that people leave out; "GTX" says nothing before a number, but much in "GTX TITAN X".
Words without_brand(Words words) {
  std::erase_if(words, [](const std::string& word) {
    return word == "nvidia" || word == "geforce" || word == "quadro" || word == "tesla";
  });
  if (words.size() > 1 && (words[0] == "rtx" || words[0] == "gtx") && is_number(words[1]))
    words.erase(words.begin());
  return words;
}

bool has_part(const Words& name, const Words& part) {
  return !part.empty() && std::search(name.begin(), name.end(), part.begin(), part.end()) != name.end();
}

int sm_of(const Product& product) { return tables::find_chip(product.id)->sm; }

bool agree(const std::vector<const Product*>& products) {
  return std::ranges::all_of(products, [&](auto* product) { return sm_of(*product) == sm_of(*products[0]); });
}

/// The products whose name has `part`; only those that are nothing else, brand aside, where there are such.
std::vector<const Product*> products_named(const Words& part) {
  std::vector<const Product*> partly;
  std::vector<const Product*> wholly;
  for (const auto& product : tables::products()) {
    const auto name = words_of(product.name);
    if (!has_part(name, part)) continue;
    partly.push_back(&product);
    if (without_brand(name) == without_brand(part)) wholly.push_back(&product);
  }
  return wholly.empty() ? partly : wholly;
}

/// The shorter name, and of equal names the one that drivers knew first.
bool plainer(const Product* left, const Product* right) {
  if (left->name.size() != right->name.size()) return left->name.size() < right->name.size();
  return compare_versions(left->first_driver, right->first_driver) < 0;
}

/// One name for each capability: "GeForce GTX TITAN (3.5), TITAN V (7.0)".
std::string one_of_each(const std::vector<const Product*>& products) {
  std::vector<int> seen;
  Words names;
  for (const auto* product : products) {
    if (std::ranges::find(seen, sm_of(*product)) != seen.end()) continue;
    seen.push_back(sm_of(*product));
    names.push_back(fmt::format("{} ({})", product->name, tables::capability_text(seen.back())));
  }
  return join(names, ", ");
}

/// The name nearest to a misspelt one, or empty.
std::string nearest_name(std::string_view word) {
  std::vector<std::string> keys;
  for (const auto& product : tables::products())
    keys.push_back(join(without_brand(words_of(product.name)), " "));
  const auto key = closest(join(without_brand(words_of(word)), " "), keys);
  if (key.empty()) return {};
  return std::string(tables::products()[std::ranges::find(keys, key) - keys.begin()].name);
}

[[noreturn]] void fail_unknown(std::string_view word) {
  const auto name = nearest_name(word);
  throw Error(
      fmt::format("no GPU is known as '{}'{}", word, name.empty() ? "" : "; the nearest is '" + name + "'"),
      name.empty() ? "--gpu 8.6" : fmt::format("--gpu '{}'", name));
}

Gpu gpu_by_capability(const tables::Capability& row) {
  const auto text = tables::capability_text(row.sm);
  return {.name = "card of capability " + text,
          .pci_id = {},
          .generation = std::string(row.generation),
          .capability = text,
          .address = {}};
}

}  // namespace

Gpu gpu_by_pci_id(std::string_view id) {
  const auto device = device_id(id);
  const auto* chip = tables::find_chip(device);
  const auto pci_id = device.empty() ? std::string(id) : "10de:" + device;
  if (!chip)
    return {.name = "NVIDIA " + pci_id, .pci_id = pci_id, .generation = {}, .capability = {}, .address = {}};
  const auto* product = tables::find_product(device);
  auto gpu = gpu_by_capability(*tables::find_capability(chip->sm));
  gpu.name = product ? product->name : chip->name;
  gpu.pci_id = pci_id;
  return gpu;
}

Gpu gpu_by_word(std::string_view word) {
  if (const auto* row = tables::find_capability(tables::sm(word))) return gpu_by_capability(*row);
  // "1080" is a GeForce GTX 1080 to people, and the id of a GeForce GTX 580.
  const auto products = products_named(words_of(word));
  if (products.empty()) {
    if (tables::find_chip(device_id(word))) return gpu_by_pci_id(word);
    fail_unknown(word);
  }
  if (!agree(products))
    throw Error(fmt::format("'{}' may be {}", word, one_of_each(products)),
                fmt::format("--gpu {}", tables::capability_text(sm_of(*products[0]))));
  return gpu_by_pci_id((*std::ranges::min_element(products, plainer))->id);
}

}  // namespace cudapin
