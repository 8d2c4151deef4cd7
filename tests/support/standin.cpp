// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/standin.hpp"

#include "system/files.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

using Chunk = std::function<void(std::string_view)>;

/// An archive being written, to a file or to a string.
class Writer {
 public:
  Writer() : archive_(archive_write_new()) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { archive_write_free(archive_); }

  archive* get() const { return archive_; }
  /// A warning is a name that the locale cannot show; it is stored as it is.
  void check(int result) const {
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
      throw std::runtime_error(archive_error_string(archive_));
  }
  void open(const fs::path& path) const { check(archive_write_open_filename(archive_, path.c_str())); }
  void open(std::string& text) const {
    check(archive_write_open2(
        archive_, &text, nullptr,
        [](archive*, void* target, const void* data, std::size_t size) {
          static_cast<std::string*>(target)->append(static_cast<const char*>(data), size);
          return static_cast<la_ssize_t>(size);
        },
        nullptr, nullptr));
  }
  void write(std::string_view data) const {
    if (archive_write_data(archive_, data.data(), data.size()) != static_cast<la_ssize_t>(data.size()))
      throw std::runtime_error(archive_error_string(archive_));
  }
  void close() const { check(archive_write_close(archive_)); }

 private:
  archive* archive_;
};

void compress_as(const Writer& writer, std::string_view extension) {
  if (extension.ends_with(".zst"))
    writer.check(archive_write_add_filter_zstd(writer.get()));
  else if (extension.ends_with(".xz"))
    writer.check(archive_write_add_filter_xz(writer.get()));
  else if (extension.ends_with(".gz"))
    writer.check(archive_write_add_filter_gzip(writer.get()));
  if (extension.ends_with(".zst"))
    writer.check(archive_write_set_options(writer.get(), "zstd:compression-level=1"));
  if (extension.ends_with(".gz")) writer.check(archive_write_set_options(writer.get(), "gzip:!timestamp"));
}

/// The same noise every time: xorshift64.
void produce_noise(std::uint64_t bytes, const Chunk& sink) {
  std::array<std::uint64_t, 8192> block{};
  std::uint64_t state = 0x9E3779B97F4A7C15;
  while (bytes > 0) {
    for (auto& word : block) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      word = state;
    }
    const auto size = std::min<std::uint64_t>(bytes, sizeof(block));
    sink({reinterpret_cast<const char*>(block.data()), static_cast<std::size_t>(size)});
    bytes -= size;
  }
}

struct Item {
  StandInFile file;
  mode_t type;
  std::uint64_t size;
  std::function<void(const Chunk&)> produce;
};

Item text_item(StandInFile file) {
  const bool plain = file.link_to.empty() && file.hard_link.empty();
  const mode_t type = file.link_to.empty() ? AE_IFREG : AE_IFLNK;
  const auto content = plain ? file.content : std::string{};
  return {std::move(file), type, content.size(), [content](const Chunk& sink) { sink(content); }};
}

std::vector<StandInFile> files_of(const StandIn& package) {
  auto files = package.files;
  if (files.empty() && package.bulk == 0)
    files.push_back({.path = "usr/share/" + package.name + "/version", .content = package.version + "\n"});
  return files;
}

/// The payload with its folders, each before what is in it.
std::vector<Item> payload_of(const StandIn& package) {
  auto files = files_of(package);
  const auto bulk_path = "usr/share/" + package.name + "/bulk";
  if (package.bulk > 0) files.push_back({.path = bulk_path});
  std::vector<Item> items;
  std::set<std::string> folders;
  for (auto& file : files) {
    for (auto slash = file.path.find('/'); slash != file.path.npos; slash = file.path.find('/', slash + 1))
      if (const auto folder = file.path.substr(0, slash); folders.insert(folder).second)
        items.push_back({{.path = folder, .mode = 0755}, AE_IFDIR, 0, [](const Chunk&) {}});
    const bool is_bulk = package.bulk > 0 && file.path == bulk_path;
    items.push_back(text_item(std::move(file)));
    if (!is_bulk) continue;
    items.back().size = package.bulk;
    items.back().produce = [bytes = package.bulk](const Chunk& sink) { produce_noise(bytes, sink); };
  }
  return items;
}

struct EntryDeleter {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

std::unique_ptr<archive_entry, EntryDeleter> entry_for(const Item& item, std::string_view prefix,
                                                       std::time_t time) {
  std::unique_ptr<archive_entry, EntryDeleter> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), (std::string(prefix) + item.file.path).c_str());
  archive_entry_set_filetype(entry.get(), item.type);
  archive_entry_set_perm(entry.get(), item.type == AE_IFLNK ? 0777 : item.file.mode);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(item.size));
  archive_entry_set_mtime(entry.get(), time, 0);
  archive_entry_set_uid(entry.get(), 0);
  archive_entry_set_gid(entry.get(), 0);
  archive_entry_set_uname(entry.get(), "root");
  archive_entry_set_gname(entry.get(), "root");
  if (item.type == AE_IFLNK) archive_entry_set_symlink(entry.get(), item.file.link_to.c_str());
  return entry;
}

