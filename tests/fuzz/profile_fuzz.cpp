// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.hpp"
#include "core/profile.hpp"
#include "core/text.hpp"

#include <cstdint>
#include <cstdlib>

namespace {

using namespace cudapin;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const Profile& profile) {
  require(!profile.name.empty() && !profile.generations.empty() &&
          (!profile.packages.empty() || !profile.open.empty()));
  for (const auto& package : profile.packages) {
    const auto file = parse_file_name(package.file);
    require(file && file->name == package.name && file->version == package.version);
    require(profile.find(package.name) == &package);
  }
  for (const auto& [name, value] : profile.environment)
    require(!name.starts_with("LD_") && printable(value) == value);
}

void check(const Error& error) {
  for (const auto& line : split(error.what(), "\n"))
    require((line.starts_with("fuzz:") || line.starts_with("base:")) && printable(line) == line);
}

/// One profile that the input may extend, and that extends nothing.
ProfileLibrary library() {
  static const std::string base =
      "name: base\nsummary: s\nreason: r\ngenerations: [ampere]\n"
      "packages: {cuda: 11.1.0-2, cudnn: 8.0.4.30-1}\n"
      "files: [{file: cuda-11.1.0-2-x86_64.pkg.tar.zst, depends: []},"
      " {file: cudnn-8.0.4.30-1-x86_64.pkg.tar.zst, depends: [cuda]}]\n";
  ProfileLibrary one;
  one.names = {"base"};
  one.find = [](const std::string& name, const std::string& below) -> std::optional<ProfileLibrary::Source> {
    if (name != "base" || below == "base") return std::nullopt;
    return ProfileLibrary::Source{base, "base"};
  };
  return one;
}

}  // namespace

/// Whatever the bytes, a profile is whole or an Error has words.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(parse_profile({reinterpret_cast<const char*>(data), size}, "fuzz", library()));
  } catch (const Error& error) {
    check(error);
  }
  return 0;
}
