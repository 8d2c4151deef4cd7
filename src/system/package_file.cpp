// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/package_file.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"
#include "system/files.hpp"
#include "system/unprivileged.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t metadata_limit = 64u << 20;

struct FreeReader {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, FreeReader>;

/// A file as an archive, an .MTREE or a disk has it.
struct Entry {
  mode_t type = 0;
  std::optional<mode_t> mode;
  std::optional<std::uint64_t> size;
  std::string sha256;
  std::string link;
  std::optional<std::time_t> time;
  std::optional<std::pair<uid_t, gid_t>> owner;
};
using Entries = std::map<std::string, Entry>;

/// Takes the tar apart in two stages, decompression and tar: libarchive's tar reader stops at the end mark,
/// and the checksums of the compressed stream come after that.
class PackageReader {
 public:
  /// `fd` is open for reading, at its start.
  PackageReader(const fs::path& file, int fd, std::string_view verdict) : file_(file), verdict_(verdict) {
    archive_read_support_filter_gzip(stream_.get());
    archive_read_support_filter_bzip2(stream_.get());
    archive_read_support_filter_xz(stream_.get());
    archive_read_support_filter_lzip(stream_.get());
    archive_read_support_filter_lz4(stream_.get());
    archive_read_support_filter_zstd(stream_.get());
    archive_read_support_format_raw(stream_.get());
    archive_read_support_format_tar(tar_.get());
    archive_entry* whole = nullptr;
    if (archive_read_open_fd(stream_.get(), fd, 1 << 17) != ARCHIVE_OK ||
        archive_read_next_header(stream_.get(), &whole) != ARCHIVE_OK ||
        archive_read_open(tar_.get(), stream_.get(), nullptr, decompress, nullptr) != ARCHIVE_OK)
      refuse(tr_text("it cannot be decoded"));
  }

  /// The next entry, or null when the archive has been read to the end of the file.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(tar_.get(), &entry);
    if (result == ARCHIVE_EOF) {
      drain();
      return nullptr;
    }
    // A warning is a name that the locale cannot show.
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) refuse(tr_text("it cannot be decoded"));
    return entry;
  }

  /// Gives the entry's content to `sink` in pieces, holes of sparse files as zeros.
  template <typename Sink>
  void read(const Sink& sink) {
    la_ssize_t size = 0;
    while ((size = archive_read_data(tar_.get(), buffer_.data(), buffer_.size())) > 0)
      sink(std::string_view(buffer_.data(), static_cast<std::size_t>(size)));
    if (size < 0) refuse(tr_text("it cannot be decoded"));
  }

  std::uint64_t bytes_read() const {
    return static_cast<std::uint64_t>(archive_filter_bytes(stream_.get(), -1));
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(tr("'{}' is {}: {}", file_.string(), verdict_, reason),
                tr("rm '{0}' '{0}.sig', then run it again", file_.string()));
  }

 private:
  static la_ssize_t decompress(archive* tar, void* stream, const void** block) {
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int result = archive_read_data_block(static_cast<archive*>(stream), block, &size, &offset);
    if (result == ARCHIVE_OK) return static_cast<la_ssize_t>(size);
    if (result == ARCHIVE_EOF) return 0;
    archive_set_error(tar, archive_errno(static_cast<archive*>(stream)), "decompression failed");
    return ARCHIVE_FATAL;
  }

  void drain() {
    const void* block = nullptr;
    la_ssize_t size = 0;
    while ((size = decompress(tar_.get(), stream_.get(), &block)) > 0) {
    }
    if (size < 0) refuse(tr_text("it cannot be decoded to its end"));
  }

  fs::path file_;
  std::string_view verdict_;
  std::vector<char> buffer_ = std::vector<char>(1 << 17);
  Reader stream_{archive_read_new()};
  Reader tar_{archive_read_new()};
};

