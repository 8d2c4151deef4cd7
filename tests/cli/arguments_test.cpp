// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.hpp"

#include "core/error.hpp"

#include <doctest/doctest.h>

namespace cudapin {

namespace {

using Words = std::vector<std::string>;

template <typename Options>
Options parsed(const Words& words) {
  const auto arguments = parse_arguments(words);
  REQUIRE(std::holds_alternative<Options>(arguments));
  return std::get<Options>(arguments);
}

std::string help(const Words& words) { return parsed<HelpRequest>(words).text; }

Error refusal(const Words& words) {
  try {
    parse_arguments(words);
  } catch (const Error& error) {
    CHECK(error.status == ExitStatus::usage);
    return error;
  }
  FAIL("accepted");
  return Error("");
}

}  // namespace

TEST_CASE("arguments: use takes its options in any order") {
  const auto options = parsed<UseOptions>({"use", "-n", "ampere-11.1", "--gpu", "rtx 3090",
                                           "--archive=http://a", "--noconfirm", "--gpu=8.6", "--offline",
                                           "--json", "--archive", "/srv/b", "-v", "--root", "/mnt"});
  CHECK(options.profile == "ampere-11.1");
  CHECK(options.dry_run);
  CHECK(options.noconfirm);
  CHECK(options.offline);
  CHECK(options.json);
  CHECK(options.verbose);
  CHECK(!options.quiet);
  CHECK(options.root == "/mnt");
  CHECK(options.gpus == Words{"rtx 3090", "8.6"});
  CHECK(options.archives == Words{"http://a", "/srv/b"});
}

TEST_CASE("arguments: nothing is set that was not asked for") {
  const auto options = parsed<UseOptions>({"use", "./my.yaml"});
  CHECK(options.profile == "./my.yaml");
  CHECK(options.root == "/");
  CHECK(options.gpus.empty());
  CHECK(options.archives.empty());
  CHECK(!(options.dry_run || options.noconfirm || options.offline || options.json || options.verbose ||
          options.quiet));
}

TEST_CASE("arguments: a second call knows nothing of the first") {
  CHECK(parsed<UseOptions>({"use", "a", "-n", "--gpu", "8.6"}).gpus.size() == 1);
  const auto options = parsed<UseOptions>({"use", "b"});
  CHECK(!options.dry_run);
  CHECK(options.gpus.empty());
}

TEST_CASE("arguments: each verb gives its own options") {
  CHECK(parsed<ReleaseOptions>({"release", "-n", "--json"}).json);
  CHECK(parsed<ReleaseOptions>({"release", "--noconfirm"}).noconfirm);
  CHECK(parsed<RecoverOptions>({"recover", "--back"}).back);
  CHECK(parsed<ListOptions>({"list", "--json"}).json);
  CHECK(parsed<ShowOptions>({"show", "ampere-11.1"}).profile == "ampere-11.1");
  CHECK(parsed<StatusOptions>({"status", "-q"}).quiet);
}

TEST_CASE("arguments: root and loudness may stand before the verb") {
  CHECK(parsed<StatusOptions>({"--root", "/mnt", "-v", "status"}).root == "/mnt");
  CHECK(parsed<StatusOptions>({"--root=/mnt", "status"}).root == "/mnt");
  CHECK(parsed<UseOptions>({"-q", "use", "x"}).quiet);
  CHECK(parsed<StatusOptions>({"--root", "/a", "status", "--root", "/b"}).root == "/b");
}

TEST_CASE("arguments: words after a double dash are no options") {
  CHECK(parsed<UseOptions>({"use", "-n", "--", "-odd-name"}).profile == "-odd-name");
}

TEST_CASE("arguments: version and help need nothing else") {
  CHECK(std::holds_alternative<VersionRequest>(parse_arguments(Words{"--version"})));
  CHECK(std::holds_alternative<VersionRequest>(parse_arguments(Words{"-V"})));
  CHECK(help({"--help"}) == help({"-h"}));
  CHECK(help({"use", "--help"}) == help({"--help", "use"}));
  CHECK(help({"use", "-h"}).starts_with("usage: cudapin use [options] <profile>\n"));
}

TEST_CASE("arguments: help names every verb and an example") {
  const auto text = help({"--help"});
  for (const auto* verb : {"use", "release", "recover", "list", "show", "status"}) {
    CAPTURE(verb);
    CHECK(text.find(std::string("\n  ") + verb + ' ') != std::string::npos);
    CHECK(help({verb, "--help"}).find("\nexample:\n  ") != std::string::npos);
    CHECK(help({verb, "--help"}).find(std::string("cudapin ") + verb) != std::string::npos);
  }
  for (const auto* option : {"-n, --dry-run", "--root <dir>", "--gpu <gpu>", "--archive <url>", "--offline"})
    CHECK(help({"use", "--help"}).find(option) != std::string::npos);
  for (const auto& lines : {text, help({"use", "--help"})})
    for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
      CHECK(lines.find('\n', at) - at <= 80);
}

TEST_CASE("arguments: what makes no sense is told in words") {
  struct Case {
    Words words;
    std::string message;
    std::string hint;
  };
  const std::vector<Case> cases{
      {{}, "no verb given", "cudapin --help"},
      {{"-q"}, "no verb given", "cudapin --help"},
      {{"usee", "x"}, "unknown verb 'usee', did you mean 'use'?", "cudapin --help"},
      {{"stat"}, "unknown verb 'stat', did you mean 'status'?", "cudapin --help"},
      {{"kubernetes"}, "unknown verb 'kubernetes'", "cudapin --help"},
      {{""}, "unknown verb ''", "cudapin --help"},
      {{"a\nb\x1b"}, "unknown verb 'a?b?'", "cudapin --help"},
      {{"--verison"}, "unknown option '--verison', did you mean '--version'?", "cudapin --help"},
      {{"use"}, "'use' needs a profile", "cudapin list"},
      {{"show", ""}, "'show' needs a profile", "cudapin list"},
      {{"use", "a", "b"}, "unexpected argument 'b'", "cudapin use --help"},
      {{"list", "x"}, "unexpected argument 'x'", "cudapin list --help"},
      {{"use", "a", "--dry-rnu"},
       "unknown option '--dry-rnu', did you mean '--dry-run'?",
       "cudapin use --help"},
      {{"use", "a", "--frobnicate=1"}, "unknown option '--frobnicate'", "cudapin use --help"},
      {{"use", "a", "-nx"}, "unknown option '-x'", "cudapin use --help"},
      {{"recover", "--json"}, "unknown option '--json'", "cudapin recover --help"},
      {{"use", "a", "--root"}, "option '--root' needs a value", "cudapin use --help"},
      {{"use", "a", "--root="}, "option '--root' needs a value", "cudapin use --help"},
      {{"use", "a", "--root", ""}, "option '--root' needs a value", "cudapin use --help"},
      {{"use", "a", "--gpu", "-n"}, "option '--gpu' needs a value", "cudapin use --help"},
      {{"use", "a", "--gpu"}, "option '--gpu' needs a value", "cudapin use --help"},
      {{"use", "a", "--gpu="}, "option '--gpu' needs a value", "cudapin use --help"},
      {{"use", "a", "--archive", ""}, "option '--archive' needs a value", "cudapin use --help"},
      {{"use", "a", "--root", "--offline"}, "option '--root' needs a value", "cudapin use --help"},
      {{"use", "--gpu", "8.6", "b", "c"}, "unexpected argument 'c'", "cudapin use --help"},
      {{"use", "a", "--dry-run=no"}, "option '--dry-run' takes no value", "cudapin use --help"},
      {{"use", "a", "-q", "-v"},
       "options '--quiet' and '--verbose' exclude each other",
       "cudapin use --help"},
      {{"use", "a", "--json"}, "'use' prints JSON only with '--dry-run'", "cudapin use --help"},
      {{"release", "--json"}, "'release' prints JSON only with '--dry-run'", "cudapin release --help"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.message);
    const auto error = refusal(each.words);
    CHECK(std::string(error.what()) == each.message);
    CHECK(error.hint == each.hint);
  }
}

TEST_CASE("arguments: an option may be given twice") {
  CHECK(parsed<UseOptions>({"use", "a", "-n", "--dry-run"}).dry_run);
  CHECK(parsed<StatusOptions>({"status", "-vv"}).verbose);
}

TEST_CASE("arguments: how the network is used is read and checked") {
  const auto options = parsed<FetchOptions>(
      {"fetch", "p", "--connections", "16", "--limit-rate", "1.5M", "-6", "--netrc", "--json-progress"});
  CHECK(options.network.connections == 16);
  CHECK(options.network.limit_rate == 1'572'864);
  CHECK((options.network.version == Network::Version::six));
  CHECK(options.network.use_netrc);
  CHECK(options.json_progress);
  CHECK(parsed<UseOptions>({"use", "p", "--limit-rate", "500K"}).network.limit_rate == 512'000);
  CHECK(parsed<UseOptions>({"use", "p"}).network.connections == 0);
  for (const auto* wrong : {"0", "17", "four", "4x", ""}) refusal({"fetch", "p", "--connections", wrong});
  for (const auto* wrong : {"0", "-1", "fast", "2T", "2MB", "inf", ""})
    refusal({"fetch", "p", "--limit-rate", wrong});
}

TEST_CASE("arguments: no value of an option before the verb is taken for the verb") {
  for (const auto& verb : described_verbs())
    for (const auto& option : verb.options) {
      if (option.placeholder.empty()) continue;
      CAPTURE(option.name);
      std::string said;
      try {
        parse_arguments(std::vector<std::string>{"--" + option.name, "1", verb.name});
      } catch (const Error& error) {
        said = error.what();
      }
      CHECK(said.find("unknown verb") == said.npos);
    }
}

}  // namespace cudapin
