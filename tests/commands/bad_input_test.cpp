// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text.hpp"
#include "support/lab.hpp"
#include "support/rolling_world.hpp"
#include "system/files.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>

namespace cudapin {

namespace fs = std::filesystem;

namespace {

constexpr auto cuda_file = "cuda-11.1.0-2-x86_64.pkg.tar.zst";
constexpr auto cudnn_file = "cudnn-8.0.4.30-1-x86_64.pkg.tar.zst";

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// What every refusal has: words, a hint, the exit status, and a machine that is as it was. What was fetched
/// may stay in cudapin's own folder.
std::string refused(Lab& lab, const std::function<RunResult()>& act, ExitStatus status = ExitStatus::failed) {
  const auto untouched = lab.fingerprint(false);
  const auto conf = lab.pacman_conf();
  const auto result = act();
  CAPTURE(result.err);
  CHECK(result.status == status);
  CHECK(contains("\n" + result.err, "\nerror: "));
  CHECK(contains(result.err, "\nhint: "));
  CHECK(lab.fingerprint(false) == untouched);
  CHECK(lab.pacman_conf() == conf);
  CHECK(!fs::exists(lab.root.at("/var/lib/cudapin/journal")));
  CHECK(!fs::exists(lab.root.at("/var/lib/cudapin/state.json")));
  return result.err;
}

std::string refused_use(Lab& lab, std::vector<std::string> more = {},
                        ExitStatus status = ExitStatus::failed) {
  return refused(
      lab, [&] { return lab.use("ampere-11.1", more); }, status);
}

/// Refused before anything was asked of a server, too.
std::string refused_at_once(Lab& lab, const std::function<RunResult()>& act,
                            ExitStatus status = ExitStatus::failed) {
  const auto untouched = lab.fingerprint();
  auto err = refused(lab, act, status);
  CHECK(lab.fingerprint() == untouched);
  CHECK(lab.server.requests().empty());
  return err;
}

std::string site_profile(Lab& lab, const std::string& name, const std::string& text) {
  const auto folder = lab.root.at("/etc/cudapin/profiles");
  fs::create_directories(folder);
  write_text(folder / (name + ".yaml"), text);
  return (folder / (name + ".yaml")).string();
}

std::string ampere() { return read_file(fs::path(SOURCE_DIR) / "profiles/ampere-11.1.yaml"); }

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

void load_driver(Lab& lab, const std::string& version) {
  write_text(lab.proc / "driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + version + "  Thu\n");
}

void flip_byte(const fs::path& file, double where) {
  auto bytes = read_file(file);
  bytes[static_cast<std::size_t>(static_cast<double>(bytes.size()) * where)] ^= 0x20;
  fs::remove(file);
  write_text(file, bytes);
}

/// What a command did in a process with mounts of its own.
struct Elsewhere {
  bool ran = false;
  int status = -1;
  bool untouched = false;
  std::string err;
};

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(fd, buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(got));
  return text;
}

/// libalpm reads the mounts of the process, so a thread of its own is not enough. `ran` is false where mounts
/// are not allowed.
Elsewhere with_mounts(Lab& lab, const std::function<bool()>& prepare, const std::function<RunResult()>& act) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const auto child = ::fork();
  if (child == 0) {
    const bool ready = ::unshare(CLONE_NEWNS) == 0 &&
                       ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 && prepare();
    if (!ready) ::_exit(77);
    const auto before = lab.fingerprint(false);
    const auto result = act();
    const auto line =
        fmt::format("{} {} ", static_cast<int>(result.status), lab.fingerprint(false) == before);
    const auto text = line + result.err;
    ::_exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  const auto text = read_to_end(ends[0]);
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    MESSAGE("no mounts of our own here: skipped");
    return {};
  }
  REQUIRE(status == 0);
  const auto words = split(text, " ");
  return {true, std::stoi(words.at(0)), words.at(1) == "true",
          text.substr(words[0].size() + words[1].size() + 2)};
}

/// A refusal there, with a machine as it was and `part` among the words.
void check_refused_with(Lab& lab, const std::function<bool()>& prepare, std::string_view part) {
  const auto there = with_mounts(lab, prepare, [&] { return lab.use("ampere-11.1"); });
  if (!there.ran) return;
  CAPTURE(there.err);
  CHECK(there.status == static_cast<int>(ExitStatus::failed));
  CHECK(there.untouched);
  CHECK(contains(there.err, "error: "));
  CHECK(contains(there.err, "\nhint: "));
  CHECK(contains(there.err, part));
}

/// A small disk in place of the folder, with what the folder holds.
bool mount_small(const fs::path& folder, const char* size) {
  const TestFolder copy;
  fs::create_directories(folder);
  const auto options = fs::copy_options::recursive | fs::copy_options::copy_symlinks;
  fs::copy(folder, copy / "all", options);
  if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, fmt::format("size={},mode=0755", size).c_str()) != 0)
    return false;
  fs::copy(copy / "all", folder, options | fs::copy_options::overwrite_existing);
  return true;
}

