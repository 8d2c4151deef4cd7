// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/subscriptions.hpp"

#include "core/error.hpp"
#include "core/words.hpp"
#include "system/files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

/// A folder's name must not be a stranger's choice.
std::string id_of(const std::string& place) { return sha256_text(place).substr(0, 16); }

fs::path folder_of(const Host& host) { return host.at(state_folder) / "subscribed"; }

fs::path record_of(const Host& host, const std::string& place) {
  return folder_of(host) / (id_of(place) + ".json");
}

Subscription read_record(const fs::path& file) {
  try {
    const auto json = nlohmann::json::parse(read_file(file, 1u << 16));
    return {.place = json.at("place"),
            .key = json.at("key"),
            .serial = json.at("serial"),
            .index_sha256 = json.at("index_sha256"),
            .expires = json.at("expires"),
            .updated = json.at("updated")};
  } catch (const nlohmann::json::exception&) {
    throw Error(tr("'{}' is damaged: no subscription is recorded in it", file.string()),
                fmt::format("sudo rm '{}', and subscribe again", file.string()));
  }
}

}  // namespace

std::vector<Subscription> subscriptions(const Host& host) {
  std::vector<Subscription> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder_of(host), missing))
    if (entry.path().extension() == ".json") found.push_back(read_record(entry.path()));
  std::ranges::sort(found, {}, &Subscription::place);
  return found;
}

fs::path edition_folder(const Host& host, const Subscription& subscription) {
  return folder_of(host) / id_of(subscription.place) / std::to_string(subscription.serial);
}

void write_subscription(const Host& host, const Subscription& subscription) {
  make_folders(folder_of(host));
  const nlohmann::json json{{"place", subscription.place},     {"key", subscription.key},
                            {"serial", subscription.serial},   {"index_sha256", subscription.index_sha256},
                            {"expires", subscription.expires}, {"updated", subscription.updated}};
  replace_file(record_of(host, subscription.place), json.dump(2) + "\n");
  const auto current = edition_folder(host, subscription);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(current.parent_path(), ignored))
    if (entry.path() != current) fs::remove_all(entry.path(), ignored);
}

void remove_subscription(const Host& host, const Subscription& subscription) {
  fs::remove(record_of(host, subscription.place));
  fs::remove_all(folder_of(host) / id_of(subscription.place));
}

}  // namespace cudapin