void append(const Writer& writer, archive_entry* entry, const Item& item) {
  writer.check(archive_write_header(writer.get(), entry));
  if (item.size > 0) item.produce([&](std::string_view data) { writer.write(data); });
  writer.check(archive_write_finish_entry(writer.get()));
}

/// As in makepkg's .MTREE, another name of a file is a file of its own with the same content.
Item without_hard_link(const Item& item, const std::vector<Item>& items) {
  if (item.file.hard_link.empty()) return item;
  auto whole =
      *std::ranges::find_if(items, [&](const Item& other) { return other.file.path == item.file.hard_link; });
  whole.file.path = item.file.path;
  return whole;
}

std::string mtree_of(const std::vector<Item>& items, std::time_t time) {
  std::string text;
  const Writer writer;
  writer.check(archive_write_set_format_mtree(writer.get()));
  writer.check(archive_write_add_filter_gzip(writer.get()));
  writer.check(archive_write_set_options(
      writer.get(),
      "gzip:!timestamp,mtree:!all,mtree:use-set,mtree:type,mtree:uid,mtree:gid,mtree:mode,"
      "mtree:time,mtree:size,mtree:md5,mtree:sha256,mtree:link"));
  writer.open(text);
  for (const auto& item : items) {
    const auto whole = without_hard_link(item, items);
    append(writer, entry_for(whole, "./", time).get(), whole);
  }
  writer.close();
  return text;
}

std::string lines(std::string_view key, const std::vector<std::string>& values) {
  std::string text;
  for (const auto& value : values) text += fmt::format("{} = {}\n", key, value);
  return text;
}

std::string base_of(const StandIn& package) { return package.base.empty() ? package.name : package.base; }

std::string package_info(const StandIn& package) {
  return fmt::format(
             "# Generated by makepkg 6.0.2\npkgname = {}\npkgbase = {}\npkgver = {}\npkgdesc = {}\n"
             "url = https://example.org/\nbuilddate = {}\npackager = Test Packager <packager@example.org>\n"
             "size = {}\narch = {}\nlicense = GPL\n",
             package.name, base_of(package), package.version, package.description, package.build_date,
             package.installed_size(), package.arch) +
         lines("replaces", package.replaces) + lines("conflict", package.conflicts) +
         lines("provides", package.provides) + lines("backup", package.backup) +
         lines("depend", package.depends) + lines("optdepend", package.optional);
}

std::string build_info(const StandIn& package) {
  return fmt::format("format = 2\npkgname = {}\npkgbase = {}\npkgver = {}\npkgarch = {}\nbuilddate = {}\n",
                     package.name, base_of(package), package.version, package.arch, package.build_date);
}

std::string block(std::string_view name, const std::vector<std::string>& values) {
  return values.empty() ? "" : fmt::format("%{}%\n{}\n\n", name, fmt::join(values, "\n"));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned word = 0;
    for (std::size_t i = 0; i < 3; ++i)
      word = word << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      text += at + i > bytes.size() ? '=' : digits[word >> (18 - 6 * i) & 63];
  }
  return text;
}

Elf64_Ehdr elf_header(Elf64_Half type, std::size_t segments) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = type;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments);
  return header;
}

std::string file_blocks(const fs::path& file) {
  const auto signature = file.string() + ".sig";
  return block("CSIZE", {std::to_string(fs::file_size(file))}) + block("SHA256SUM", {sha256_file(file)}) +
         (fs::exists(signature) ? block("PGPSIG", {base64(read_text(signature))}) : "");
}

std::string desc_of(const SyncEntry& entry) {
  const auto& package = entry.package;
  const auto file_name = entry.file.empty() ? package.file_name() : entry.file.filename().string();
  return block("FILENAME", {file_name}) + block("NAME", {package.name}) + block("BASE", {base_of(package)}) +
         block("VERSION", {package.version}) + block("DESC", {package.description}) +
         (entry.file.empty() ? "" : file_blocks(entry.file)) +
         block("ISIZE", {std::to_string(package.installed_size())}) + block("URL", {"https://example.org/"}) +
         block("LICENSE", {"GPL"}) + block("ARCH", {package.arch}) +
         block("BUILDDATE", {std::to_string(package.build_date)}) +
         block("PACKAGER", {"Test Packager <packager@example.org>"}) + block("REPLACES", package.replaces) +
         block("CONFLICTS", package.conflicts) + block("PROVIDES", package.provides) +
         block("DEPENDS", package.depends);
}

}  // namespace

std::string StandIn::file_name(std::string_view extension) const {
  return fmt::format("{}-{}-{}{}", name, version, arch, extension);
}

std::uint64_t StandIn::installed_size() const {
  std::uint64_t size = bulk;
  for (const auto& file : files_of(*this)) size += file.content.size();
  return size;
}

