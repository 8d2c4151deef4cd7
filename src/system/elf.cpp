// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/elf.hpp"

#include "system/raw_files.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace cudapin {

namespace {

constexpr std::size_t most_segments = 256;
constexpr std::size_t most_entries = 4096;
constexpr std::size_t longest_name = 256;

/// Reads `count` whole items at `offset`; false when the file ends before.
template <typename Item>
bool read_at(int fd, std::uint64_t offset, Item* items, std::size_t count) {
  const auto size = count * sizeof(Item);
  return offset <= INT64_MAX - size &&
         ::pread(fd, items, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

struct Segments {
  std::vector<Elf64_Phdr> all;

  const Elf64_Phdr* dynamic() const {
    const auto found = std::ranges::find(all, Elf64_Word{PT_DYNAMIC}, &Elf64_Phdr::p_type);
    return found == all.end() ? nullptr : &*found;
  }
  /// Where in the file the address is.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const auto& segment : all)
      if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz)
        return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
  }
};

Segments segments_of(int fd) {
  Elf64_Ehdr head{};
  Segments segments;
  if (!read_at(fd, 0, &head, 1) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
      head.e_phentsize != sizeof(Elf64_Phdr) || head.e_phnum > most_segments)
    return segments;
  segments.all.resize(head.e_phnum);
  if (!read_at(fd, head.e_phoff, segments.all.data(), segments.all.size())) segments.all.clear();
  return segments;
}

std::string name_at(int fd, std::uint64_t offset) {
  std::array<char, longest_name> text{};
  const auto got = ::pread(fd, text.data(), text.size() - 1, static_cast<off_t>(offset));
  return got > 0 ? std::string(text.data()) : std::string();
}

}  // namespace

std::vector<std::string> needed_libraries(const std::filesystem::path& path) {
  std::vector<std::string> names;
  const raw::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (file.fd < 0 || ::fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode)) return names;
  const auto segments = segments_of(file.fd);
  const auto* dynamic = segments.dynamic();
  if (!dynamic) return names;
  std::vector<Elf64_Dyn> entries(std::min<std::size_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), most_entries));
  if (!read_at(file.fd, dynamic->p_offset, entries.data(), entries.size())) return names;
  const auto table = std::ranges::find(entries, Elf64_Sxword{DT_STRTAB}, &Elf64_Dyn::d_tag);
  const auto strings = table == entries.end() ? std::nullopt : segments.offset_of(table->d_un.d_ptr);
  if (!strings) return names;
  for (const auto& entry : entries)
    if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < UINT32_MAX && *strings < INT64_MAX - UINT32_MAX)
      if (auto name = name_at(file.fd, *strings + entry.d_un.d_val); !name.empty())
        names.push_back(std::move(name));
  return names;
}

}  // namespace cudapin