/// Without `./` before it and a slash behind it.
std::string plain(std::string_view path) {
  if (path.starts_with("./")) path.remove_prefix(2);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

std::string path_of(archive_entry* entry) {
  const char* path = archive_entry_pathname(entry);
  if (!path) path = archive_entry_pathname_utf8(entry);
  return plain(path ? path : "");
}

bool stays_inside(const std::string& path) {
  const fs::path parts(path);
  return !path.empty() && path[0] != '/' &&
         std::ranges::none_of(parts, [](const fs::path& part) { return part == ".." || part.empty(); });
}

Entry entry_of(archive_entry* entry) {
  Entry made{.type = archive_entry_filetype(entry)};
  if (const auto mode = archive_entry_perm(entry); mode != 0) made.mode = mode;
  if (archive_entry_size_is_set(entry)) made.size = static_cast<std::uint64_t>(archive_entry_size(entry));
  if (const char* link = archive_entry_symlink(entry)) made.link = link;
  if (archive_entry_mtime_is_set(entry)) made.time = archive_entry_mtime(entry);
  made.owner = {static_cast<uid_t>(archive_entry_uid(entry)), static_cast<gid_t>(archive_entry_gid(entry))};
  return made;
}

/// All zeros is how libarchive says that the line had none.
std::string digest_of(archive_entry* entry) {
  const unsigned char* digest = archive_entry_digest(entry, ARCHIVE_ENTRY_DIGEST_SHA256);
  const bool set = digest && std::any_of(digest, digest + 32, [](unsigned char byte) { return byte != 0; });
  return set ? fmt::format("{:02x}", fmt::join(digest, digest + 32, "")) : std::string{};
}

/// The lines of a (compressed) .MTREE by path; nothing when it cannot be read.
std::optional<Entries> parse_mtree(const std::string& text) {
  const Reader reader(archive_read_new());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_mtree(reader.get());
  if (archive_read_open_memory(reader.get(), text.data(), text.size()) != ARCHIVE_OK) return std::nullopt;
  Entries entries;
  archive_entry* entry = nullptr;
  int result = ARCHIVE_OK;
  while ((result = archive_read_next_header(reader.get(), &entry)) == ARCHIVE_OK || result == ARCHIVE_WARN) {
    auto listed = entry_of(entry);
    listed.sha256 = digest_of(entry);
    if (const auto path = path_of(entry); path != ".") entries.insert_or_assign(path, std::move(listed));
  }
  return result == ARCHIVE_EOF ? std::optional(std::move(entries)) : std::nullopt;
}

/// In what `found` is not as listed, or empty.
std::string difference(const Entry& found, const Entry& listed) {
  if (found.type != listed.type) return tr_text("is not of the listed type");
  if (found.mode && listed.mode && found.type != AE_IFLNK && found.mode != listed.mode)
    return tr("has mode {:o} instead of {:o}", *found.mode, *listed.mode);
  if (found.type == AE_IFLNK && found.link != listed.link)
    return tr("points to '{}' instead of '{}'", printable(found.link), printable(listed.link));
  if (found.type != AE_IFREG) return {};
  if (listed.size && found.size != listed.size)
    return tr("has {} bytes instead of {}", found.size.value_or(0), *listed.size);
  if (listed.sha256.empty()) return tr_text("has no listed SHA-256");
  return found.sha256 == listed.sha256 ? "" : tr_text("has not the listed content");
}

/// Everything in a package: its entries, hashed, and the text of its metadata.
struct Contents {
  Entries entries;
  std::string info;
  std::string mtree;
};

/// Hashes the entry; a small one that is wanted as text is kept as well.
void read_content(PackageReader& reader, Entry& entry, std::string* text,
                  const std::function<void(std::uint64_t)>& progress) {
  Sha256 sum;
  std::uint64_t size = 0;
  reader.read([&](std::string_view data) {
    sum.add(data);
    size += data.size();
    if (text) text->append(data);
    if (text && text->size() > metadata_limit) reader.refuse(tr_text("its metadata is too large"));
    if (progress) progress(reader.bytes_read());
  });
  entry.size = size;
  entry.sha256 = sum.finish();
}

/// The entry's description, once it is known to be something that belongs in a package.
Entry accept(const PackageReader& reader, archive_entry* raw, const std::string& path,
             const Entries& before) {
  const auto shown = printable(path);
  if (!stays_inside(path)) reader.refuse(tr("the path '{}' leaves the root", shown));
  if (before.contains(path)) reader.refuse(tr("'{}' is in it twice", shown));
  if (const char* hard_link = archive_entry_hardlink(raw)) {
    const auto target = before.find(plain(hard_link));
    if (target == before.end() || target->second.type != AE_IFREG || archive_entry_size(raw) > 0)
      reader.refuse(tr("'{}' is a link to no file in it", shown));
    return target->second;
  }
  auto entry = entry_of(raw);
  if (entry.type != AE_IFREG && entry.type != AE_IFDIR && entry.type != AE_IFLNK)
    reader.refuse(tr("'{}' is neither file, folder nor symlink", shown));
  return entry;
}

Contents read_contents(PackageReader& reader, const std::function<void(std::uint64_t)>& progress) {
  Contents contents;
  while (auto* raw = reader.next()) {
    const auto path = path_of(raw);
    auto entry = accept(reader, raw, path, contents.entries);
    auto* text = path == ".PKGINFO" ? &contents.info : path == ".MTREE" ? &contents.mtree : nullptr;
    if (entry.sha256.empty()) read_content(reader, entry, text, progress);
    contents.entries.emplace(path, std::move(entry));
  }
  if (progress) progress(reader.bytes_read());
  return contents;
}

std::vector<std::string> differences(const Entries& found, const Entries& listed) {
  std::vector<std::string> problems;
  for (const auto& [path, entry] : found) {
    const auto line = listed.find(path);
    const auto problem = line == listed.end() ? tr_text("is not in .MTREE") : difference(entry, line->second);
    if (!problem.empty()) problems.push_back(fmt::format("'{}' {}", printable(path), problem));
  }
  for (const auto& [path, entry] : listed)
    if (!found.contains(path)) problems.push_back(tr("'{}' is missing", printable(path)));
  return problems;
}

void set_field(Package& package, std::string_view key, const std::string& value) {
  if (key == "pkgname") package.name = value;
  if (key == "pkgver") package.version = value;
  if (key == "arch") package.arch = value;
  if (key == "pkgbase") package.base = value;
  if (key == "depend") package.depends.push_back(parse_dependency(value));
  if (key == "provides") package.provides.push_back(parse_dependency(value));
  if (key == "conflict") package.conflicts.push_back(parse_dependency(value));
  if (key == "size") std::from_chars(value.data(), value.data() + value.size(), package.installed_size);
}

Package parse_info(std::string_view text) {
  Package package;
  for (const auto& line : split(text, "\n")) {
    const auto equals = line.find(" = ");
    if (line[0] != '#' && equals != line.npos)
      set_field(package, trim(line.substr(0, equals)), std::string(trim(line.substr(equals + 3))));
  }
  return package;
}

/// The text, once it is known to describe a package.
const std::string& accept_info(const PackageReader& reader, const std::string& text) {
  const auto package = parse_info(text);
  if (!is_package_name(package.name) || !Version::parse(package.version) || package.arch.empty())
    reader.refuse(tr_text("its .PKGINFO gives no valid name, version and architecture"));
  return text;
}

/// As libalpm reads NoExtract: the last pattern that matches decides, `!` turns it round.
bool is_unchecked(const std::string& path, std::span<const std::string> patterns) {
  const auto matches = [&](const std::string& pattern) {
    const bool inverted = pattern.starts_with('!');
    return pattern == path || ::fnmatch(pattern.c_str() + inverted, path.c_str(), 0) == 0;
  };
  const auto last = std::find_if(patterns.rbegin(), patterns.rend(), matches);
  return last != patterns.rend() && !last->starts_with('!');
}

/// What is at `path`, hashed only when its size is the listed one; nothing when there is nothing.
std::optional<Entry> entry_on_disk(const fs::path& path, const Entry& listed) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  // libalpm, too, leaves an admin's symlink in place of a folder alone.
  if (listed.type == AE_IFDIR && S_ISLNK(info.st_mode) && fs::is_directory(path)) return listed;
  Entry entry{.type = info.st_mode & S_IFMT};
  if (S_ISLNK(info.st_mode)) entry.link = fs::read_symlink(path).string();
  if (!S_ISREG(info.st_mode)) return entry;
  entry.size = static_cast<std::uint64_t>(info.st_size);
  if (listed.type == AE_IFREG && entry.size == listed.size.value_or(*entry.size))
    entry.sha256 = sha256_file(path);
  return entry;
}

