// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/arguments.hpp"

#include "cli/actions.hpp"
#include "cli/argument_checks.hpp"
#include "cli/report.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>

namespace cudapin {

namespace {

struct Verb {
  std::string name;
  std::string operand;  ///< as the synopsis shows it, or empty
  const char* summary;
  std::string example;
};

/// What a command line asks for besides its verb's options.
struct Requests {
  bool help = false;
  bool version = false;
};

void add_flag(CLI::App& app, const std::string& names, bool& target, const std::string& text) {
  app.add_flag(names, target, text)->disable_flag_override();
}

void add_value(CLI::App& app, const std::string& names, const std::string& placeholder, std::string& target,
               const std::string& text) {
  app.add_option(names, target, text)->option_text(placeholder)->take_last();
}

void add_values(CLI::App& app, const std::string& names, const std::string& placeholder,
                std::vector<std::string>& target, const std::string& text) {
  app.add_option(names, target, text)->option_text(placeholder)->allow_extra_args(false);
}

void add_profile(CLI::App& app, std::string& target) { app.add_option("profile", target); }

void add_dry_run(CLI::App& app, bool& target) {
  add_flag(app, "-n,--dry-run", target, tr_text("show what would be done and stop"));
}

void add_noconfirm(CLI::App& app, bool& target) {
  add_flag(app, "--noconfirm", target, tr_text("do not ask for confirmation"));
}

void add_archives(CLI::App& app, std::vector<std::string>& target) {
  add_values(app, "--archive", "<url>", target, tr_text("fetch from here instead (repeatable)"));
}

void add_json(CLI::App& app, bool& target) { add_flag(app, "--json", target, tr_text("print JSON")); }

void add_gpus(CLI::App& app, std::vector<std::string>& target) {
  add_values(app, "--gpu", "<gpu>", target,
             tr_text("judge for this card instead of those found (repeatable)"));
}

void add_offline(CLI::App& app, bool& target) {
  add_flag(app, "--offline", target, tr_text("download nothing, use what is stored on this machine"));
}

void add_locked(CLI::App& app, bool& target) {
  add_flag(app, "--locked", target, tr_text("fail where the profile has no lock"));
}

void add_fetching(CLI::App& app, FetchingOptions& options) {
  auto& network = options.network;
  app.add_option_function<std::string>(
         "--connections",
         [&network](const std::string& text) { network.connections = read_connections(text); },
         tr_text("to one server at once (1 to 16)"))
      ->option_text("<n>");
  app.add_option_function<std::string>(
         "--limit-rate", [&network](const std::string& text) { network.limit_rate = read_rate(text); },
         tr_text("bytes a second of all transfers, such as 2M"))
      ->option_text("<rate>");
  app.add_flag_callback(
      "-4,--ipv4", [&network] { network.version = Network::Version::four; }, tr_text("use IPv4 alone"));
  app.add_flag_callback(
      "-6,--ipv6", [&network] { network.version = Network::Version::six; }, tr_text("use IPv6 alone"));
  add_flag(app, "--netrc", network.use_netrc, tr_text("take names and passwords from ~/.netrc"));
  add_flag(app, "--json-progress", options.json_progress,
           tr_text("tell of transfers in lines of JSON on standard error"));
}

void add_options(CLI::App& app, LockOptions& options) {
  add_profile(app, options.profile);
  add_flag(app, "--vouch", options.vouch, tr_text("let in, after asking, what pacman refuses"));
  add_offline(app, options.offline);
  add_archives(app, options.archives);
  add_fetching(app, options);
}

void add_options(CLI::App& app, FetchOptions& options) {
  app.add_option("words", options.words);
  add_value(app, "--to", "<dir>", options.to, tr_text("into this folder, laid out like an archive"));
  add_flag(app, "--import", options.import_files,
           tr_text("take these package files, which came by other ways"));
  add_locked(app, options.locked);
  add_offline(app, options.offline);
  add_archives(app, options.archives);
  add_fetching(app, options);
  add_json(app, options.json);
}

void add_options(CLI::App& app, UseOptions& options) {
  add_profile(app, options.profile);
  add_dry_run(app, options.dry_run);
  add_noconfirm(app, options.noconfirm);
  add_offline(app, options.offline);
  add_locked(app, options.locked);
  add_gpus(app, options.gpus);
  add_archives(app, options.archives);
  add_fetching(app, options);
  add_values(app, "--remove", "<package>", options.removals,
             tr_text("let a package go that would break (repeatable)"));
  add_json(app, options.json);
}

void add_options(CLI::App& app, ReleaseOptions& options) {
  add_dry_run(app, options.dry_run);
  add_noconfirm(app, options.noconfirm);
  add_json(app, options.json);
}

void add_options(CLI::App& app, RecoverOptions& options) {
  add_flag(app, "--back", options.back, tr_text("go back to the versions from before the change"));
  add_noconfirm(app, options.noconfirm);
}

void add_options(CLI::App& app, UndoOptions& options) {
  add_dry_run(app, options.dry_run);
  add_noconfirm(app, options.noconfirm);
  add_offline(app, options.offline);
  add_archives(app, options.archives);
  add_fetching(app, options);
}

void add_options(CLI::App& app, StoreOptions& options) {
  app.add_option("action", options.action);
  app.add_option("--keep", options.keep, tr_text("newest versions of each package that prune leaves (1)"))
      ->option_text("<n>")
      ->take_last();
  add_dry_run(app, options.dry_run);
  add_json(app, options.json);
}

void add_options(CLI::App& app, PinOptions& options) {
  add_flag(app, "--repair", options.repair, tr_text("write the pins anew, lose nobody else's line"));
}

void add_options(CLI::App& app, HistoryOptions& options) { add_json(app, options.json); }

void add_options(CLI::App& app, ShowOptions& options) {
  add_profile(app, options.profile);
  add_json(app, options.json);
}

void add_options(CLI::App& app, ValidateOptions& options) {
  app.add_option("files", options.files);
  add_json(app, options.json);
}

void add_options(CLI::App& app, VersionsOptions& options) {
  app.add_option("packages", options.packages);
  add_flag(app, "--offline", options.offline, tr_text("ask no archive, show what is on this machine"));
  add_gpus(app, options.gpus);
  add_archives(app, options.archives);
  add_json(app, options.json);
}

void add_options(CLI::App& app, ListOptions& options) { add_json(app, options.json); }
void add_options(CLI::App& app, StatusOptions& options) { add_json(app, options.json); }
void add_options(CLI::App& app, WhoOptions& options) { add_json(app, options.json); }

void add_packages(CLI::App& app, std::vector<std::string>& target) {
  add_values(app, "--package", "<name>", target, tr_text("only this package (repeatable)"));
}

void add_options(CLI::App& app, FreezeOptions& options) {
  add_value(app, "--for", "<time>", options.duration, tr_text("how long: 3d, 12h, 30m"));
  add_value(app, "--reason", "<text>", options.reason, tr_text("what others are told"));
  add_packages(app, options.packages);
}

void add_options(CLI::App& app, ThawOptions& options) { add_packages(app, options.packages); }

void add_options(CLI::App& app, AllowOptions& options) {
  add_flag(app, "--once", options.once,
           tr_text("for the next transaction that would be blocked, within an hour"));
  add_value(app, "--for", "<time>", options.duration,
            tr_text("for every transaction within this time: 10m, 2h"));
  add_packages(app, options.packages);
}

void add_options(CLI::App& app, GuardOptions& options) { app.add_option("words", options.words); }
void add_options(CLI::App&, RunOptions&) {}

void add_options(CLI::App& app, UpgradeOptions& options) {
  add_dry_run(app, options.dry_run);
  add_noconfirm(app, options.noconfirm);
}

void add_options(CLI::App& app, DoctorOptions& options) {
  add_profile(app, options.candidate);
  add_gpus(app, options.gpus);
  add_value(app, "--env", "<dir>", options.env,
            tr_text("judge a virtual environment or conda prefix, running nothing in it"));
  app.add_option("--explain", options.explain,
                 tr_text("explain an error text; without one, or with '-', a log on standard input"))
      ->option_text("[text]")
      ->take_last()
      ->expected(0, 1)
      ->default_str("-");
  add_json(app, options.json);
}

void add_options(CLI::App& app, SuggestOptions& options) {
  add_gpus(app, options.gpus);
  add_json(app, options.json);
}

void add_options(CLI::App& app, TuneOptions& options) { add_dry_run(app, options.dry_run); }

void add_options(CLI::App& app, EnvOptions& options) {
  add_profile(app, options.profile);
  add_value(app, "--shell", "<shell>", options.shell,
            tr_text("bash, zsh or fish; else the one that $SHELL names"));
  add_flag(app, "--library-path", options.loader_path, tr_text("set LD_LIBRARY_PATH too"));
  add_gpus(app, options.gpus);
}

void add_output(CLI::App& app, std::string& target) {
  add_value(app, "-o,--output", "<file>", target, tr_text("write into this file"));
}

void add_options(CLI::App& app, ProfileOptions& options) {
  app.add_option("action", options.action);
  app.add_option("words", options.words);
  add_output(app, options.output);
  add_flag(app, "--lock", options.lock, tr_text("for export: the lock too, beside the file"));
  add_flag(app, "--vouch", options.vouch, tr_text("for trust: its locks may vouch for packages"));
  add_value(app, "--fingerprint", "<hex>", options.fingerprint,
            tr_text("for trust: the key meant, instead of a yes"));
  add_value(app, "--key", "<key>", options.key, tr_text("for sign and publish: the secret key that signs"));
  app.add_option("--days", options.days, tr_text("for publish: how long the index holds (30)"))
      ->option_text("<n>")
      ->take_last();
  add_dry_run(app, options.dry_run);
  add_noconfirm(app, options.noconfirm);
  add_json(app, options.json);
}

void add_options(CLI::App& app, MetricsOptions& options) { add_output(app, options.output); }

void add_options(CLI::App&, CommonOptions&) {}

void add_common(CLI::App& app, CommonOptions& options, Requests& requests) {
  app.set_help_flag();
  app.allow_extras();
  add_value(app, "--root", "<dir>", options.root, tr_text("work on the system below this folder"));
  add_value(app, "--color", "<when>", options.color, tr_text("colour the text: auto, always or never"));
  add_flag(app, "-q,--quiet", options.quiet, tr_text("say only what is needed"));
  add_flag(app, "-v,--verbose", options.verbose, tr_text("say more"));
  add_flag(app, "-h,--help", requests.help, tr_text("show this help"));
  add_flag(app, "-V,--version", requests.version, tr_text("show the version"));
}

/// `-n, --dry-run`, `    --root <dir>`.
std::string option_column(const CLI::Option& option) {
  const auto& letters = option.get_snames();
  const auto& placeholder = option.get_option_text();
  return fmt::format("  {:3} --{}{}{}", letters.empty() ? "" : "-" + letters[0] + ",", option.get_lnames()[0],
                     placeholder.empty() ? "" : " ", placeholder);
}

std::string option_list(const CLI::App& app) {
  std::size_t width = 0;
  for (const auto* option : app.get_options())
    if (!option->get_positional()) width = std::max(width, option_column(*option).size() + 2);
  std::string text = tr_text("options:\n");
  for (const auto* option : app.get_options())
    if (!option->get_positional())
      text +=
          fmt::format("{:{}}{}\n", option_column(*option), width, wrap(option->get_description(), width, 80));
  return text;
}

std::vector<OptionText> option_texts(const CLI::App& app) {
  std::vector<OptionText> texts;
  for (const auto* option : app.get_options())
    if (!option->get_positional())
      texts.push_back({option->get_lnames()[0], option->get_snames().empty() ? "" : option->get_snames()[0],
                       option->get_option_text(), option->get_description()});
  return texts;
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The option that a parser's message is about, named there with or without its dashes; or null.
const CLI::Option* blamed_option(const CLI::App& app, const std::string& message) {
  for (const auto& word : split(message, " :,=\n"))
    for (const auto* dashes : {"", "--", "-"})
      if (const auto* option = app.get_option_no_throw(dashes + word); option && !option->get_positional())
        return option;
  return nullptr;
}

[[noreturn]] void refuse_option(const CLI::App& app, const std::string& message, const std::string& hint) {
  const auto* option = blamed_option(app, message);
  if (!option) refuse(tr_text("the command line makes no sense"), hint);
  const bool is_flag = option->get_option_text().empty();
  refuse(tr("option '--{}' {}", option->get_lnames()[0],
            is_flag ? tr_text("takes no value") : tr_text("needs a value")),
         hint);
}

/// What the parser did not know, told with the nearest option.
void refuse_extras(const CLI::App& app, const std::string& hint) {
  auto extras = app.remaining();
  std::erase(extras, "--");
  if (extras.empty()) return;
  const auto option =
      std::ranges::find_if(extras, [](const auto& word) { return word.size() > 1 && word[0] == '-'; });
  if (option == extras.end()) refuse(tr("unexpected argument '{}'", extras[0]), hint);
  const auto name = option->substr(0, option->find('='));
  refuse(tr("unknown option '{}'{}", name, name.size() > 2 ? did_you_mean(name, long_names(app)) : ""), hint);
}

void parse(CLI::App& app, std::vector<std::string> words, const std::string& hint) {
  std::ranges::reverse(words);
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    refuse_option(app, error.what(), hint);
  }
  refuse_extras(app, hint);
}

template <typename Options>
void check(const Verb& verb, const Options& options, const std::string& hint) {
  require_value(options.root, "--root", hint);
  if (options.color != "auto" && options.color != "always" && options.color != "never")
    refuse(tr_text("--color takes auto, always or never"), hint);
  if (options.quiet && options.verbose)
    refuse(tr_text("options '--quiet' and '--verbose' exclude each other"), hint);
  if constexpr (requires { options.profile; })
    if (options.profile.empty()) refuse(tr("'{}' needs a profile", verb.name), "cudapin list");
  if constexpr (std::same_as<Options, ValidateOptions>)
    if (options.files.empty()) refuse(tr_text("'validate' needs a file"), hint);
  if constexpr (std::same_as<Options, FetchOptions>) check_fetch(options, hint);
  if constexpr (std::same_as<Options, VersionsOptions>) check_packages(options.packages, hint);
  if constexpr (requires { options.gpus; })
    for (const auto& gpu : options.gpus) require_value(gpu, "--gpu", hint);
  if constexpr (std::same_as<Options, DoctorOptions>)
    if (!options.env.empty() && !options.explain.empty())
      refuse(tr_text("options '--env' and '--explain' exclude each other"), hint);
  if constexpr (std::same_as<Options, EnvOptions>)
    if (!options.shell.empty() && options.shell != "bash" && options.shell != "zsh" &&
        options.shell != "fish")
      refuse(tr("unknown shell '{}'", options.shell), tr_text("--shell takes bash, zsh or fish"));
  if constexpr (requires { options.archives; })
    for (const auto& archive : options.archives) require_value(archive, "--archive", hint);
  if constexpr (std::same_as<Options, StoreOptions>) {
    check_store(options, hint);
    return;
  }
  if constexpr (std::same_as<Options, ProfileOptions>) {
    check_profile(options, hint);
    return;
  }
  if constexpr (std::same_as<Options, FreezeOptions>)
    if (options.duration.empty() || options.reason.empty())
      refuse(tr_text("'freeze' needs '--for' and '--reason'"), hint);
  if constexpr (std::same_as<Options, AllowOptions>)
    if (options.once != options.duration.empty())
      refuse(tr_text("'allow' takes either '--once' or '--for'"), hint);
  if constexpr (std::same_as<Options, GuardOptions>) check_guard(options, hint);
  if constexpr (std::same_as<Options, RunOptions>)
    if (options.command.empty()) refuse(tr_text("'run' needs '--' and a command"), hint);
  if constexpr (std::same_as<Options, UseOptions>)
    if (options.json && options.noconfirm) return;
  if constexpr (requires { options.dry_run; })
    if (options.json && !options.dry_run)
      refuse(tr("'{}' prints JSON only with '--dry-run'", verb.name), hint);
}

/// Nothing where there is no choice.
std::string action_list(std::string_view verb) {
  const auto actions = actions_of(verb);
  if (actions.size() < 2) return {};
  std::string text = tr_text("actions:\n");
  for (const auto& action : actions)
    text += fmt::format("  {:27} {}\n", action.name + (action.operand.empty() ? "" : " ") + action.operand,
                        tr_text(action.summary));
  return text + '\n';
}

std::string verb_help(const Verb& verb, const CLI::App& app) {
  return tr("usage: cudapin {} [options]{}{}\n\n{}\n\n{}\nexample:\n  {}\n", verb.name,
            verb.operand.empty() ? "" : " ", verb.operand, tr_text(verb.summary),
            action_list(verb.name) + option_list(app), verb.example);
}

/// What follows `--` is not ours to read.
void take_command(std::vector<std::string>& words, std::vector<std::string>& command) {
  const auto dashes = std::ranges::find(words, "--");
  if (dashes == words.end()) return;
  command.assign(dashes + 1, words.end());
  words.erase(dashes, words.end());
}

template <typename Options>
Arguments read(const Verb& verb, std::vector<std::string> words) {
  CLI::App app;
  Options options;
  Requests requests;
  if constexpr (std::same_as<Options, RunOptions>) take_command(words, options.command);
  add_options(app, options);
  add_common(app, options, requests);
  const auto hint = fmt::format("cudapin {} --help", verb.name);
  parse(app, words, hint);
  if (requests.help) return HelpRequest{verb_help(verb, app), option_texts(app)};
  if (requests.version) return VersionRequest{};
  check(verb, options, hint);
  return options;
}

using Reader = Arguments (*)(const Verb&, std::vector<std::string>);

const std::vector<std::pair<Verb, Reader>>& verbs() {
  static const std::vector<std::pair<Verb, Reader>> table{
      {{"use", "<profile>", tr_later("install the versions of a profile and pin them"),
        "sudo cudapin use ampere-11.1"},
       read<UseOptions>},
      {{"fetch", "<profile> | --import <file>...", tr_later("download and verify a profile's files only"),
        "cudapin fetch ampere-11.1 --to /srv/cudapin"},
       read<FetchOptions>},
      {{"lock", "<profile>", tr_later("write down the exact files of a profile"),
        "sudo cudapin lock ampere-11.1"},
       read<LockOptions>},
      {{"release", "", tr_later("unpin everything, leave what is installed"), "sudo cudapin release"},
       read<ReleaseOptions>},
      {{"recover", "", tr_later("finish or undo a change that was interrupted"),
        "sudo cudapin recover --back"},
       read<RecoverOptions>},
      {{"undo", "", tr_later("go back to the set before the last change"), "sudo cudapin undo"},
       read<UndoOptions>},
      {{"pin", "", tr_later("check the pins in pacman.conf, or write them anew"),
        "sudo cudapin pin --repair"},
       read<PinOptions>},
      {{"store", "<action>", tr_later("list, verify or prune the stored package files"),
        "sudo cudapin store prune --keep 2"},
       read<StoreOptions>},
      {{"history", "", tr_later("show what was changed, when, by whom and why"), "cudapin history --json"},
       read<HistoryOptions>},
      {{"list", "", tr_later("list the profiles and which of them fit this machine"), "cudapin list"},
       read<ListOptions>},
      {{"versions", "<package>...", tr_later("list the versions that caches and archives have"),
        "cudapin versions cuda"},
       read<VersionsOptions>},
      {{"show", "<profile>", tr_later("show what is in a profile, and why"), "cudapin show ampere-11.1"},
       read<ShowOptions>},
      {{"status", "", tr_later("show what is pinned, installed and loaded"), "cudapin status --json"},
       read<StatusOptions>},
      {{"who", "", tr_later("show what computes on the GPUs, and for whom"), "cudapin who --json"},
       read<WhoOptions>},
      {{"run", "-- <command>", tr_later("run a command that counts as GPU work until it ends"),
        "cudapin run -- python train.py"},
       read<RunOptions>},
      {{"upgrade", "", tr_later("pacman -Syu without what is pinned, frozen or in use"),
        "sudo cudapin upgrade"},
       read<UpgradeOptions>},
      {{"guard", "check [name...]", tr_later("tell what the guard would say of an upgrade now"),
        "cudapin guard check nvidia-utils"},
       read<GuardOptions>},
      {{"freeze", "", tr_later("let nothing change for a while"),
        "sudo cudapin freeze --for 3d --reason 'paper deadline'"},
       read<FreezeOptions>},
      {{"thaw", "", tr_later("end a freeze"), "sudo cudapin thaw"}, read<ThawOptions>},
      {{"allow", "", tr_later("let a transaction pass that the guard would block"),
        "sudo cudapin allow --once"},
       read<AllowOptions>},
      {{"doctor", "[profile]", tr_later("say what does not fit, why, and what mends it"),
        "cudapin doctor --explain -"},
       read<DoctorOptions>},
      {{"suggest", "", tr_later("suggest the profiles that fit this machine"),
        "cudapin suggest --gpu 'RTX 3090'"},
       read<SuggestOptions>},
      {{"env", "<profile>", tr_later("print shell lines that set up builds"),
        "eval \"$(cudapin env ampere-11.1)\""},
       read<EnvOptions>},
      {{"tune", "", tr_later("set the GPUs as the profile in force says, as at boot"), "sudo cudapin tune"},
       read<TuneOptions>},
      {{"validate", "<file>...", tr_later("check profile files for mistakes"),
        "cudapin validate /etc/cudapin/profiles/lab.yaml"},
       read<ValidateOptions>},
      {{"profile", "<action> ...", tr_later("share profiles between machines"),
        "sudo cudapin profile subscribe https://lab.example.org/cudapin"},
       read<ProfileOptions>},
      {{"metrics", "", tr_later("print what a monitor wants to know, as Prometheus text"),
        "sudo cudapin metrics -o /var/lib/node_exporter/cudapin.prom"},
       read<MetricsOptions>},
  };
  return table;
}

std::string general_help(const CLI::App& app) {
  std::string text = tr_text("usage: cudapin <verb> [options]\n\nverbs:\n");
  for (const auto& [verb, reader] : verbs()) {
    const auto operand = verb.operand.substr(0, verb.operand.find(" |"));
    text +=
        fmt::format("  {:22}{}\n", verb.name + (operand.empty() ? "" : " ") + operand, tr_text(verb.summary));
  }
  return text + "\n" + option_list(app) +
         tr_text(
             "\nexample:\n  sudo cudapin use ampere-11.1\n\n'cudapin <verb> --help' shows the options of a "
             "verb\n");
}

/// A command line without a verb.
Arguments read_general(const std::vector<std::string>& words) {
  CLI::App app;
  CommonOptions options;
  Requests requests;
  add_options(app, options);
  add_common(app, options, requests);
  parse(app, words, general_hint);
  if (requests.help) return HelpRequest{general_help(app), option_texts(app)};
  if (requests.version) return VersionRequest{};
  refuse(tr_text("no verb given"));
}

/// The first word that is neither an option nor an option's value.
std::size_t verb_position(std::span<const std::string> args) {
  constexpr std::array<std::string_view, 20> with_value{
      "--color",   "--to",          "--root", "--gpu",     "--archive",     "--for",       "--reason",
      "--package", "--env",         "--key",  "--explain", "--shell",       "--keep",      "--remove",
      "--output",  "--fingerprint", "--days", "-o",        "--connections", "--limit-rate"};
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].starts_with('-')) return i;
    if (std::ranges::find(with_value, args[i]) != with_value.end()) ++i;
  }
  return args.size();
}

}  // namespace

Arguments parse_arguments(std::span<const std::string> args) {
  const auto position = verb_position(args);
  std::vector<std::string> words(args.begin(), args.end());
  if (position == words.size()) return read_general(words);
  const auto name = words[position];
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(position));
  std::vector<std::string> names;
  for (const auto& [verb, reader] : verbs()) {
    if (verb.name == name) return reader(verb, words);
    names.push_back(verb.name);
  }
  if (name == "completions" && words.size() == 1) return CompletionsRequest{words[0]};
  if (name == "complete" && !words.empty())
    return CompleteRequest{words[0], words.size() > 1 ? words[1] : ""};
  refuse(tr("unknown verb '{}'{}", name, did_you_mean(name, names)));
}

std::vector<VerbText> described_verbs() {
  std::vector<VerbText> texts;
  for (const auto& [verb, reader] : verbs())
    texts.push_back({verb.name, verb.operand, tr_text(verb.summary),
                     std::get<HelpRequest>(reader(verb, {"--help"})).options, actions_of(verb.name)});
  return texts;
}

}  // namespace cudapin