bool make_read_only(const fs::path& folder) {
  return ::mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
         ::mount("none", folder.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0;
}

/// The archive's CUDA with `bulk` bytes more to install.
void enlarge_cuda(Lab& lab, std::uint64_t bulk) {
  for (auto package : world_packages(Place::moved))
    if (package.name == "cuda") {
      package.bulk = bulk;
      lab.add_to_archive(package);
    }
}

struct BadText {
  const char* what;
  std::string text;
  const char* message;
};
const BadText bad_texts[] = {
    {"tab", "name: bad\n\tsummary: x\n", ":2:1: tab used for indentation at line 2, use spaces"},
    {"duplicate key", "name: bad\nname: worse\n", ":2:1: duplicate key 'name', first given at line 1"},
    {"unknown key", "name: bad\nsumary: x\n", ":2:1: unknown key 'sumary', did you mean 'summary'?"},
    {"wrong type", "name: bad\ngenerations: ampere\n", ":2:14: 'generations' must be a list"},
    {"merge key", "name: bad\n<<: {summary: x}\n", ":2:1: merge keys (<<) are not allowed"},
    {"alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", ": aliases (*name) are not allowed"},
    {"recursive alias", "a: &a [*a]\n", ": anchors (&a) are not allowed"},
    {"not UTF-8", "name: bad\nsummary: caf\xE9\n", ":2:13: not UTF-8 at byte offset 22 (0xe9)"},
    {"NUL", std::string("name: bad\nsummary: a\0b\n", 23),
     ":2:11: control character at byte offset 20 (0x00)"},
    {"10,000 brackets", "name: " + repeated("[", 10'000), ": nested deeper than 64 levels"},
    {"10,000 braces", "name: " + repeated("{a: ", 10'000), ": nested deeper than 64 levels"},
    {"10 MB", "name: bad\n# " + repeated("x", 10'000'000) + "\n", "1048576"},
    {"empty", "", ":1:1: a profile must be a mapping"},
    {"a base that extends it", "name: bad\nextends: loop\n", ": a loop of profiles: bad -> loop -> bad"},
    {"itself as base", "name: bad\nextends: bad\n", ":2:10: 'bad' extends itself"},
    {"an unknown base", "name: bad\nextends: ampere-11.2\n",
     ":2:10: no profile is called 'ampere-11.2', did you mean 'ampere-11.1'?"},
};

}  // namespace

TEST_CASE("bad input: an unknown profile gets the closest name") {
  Lab lab;
  CHECK(
      contains(refused_at_once(lab, [&] { return lab.use("ampere-11.2"); }), "did you mean 'ampere-11.1'?"));
  CHECK(contains(refused_at_once(lab, [&] { return lab.use("zebra"); }), "hint: cudapin list"));
  CHECK(contains(refused_at_once(lab, [&] { return lab.use("./absent.yaml"); }), "absent.yaml"));
  CHECK(contains(refused_at_once(lab, [&] { return lab.use("../../etc/passwd"); }), "passwd"));
}

TEST_CASE("bad input: every kind of broken profile is told with its place") {
  Lab lab;
  site_profile(lab, "loop", "name: loop\nextends: bad\n");
  for (const auto& bad : bad_texts) {
    CAPTURE(std::string(bad.what));
    const auto path = site_profile(lab, "bad", bad.text);
    const auto err = refused_at_once(lab, [&] { return lab.use("bad"); });
    CHECK(contains(err, "/etc/cudapin/profiles/"));
    CHECK_MESSAGE(contains(err, bad.message), err.substr(0, 300));
    CHECK(err.size() < 20'000);
    const auto valid = lab.cudapin({"validate", path});
    CHECK(valid.status == ExitStatus::failed);
    CHECK(contains(valid.err, bad.message));
  }
}

TEST_CASE("bad input: a byte-order mark is none") {
  Lab lab;
  auto text = ampere();
  text.replace(text.find("name: ampere-11.1"), 17, "name: marked");
  site_profile(lab, "marked", "\xEF\xBB\xBF" + text);
  CHECK(lab.use("marked", {"--dry-run"}).status == ExitStatus::done);
}

TEST_CASE("bad input: a version in no source is told with the nearest five") {
  Lab lab;
  for (const auto* version : {"9.2.148-1", "11.0.2-1", "11.1.1-1", "11.2.2-2", "11.3.1-1", "11.8.0-1"})
    lab.add_to_archive(StandIn{.name = "cuda", .version = version});
  fs::remove(lab.moved_folder / "m" / cuda_file);
  const auto err = refused_use(lab);
  CHECK(contains(err, std::string("cannot find '") + cuda_file + "'"));
  CHECK(contains(err,
                 "the nearest versions of 'cuda' there: 9.2.148-1, 10.2.89-5, 11.0.2-1, 11.1.1-1, 11.2.2-2"));
}

TEST_CASE("bad input: an archive that does not answer is named") {
  Lab lab;
  const auto err = refused_use(lab, {"--archive", "http://127.0.0.1:1"});
  CHECK(contains(err, "127.0.0.1:1"));
  CHECK(contains(refused_use(lab, {"--archive", "http://no-such-host.invalid"}), "no-such-host.invalid"));
}

TEST_CASE("bad input: an archive that has nothing and a listing that is empty") {
  Lab lab;
  const TestFolder empty;
  fs::create_directories(empty / "packages/c/cuda");
  ArchiveServer server(empty.path());
  const auto err = refused_use(lab, {"--archive", server.url()});
  CHECK(contains(err, "does not have it"));
  CHECK(contains(err, "no version of 'cuda' is listed there"));
  CHECK(contains(refused_use(lab, {"--archive", empty.path().string()}), "is in no cache or folder"));
}

TEST_CASE("bad input: a truncated body and a web page are no packages") {
  using Kind = Fault::Kind;
  Lab lab;
  lab.server.set_fault(cuda_file, {Kind::cut, 100});
  CHECK(contains(refused_use(lab), cuda_file));
  lab.server.clear_faults();
  lab.server.set_fault(cuda_file, {Kind::page});
  CHECK(contains(refused_use(lab), "answered with a web page ('Sign in')"));
  lab.server.clear_faults();
  lab.server.set_fault(cuda_file, {Kind::forbidden});
  CHECK(contains(refused_use(lab), "403"));
}

TEST_CASE("bad input: wrong bytes under a good name are refused") {
  Lab lab;
  flip_byte(lab.archived(cuda_file), 0.5);
  CHECK(contains(refused_use(lab), cuda_file));
}

TEST_CASE("bad input: damage past the head that was signed all the same is found") {
  Lab lab;
  const auto file = lab.archived(cuda_file);
  flip_byte(file, 0.9);
  lab.sign(file);
  CHECK(contains(refused_use(lab), "damaged"));
}

TEST_CASE("bad input: each kind of bad signature is told apart") {
  struct Kind {
    TestKey key;
    const char* word;
  };
  for (const auto& [key, word] :
       {Kind{TestKey::untrusted, "certify"}, Kind{TestKey::expired, "expired"},
        Kind{TestKey::revoked, "revoked"}, Kind{TestKey::absent, "does not have"}}) {
    Lab lab;
    lab.sign(lab.archived(cudnn_file), key);
    const auto err = refused_use(lab);
    CAPTURE(std::string(word));
    CHECK(contains(err, cudnn_file));
    CHECK(contains(err, word));
  }
  Lab lab;
  const auto signature = lab.archived(std::string(cudnn_file) + ".sig");
  fs::copy_file(lab.archived(std::string(cuda_file) + ".sig"), signature,
                fs::copy_options::overwrite_existing);
  CHECK(contains(refused_use(lab), "is not the file that the signature"));
  fs::remove(signature);
  fs::remove_all(lab.root.at("/var/lib/cudapin/store"));
  CHECK(contains(refused_use(lab), "no signature"));
}

TEST_CASE("bad input: a package of another name or version or architecture inside") {
  for (const auto& other :
       {StandIn{.name = "gcc", .version = "8.0.4.30-1"}, StandIn{.name = "cudnn", .version = "8.0.4.30-2"},
        StandIn{.name = "cudnn", .version = "8.0.4.30-1", .arch = "aarch64"}}) {
    Lab lab;
    const TestFolder folder;
    const auto file = lab.archived(cudnn_file);
    fs::copy_file(build_package(other, folder.path()), file, fs::copy_options::overwrite_existing);
    lab.sign(file);
    const auto err = refused_use(lab);
    CHECK(contains(err, cudnn_file));
    CHECK(contains(err, other.arch == "x86_64" ? other.name + " " + other.version : "built for aarch64"));
  }
}

TEST_CASE("bad input: a disk that is full before is told before anything changes") {
  Lab lab;
  enlarge_cuda(lab, 8'000'000);
  check_refused_with(
      lab, [&] { return mount_small(lab.root.at("/usr"), "1m"); }, "disk space");
}

TEST_CASE("bad input: a disk that fills while files are fetched leaves the machine alone") {
  Lab lab;
  enlarge_cuda(lab, 8'000'000);
  check_refused_with(
      lab, [&] { return mount_small(lab.root.at("/var/lib/cudapin"), "2m"); }, "No space left on device");
}

TEST_CASE("bad input: a disk that fills during the commit is told and finished by recover") {
  Lab lab;
  std::string second;
  const auto local = lab.root.local_database();
  const auto there = with_mounts(
      lab, [&] { return mount_small(local, "1m"); },
      [&] {
        // What is left is less than the new entries need; libalpm does not count its database.
        const auto space = fs::space(local).available;
        write_text(local / "ballast", repeated("x", space - std::min<std::uintmax_t>(space, 8192)));
        auto broken = lab.use("ampere-11.1");
        fs::remove(local / "ballast");
        const auto mended = lab.cudapin({"recover", "--noconfirm"});
        const bool is_old = lab.version("cuda") == "13.1.1-1" && lab.version("cudnn") == "9.18.1.3-1";
        const bool is_new = lab.version("cuda") == "11.1.0-2" && lab.version("cudnn") == "8.0.4.30-1";
        broken.err += fmt::format("then {} {}", static_cast<int>(mended.status), is_old || is_new);
        broken.err += fs::exists(lab.root.at("/var/lib/cudapin/journal")) ? "open " : "closed " + mended.err;
        return broken;
      });
  if (!there.ran) return;
  CAPTURE(there.err);
  CHECK(there.status == static_cast<int>(ExitStatus::failed));
  CHECK(contains(there.err, "\nhint: "));
  CHECK(contains(there.err, "then 0 trueclosed"));
}

TEST_CASE("bad input: a read-only file system is told with its place") {
  for (const auto* folder : {"/var/lib/pacman", "/var/lib/cudapin", "/etc"}) {
    Lab lab;
    CAPTURE(std::string(folder));
    fs::create_directories(lab.root.at(folder));
    check_refused_with(
        lab, [&] { return make_read_only(lab.root.at(folder)); }, "ead-only");
  }
}

TEST_CASE("bad input: a pacman that runs is named with its pid and command") {
  Lab lab;
  write_text(lab.root.lock_file(), "");
  fs::create_directories(lab.proc / "4711/fd");
  fs::create_symlink(lab.root.lock_file(), lab.proc / "4711/fd/7");
  write_text(lab.proc / "4711/cmdline", std::string("pacman\0-Syu\0", 12));
  const auto err = refused_use(lab);
  CHECK(contains(err, "pid 4711 (pacman -Syu)"));
  CHECK(fs::exists(lab.root.lock_file()));
}

TEST_CASE("bad input: who is not root is told to be") {
  Lab lab;
  lab.privileged = false;
  CHECK(contains(refused_at_once(lab, [&] { return lab.use("ampere-11.1"); }),
                 "hint: sudo cudapin use ampere-11.1"));
  CHECK(contains(lab.cudapin({"release", "--noconfirm"}).err, "hint: sudo"));
}

TEST_CASE("bad input: cards that do not fit are told why") {
  Lab lab;
  const auto with = [&](std::vector<std::string> cards) {
    std::vector<std::string> args;
    for (const auto& card : cards) args.insert(args.end(), {"--gpu", card});
    return refused_at_once(lab, [&] { return lab.use("ampere-11.1", args); });
  };
  CHECK(contains(with({"RTX 5090"}), "sm_120"));      // too new
  CHECK(contains(with({"GTX 780"}), "no longer"));    // too old
  CHECK(contains(with({"10de:ffff"}), "10de:ffff"));  // unknown id
  CHECK(contains(with({"RTX 9999"}), "RTX 9999"));    // unknown name
  CHECK(contains(with({"RTX 3090", "GTX 1060"}),
                 "no longer drives the GeForce GTX 1060"));  // one of two does not fit
  lab.find_card = true;
  CHECK(contains(refused_at_once(lab, [&] { return lab.use("ampere-11.1"); }), "no NVIDIA GPU"));
}

TEST_CASE("bad input: cards of several generations at once are warned about where the set serves one") {
  Lab lab;
  const auto result = lab.use("ampere-11.1", {"--gpu", "RTX 3090", "--gpu", "TITAN RTX", "--dry-run"});
  CAPTURE(result.err);
  CHECK(result.status == ExitStatus::done);
  CHECK(contains(result.out, "warning: "));
  CHECK(contains(result.out, "TITAN RTX"));
}

TEST_CASE("bad input: a driver that is missing or below the floor") {
  Lab lab;
  load_driver(lab, "440.100");
  CHECK(contains(refused_at_once(lab, [&] { return lab.use("ampere-11.1", {"--gpu", "8.0"}); }), "440.100"));
  fs::remove_all(lab.proc / "driver");
  for (const auto& entry : fs::directory_iterator(lab.root.local_database()))
    if (entry.path().filename().string().starts_with("nvidia-")) fs::remove_all(entry.path());
  for (const auto& entry : fs::directory_iterator(lab.root.at("/usr/lib")))
    if (entry.path().filename().string().starts_with("lib")) fs::remove_all(entry.path());
  fs::remove_all(lab.root.at("/usr/lib/modules"));
  const auto err = refused_at_once(lab, [&] { return lab.use("ampere-11.1"); });
  CHECK_MESSAGE(contains(err, "no NVIDIA driver is installed"), err);
}

}  // namespace cudapin