std::string difference_on_disk(const fs::path& path, const Entry& listed) {
  try {
    const auto found = entry_on_disk(path, listed);
    return found ? difference(*found, listed) : tr_text("is missing");
  } catch (const std::exception& error) {
    return tr("cannot be checked: {}", error.what());
  }
}

/// In what the attributes are not as listed, or empty.
std::string attribute_difference(const fs::path& path, const Entry& listed) {
  struct stat info {};
  if (listed.type == AE_IFDIR || ::lstat(path.c_str(), &info) != 0) return {};
  if (listed.mode && listed.type != AE_IFLNK && (info.st_mode & 07777) != *listed.mode)
    return tr("has mode {:o} instead of {:o}", info.st_mode & 07777, *listed.mode);
  if (::geteuid() == 0 && listed.owner && *listed.owner != std::pair(info.st_uid, info.st_gid))
    return tr("belongs to {}:{} instead of {}:{}", info.st_uid, info.st_gid, listed.owner->first,
              listed.owner->second);
  return listed.time && info.st_mtime != *listed.time ? tr_text("has not the listed time") : "";
}

using Comparison = std::string (*)(const fs::path&, const Entry&);

std::vector<std::string> compare_all(const fs::path& root, const fs::path& mtree,
                                     std::span<const std::string> unchecked, Comparison compare) {
  const auto listed = parse_mtree(read_file(mtree, metadata_limit));
  if (!listed) return {tr("'{}' cannot be read", mtree.string())};
  std::vector<std::string> problems;
  for (const auto& [path, entry] : *listed) {
    if (path.starts_with('.') || is_unchecked(path, unchecked)) continue;
    const auto problem = compare(root / path, entry);
    if (!problem.empty()) problems.push_back(fmt::format("'/{}' {}", printable(path), problem));
  }
  return problems;
}

