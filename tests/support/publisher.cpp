// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/publisher.hpp"

namespace cudapin {

namespace fs = std::filesystem;

Publisher::Publisher(const std::string& name, const std::string& expires)
    : key_(home_.make_key(name + " <admin@example.org>", "cert,sign", expires)) {}

fs::path Publisher::key_file(bool is_revoked) {
  const auto file = folder_ / "key.asc";
  if (is_revoked) {
    const auto certificate = read_text(home_.path() / "openpgp-revocs.d" / (key_ + ".rev"));
    write_text(folder_ / "revocation", certificate.substr(certificate.find("-----BEGIN")));
    home_.gpg({"--import", folder_ / "revocation"});
  }
  home_.gpg({"--armor", "--output", file, "--export", key_});
  return file;
}

void Publisher::sign(const fs::path& file) const {
  home_.gpg({"--faked-system-time", year_2020, "--local-user", key_, "--output", file.string() + ".sig",
             "--detach-sign", file});
}

RunResult Publisher::profile(Lab& lab, std::vector<std::string> words) const {
  words.insert(words.begin(), "profile");
  lab.environment["GNUPGHOME"] = home_.path().string();
  auto result = lab.cudapin(words);
  lab.environment.erase("GNUPGHOME");
  return result;
}

RunResult Publisher::trust_at(Lab& lab, bool vouches) {
  std::vector<std::string> words{"profile", "trust", key_file().string(), "--fingerprint", key_};
  if (vouches) words.emplace_back("--vouch");
  return lab.cudapin(words);
}

std::string lab_profile(const std::string& name, const std::string& more) {
  auto text = read_text(SOURCE_DIR "/profiles/ampere-11.1.yaml");
  return text.replace(text.find("name: ampere-11.1"), 17, "name: " + name) + more;
}

}  // namespace cudapin