fs::path build_package(const StandIn& package, const fs::path& folder, std::string_view extension) {
  std::vector<Item> items{text_item({.path = ".BUILDINFO", .content = build_info(package)})};
  if (!package.install_script.empty())
    items.push_back(text_item({.path = ".INSTALL", .content = package.install_script}));
  items.push_back(text_item({.path = ".PKGINFO", .content = package_info(package)}));
  std::ranges::move(payload_of(package), std::back_inserter(items));
  items.insert(items.begin(), text_item({.path = ".MTREE", .content = mtree_of(items, package.build_date)}));

  fs::create_directories(folder);
  const auto path = folder / package.file_name(extension);
  const Writer writer;
  writer.check(archive_write_set_format_pax_restricted(writer.get()));
  compress_as(writer, extension);
  writer.open(path);
  for (const auto& item : items) {
    const auto entry = entry_for(item, "", package.build_date);
    if (!item.file.hard_link.empty()) archive_entry_set_hardlink(entry.get(), item.file.hard_link.c_str());
    append(writer, entry.get(), item);
  }
  writer.close();
  return path;
}

std::string shared_object(std::string_view soname, const std::vector<std::string>& needed) {
  std::string names(1, '\0');
  const auto add_name = [&names](std::string_view name) {
    const auto at = names.size();
    names.append(name).push_back('\0');
    return static_cast<Elf64_Xword>(at);
  };
  std::vector<Elf64_Dyn> dynamic;
  for (const auto& name : needed) dynamic.push_back({DT_NEEDED, {add_name(name)}});
  dynamic.push_back({DT_SONAME, {add_name(soname)}});
  struct Head {
    Elf64_Ehdr elf;
    std::array<Elf64_Phdr, 2> segments;
    Elf64_Sym symbol;
    std::array<Elf64_Word, 4> hash;
  } head{};
  constexpr Elf64_Addr dynamic_at = sizeof(Head);
  const auto dynamic_size = (dynamic.size() + 6) * sizeof(Elf64_Dyn);
  const auto names_at = dynamic_at + dynamic_size;
  dynamic.push_back({DT_HASH, {offsetof(Head, hash)}});
  dynamic.push_back({DT_STRTAB, {names_at}});
  dynamic.push_back({DT_SYMTAB, {offsetof(Head, symbol)}});
  dynamic.push_back({DT_STRSZ, {names.size()}});
  dynamic.push_back({DT_SYMENT, {sizeof(Elf64_Sym)}});
  dynamic.push_back({DT_NULL, {0}});
  head.elf = elf_header(ET_DYN, head.segments.size());
  head.hash = {1, 1, 0, 0};
  const auto size = names_at + names.size();
  head.segments[0] = {PT_LOAD, PF_R | PF_W, 0, 0, 0, size, size, 0x1000};
  head.segments[1] = {PT_DYNAMIC, PF_R | PF_W,  dynamic_at,   dynamic_at,
                      dynamic_at, dynamic_size, dynamic_size, 8};
  return std::string(reinterpret_cast<const char*>(&head), sizeof(head))
      .append(reinterpret_cast<const char*>(dynamic.data()), dynamic_size)
      .append(names);
}

std::string static_program(int status, std::string_view output) {
  constexpr Elf64_Addr base = 0x400000;
  // mov eax,1; mov edi,1; mov esi,TEXT; mov edx,LENGTH; syscall; mov eax,60; mov edi,STATUS; syscall
  std::string code("\xB8\x01\0\0\0\xBF\x01\0\0\0\xBE....\xBA....\x0F\x05\xB8\x3C\0\0\0\xBF....\x0F\x05", 34);
  constexpr auto code_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  const auto put = [&code](std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 4; ++i) code[at + i] = static_cast<char>(value >> (8 * i) & 0xFF);
  };
  put(11, base + code_at + code.size());
  put(16, output.size());
  put(28, static_cast<std::uint64_t>(status));
  auto header = elf_header(ET_EXEC, 1);
  header.e_entry = base + code_at;
  const auto size = code_at + code.size() + output.size();
  const Elf64_Phdr segment{PT_LOAD, PF_R | PF_X, 0, base, base, size, size, 0x1000};
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header))
      .append(reinterpret_cast<const char*>(&segment), sizeof(segment))
      .append(code)
      .append(output);
}

void write_sync_database(const fs::path& db, std::span<const SyncEntry> packages) {
  fs::create_directories(db.parent_path());
  const Writer writer;
  writer.check(archive_write_set_format_pax_restricted(writer.get()));
  compress_as(writer, ".gz");
  writer.open(db);
  for (const auto& entry : packages) {
    const auto folder = entry.package.name + "-" + entry.package.version;
    const Item top{{.path = folder, .mode = 0755}, AE_IFDIR, 0, {}};
    append(writer, entry_for(top, "", entry.package.build_date).get(), top);
    const auto desc = text_item({.path = folder + "/desc", .content = desc_of(entry)});
    append(writer, entry_for(desc, "", entry.package.build_date).get(), desc);
  }
  writer.close();
}

}  // namespace cudapin