/// libalpm keeps these two beside the list, under other names.
std::vector<std::string> compare_kept(const fs::path& mtree) {
  std::vector<std::string> problems;
  const auto listed = parse_mtree(read_file(mtree, metadata_limit));
  for (const auto& [name, kept] : {std::pair(".INSTALL", "install"), std::pair(".CHANGELOG", "changelog")}) {
    if (!listed || listed->count(name) == 0) continue;
    const auto problem = difference_on_disk(mtree.parent_path() / kept, listed->at(name));
    if (!problem.empty())
      problems.push_back(fmt::format("'{}' {}", (mtree.parent_path() / kept).string(), problem));
  }
  return problems;
}

/// Gives the reader of a package to `work`, unprivileged.
Message decode(const fs::path& file, std::string_view verdict,
               const std::function<Message(PackageReader&, const Tell&)>& work, const Tell& take = {}) {
  const auto opened = open_file(file, O_RDONLY);
  const int fd = opened.get();
  return run_unprivileged(
      {}, {&fd, 1},
      [&](const Host&, const Tell& tell) {
        PackageReader reader(file, fd, verdict);
        return work(reader, tell);
      },
      take);
}

/// The text of one of its files, or nothing; what comes behind it is not read.
std::optional<std::string> text_in(PackageReader& reader, std::string_view path) {
  while (auto* raw = reader.next()) {
    if (path_of(raw) != path) continue;
    Entry entry;
    std::string text;
    read_content(reader, entry, &text, {});
    return text;
  }
  return std::nullopt;
}

std::string require_text(PackageReader& reader, std::string_view path) {
  auto text = text_in(reader, path);
  if (!text) reader.refuse(tr("it has no {}", path));
  return std::move(*text);
}

/// All of it compared with its .MTREE; the text of its .PKGINFO.
std::string verified_info(PackageReader& reader, const std::function<void(std::uint64_t)>& progress) {
  auto contents = read_contents(reader, progress);
  if (contents.info.empty()) reader.refuse(tr("it has no {}", ".PKGINFO"));
  if (contents.mtree.empty()) reader.refuse(tr_text("it has no .MTREE to check it against"));
  const auto listed = parse_mtree(contents.mtree);
  if (!listed) reader.refuse(tr_text("its .MTREE cannot be read"));
  contents.entries.erase(".MTREE");
  const auto problems = differences(contents.entries, *listed);
  if (problems.size() == 1) reader.refuse(problems[0]);
  if (!problems.empty()) reader.refuse(tr("{} (and {} more)", problems[0], problems.size() - 1));
  return accept_info(reader, contents.info);
}

}  // namespace

Package read_package_info(const fs::path& file) {
  return parse_info(decode(file, "no package", [](PackageReader& reader, const Tell&) {
                      return accept_info(reader, require_text(reader, ".PKGINFO"));
                    }).get<std::string>());
}

std::string mtree_sha256(const fs::path& file) {
  return decode(file, "damaged", [](PackageReader& reader, const Tell&) {
    return sha256_text(require_text(reader, ".MTREE"));
  });
}

Package verify_package_archive(const fs::path& file, const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t step = 1 << 20;
  const auto work = [](PackageReader& reader, const Tell& tell) {
    std::uint64_t told = 0;
    std::uint64_t read = 0;
    auto info = verified_info(reader, [&](std::uint64_t done) {
      read = done;
      if (read < told + step) return;
      told = read;
      tell(read);
    });
    tell(read);
    return info;
  };
  const auto info = decode(file, "damaged", work, [&](const Message& done) {
    if (progress) progress(done.get<std::uint64_t>());
  });
  return parse_info(info.get<std::string>());
}

std::vector<std::string> compare_installed(const fs::path& root, const fs::path& mtree,
                                           std::span<const std::string> unchecked) {
  auto problems = compare_all(root, mtree, unchecked, difference_on_disk);
  for (auto& problem : compare_kept(mtree)) problems.push_back(std::move(problem));
  return problems;
}

std::vector<std::string> compare_attributes(const fs::path& root, const fs::path& mtree,
                                            std::span<const std::string> unchecked) {
  return compare_all(root, mtree, unchecked, attribute_difference);
}

void restore_times(const fs::path& root, const fs::path& mtree, std::span<const std::string> unchecked) {
  const auto listed = parse_mtree(read_file(mtree, metadata_limit));
  if (!listed) return;
  for (const auto& [path, entry] : *listed) {
    struct stat info {};
    if (path.starts_with('.') || entry.type == AE_IFDIR || !entry.time || is_unchecked(path, unchecked) ||
        ::lstat((root / path).c_str(), &info) != 0 || info.st_mtime == *entry.time)
      continue;
    const timespec times[] = {{*entry.time, 0}, {*entry.time, 0}};
    if (::utimensat(AT_FDCWD, (root / path).c_str(), times, AT_SYMLINK_NOFOLLOW) != 0)
      throw Error(tr("cannot set the time of '/{}': {}", printable(path), std::strerror(errno)));
  }
}

std::vector<std::string> paths_in_package(const fs::path& file) {
  return decode(file, "no package", [](PackageReader& reader, const Tell&) -> Message {
    std::vector<std::string> paths;
    if (const auto listed = parse_mtree(text_in(reader, ".MTREE").value_or("")))
      for (const auto& [path, ignored] : *listed)
        if (!path.starts_with('.') && stays_inside(path)) paths.push_back(path);
    return paths;
  });
}

bool each_line(std::string_view compressed, const std::function<void(std::string_view)>& take) {
  const Reader reader(archive_read_new());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_zstd(reader.get());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_entry* whole = nullptr;
  if (archive_read_open_memory(reader.get(), compressed.data(), compressed.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &whole) != ARCHIVE_OK)
    return false;
  std::string buffer(1 << 17, '\0');
  std::string open_line;
  la_ssize_t size = 0;
  while ((size = archive_read_data(reader.get(), buffer.data(), buffer.size())) > 0) {
    std::string_view text(buffer.data(), static_cast<std::size_t>(size));
    for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      if (open_line.empty()) {
        take(text.substr(0, end));
      } else {
        open_line += text.substr(0, end);
        take(open_line);
        open_line.clear();
      }
      text.remove_prefix(end + 1);
    }
    open_line += text;
    if (open_line.size() > metadata_limit) return false;
  }
  if (!open_line.empty()) take(open_line);
  return size == 0;
}

}  // namespace cudapin
