// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/completions.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace cudapin {

namespace {

/// What may stand at a place, by the placeholder that the help shows there.
enum class Kind { nothing, folders, files, commands, words, names };

struct Candidates {
  Kind kind = Kind::nothing;
  std::string words = {};  ///< those themselves, or which names `cudapin complete` is asked for
};

Candidates candidates_of(std::string_view placeholder) {
  static const std::map<std::string, Candidates, std::less<>> known{
      {"<dir>", {Kind::folders}},
      {"<file>...", {Kind::files}},
      {"<file>", {Kind::files}},
      {"<profile file>", {Kind::files}},
      {"<key file>", {Kind::files}},
      {"<source>", {Kind::files}},
      {"-- <command>", {Kind::commands}},
      {"<profile>", {Kind::names, "profiles"}},
      {"<profile> ...", {Kind::names, "profiles"}},
      {"[profile]", {Kind::names, "profiles"}},
      {"<profile> | --import <file>...", {Kind::names, "profiles"}},
      {"<added profile>", {Kind::names, "added"}},
      {"<package>", {Kind::names, "packages"}},
      {"<package>...", {Kind::names, "packages"}},
      {"<name>", {Kind::names, "packages"}},
      {"[name...]", {Kind::names, "packages"}},
      {"<fingerprint>", {Kind::names, "keys"}},
      {"<subscription>", {Kind::names, "subscriptions"}},
      {"<shell>", {Kind::words, "bash zsh fish"}},
      {"<when>", {Kind::words, "auto always never"}},
  };
  const auto found = known.find(placeholder);
  return found == known.end() ? Candidates{} : found->second;
}

std::string in_single_quotes(std::string text, std::string_view quote) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != text.npos; at += quote.size())
    text.replace(at, 1, quote);
  return "'" + text + "'";
}

/// The options that take a value, over all verbs, by their placeholder.
std::map<std::string, std::vector<std::string>> valued_options(std::span<const VerbText> verbs) {
  std::map<std::string, std::vector<std::string>> by_placeholder;
  for (const auto& verb : verbs)
    for (const auto& option : verb.options)
      if (auto& names = by_placeholder[option.placeholder];
          !option.placeholder.starts_with('[') && !option.placeholder.empty() &&
          std::ranges::find(names, "--" + option.name) == names.end())
        names.push_back("--" + option.name);
  std::erase_if(by_placeholder, [](const auto& entry) { return entry.second.empty(); });
  return by_placeholder;
}

std::string action_names(const VerbText& verb) {
  std::vector<std::string> names;
  for (const auto& action : verb.actions) names.push_back(action.name);
  return join(names, " ");
}

std::string bash_reply(const Candidates& candidates) {
  switch (candidates.kind) {
    case Kind::nothing:
      return ":";
    case Kind::folders:
      return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")";
    case Kind::files:
      return "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")";
    case Kind::commands:
      return "mapfile -t COMPREPLY < <(compgen -c -- \"$cur\")";
    case Kind::words:
      return fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")", candidates.words);
    case Kind::names:
      break;
  }
  return fmt::format("mapfile -t COMPREPLY < <(cudapin complete {} \"$cur\" 2>/dev/null)", candidates.words);
}

std::string bash_words(const VerbText& verb) {
  std::string words;
  for (const auto& option : verb.options) {
    words += (words.empty() ? "--" : " --") + option.name;
    if (!option.letter.empty()) words += " -" + option.letter;
  }
  return words;
}

/// What follows the verb, and its action where it has some.
std::string bash_operand(const VerbText& verb) {
  if (verb.actions.empty()) return bash_reply(candidates_of(verb.operand));
  auto text = "case $action in\n      '') " + bash_reply({Kind::words, action_names(verb)}) + " ;;\n";
  for (const auto& action : verb.actions)
    text += fmt::format("      {}) {} ;;\n", action.name, bash_reply(candidates_of(action.operand)));
  return text + "      esac";
}

std::string bash_script(std::span<const VerbText> verbs) {
  std::string names;
  std::string options;
  std::string operands;
  for (const auto& verb : verbs) {
    names += (names.empty() ? "" : " ") + verb.name;
    options += fmt::format("    {}) options='{}' ;;\n", verb.name, bash_words(verb));
    operands += fmt::format("    {}) {} ;;\n", verb.name, bash_operand(verb));
  }
  std::string values;
  std::string valued;
  for (const auto& [placeholder, having] : valued_options(verbs)) {
    values +=
        fmt::format("    {}) {}; return ;;\n", join(having, "|"), bash_reply(candidates_of(placeholder)));
    valued += (valued.empty() ? "" : "|") + join(having, "|");
  }
  return fmt::format(R"SH(# SPDX-License-Identifier: GPL-3.0-or-later
# bash completion for cudapin, made by 'cudapin completions bash'
_cudapin() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} verb= action= options= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
    {3}) ((i++)) ;;
    -*) ;;
    *) [[ -z $verb ]] || {{ action=${{COMP_WORDS[i]}}; break; }}
       verb=${{COMP_WORDS[i]}} ;;
    esac
  done
  case $prev in
{4}  esac
  case $verb in
{1}    *) options='--root --help --version'
       [[ $cur == -* ]] || {{ mapfile -t COMPREPLY < <(compgen -W '{0}' -- "$cur"); return; }} ;;
  esac
  [[ $cur != -* ]] || {{ mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur"); return; }}
  case $verb in
{2}  esac
}}
complete -F _cudapin cudapin
)SH",
                     names, options, operands, valued, values);
}

std::string zsh_action(const Candidates& candidates) {
  switch (candidates.kind) {
    case Kind::nothing:
      return " ";
    case Kind::folders:
      return "_files -/";
    case Kind::files:
      return "_files";
    case Kind::commands:
      return "_command_names -e";
    case Kind::words:
      return "(" + candidates.words + ")";
    case Kind::names:
      break;
  }
  return " _cudapin_ask " + candidates.words;
}

/// Brackets and colons mean something in a specification of _arguments.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string zsh_option(const OptionText& option) {
  const auto action = option.placeholder.empty() ? ""
                                                 : ":" + zsh_text(option.placeholder) + ":" +
                                                       zsh_action(candidates_of(option.placeholder));
  const auto rest = in_single_quotes("[" + zsh_text(option.summary) + "]" + action, "'\\''");
  if (option.letter.empty()) return fmt::format("'*--{}'{}", option.name, rest);
  return fmt::format("{{-{},--{}}}{}", option.letter, option.name, rest);
}

/// A description of _describe: its word and what it does.
std::string zsh_described(const std::string& word, const std::string& summary) {
  return in_single_quotes(word + ":" + summary, "'\\''");
}

/// A statement where an action of _arguments stands.
std::string zsh_statement(const Candidates& candidates) {
  return candidates.kind == Kind::nothing ? ":" : std::string(trim(zsh_action(candidates)));
}

/// What follows the verb, and its action where it has some.
std::string zsh_operand(const VerbText& verb) {
  if (verb.operand.empty()) return {};
  if (verb.actions.empty())
    return fmt::format(" \\\n        '{}:operand:{}'", verb.operand.ends_with("...") ? "*" : "1",
                       zsh_action(candidates_of(verb.operand)));
  std::string actions;
  std::string cases;
  for (const auto& action : verb.actions) {
    actions += " \\\n          " + zsh_described(action.name, tr_text(action.summary));
    cases += fmt::format("        {}) {} ;;\n", action.name, zsh_statement(candidates_of(action.operand)));
  }
  return fmt::format(R"SH( \
        '1:action:->action' '*:operand:->operand'
      case $state in
      action) verbs=({})
        _describe action verbs ;;
      operand)
        case $line[1] in
{}        esac ;;
      esac)SH",
                     actions, cases);
}

std::string zsh_script(std::span<const VerbText> verbs) {
  std::string names;
  std::string cases;
  for (const auto& verb : verbs) {
    names += "    " + zsh_described(verb.name, verb.summary) + "\n";
    cases += fmt::format("    {}) _arguments -C", verb.name);
    for (const auto& option : verb.options) cases += " \\\n        " + zsh_option(option);
    cases += zsh_operand(verb);
    cases += " ;;\n";
  }
  return fmt::format(R"SH(#compdef cudapin
# SPDX-License-Identifier: GPL-3.0-or-later
# zsh completion for cudapin, made by 'cudapin completions zsh'
_cudapin_ask() {{
  local -a found
  found=(${{(f)"$(cudapin complete $1 2>/dev/null)"}})
  compadd -a found
}}
_cudapin() {{
  local curcontext=$curcontext state line
  local -a verbs
  verbs=(
{0}  )
  _arguments -C '--root[work on the system below this folder]:dir:_files -/' '1: :->verb' '*:: :->rest'
  case $state in
  verb) _describe verb verbs ;;
  rest)
    state=
    case $words[1] in
{1}    esac ;;
  esac
}}
_cudapin "$@"
)SH",
                     names, cases);
}

std::string fish_values(const Candidates& candidates) {
  switch (candidates.kind) {
    case Kind::nothing:
      return " -f";
    case Kind::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Kind::files:
      return " -F";
    case Kind::commands:
      return " -x -a '(__fish_complete_command)'";
    case Kind::words:
      return fmt::format(" -x -a '{}'", candidates.words);
    case Kind::names:
      break;
  }
  return fmt::format(" -x -a '(cudapin complete {} 2>/dev/null)'", candidates.words);
}

/// What follows the verb, and its action where it has some.
std::string fish_operand(const VerbText& verb) {
  const auto seen = "complete -c cudapin -n '__fish_seen_subcommand_from " + verb.name;
  if (verb.operand.empty()) return {};
  if (verb.actions.empty()) return seen + "'" + fish_values(candidates_of(verb.operand)) + "\n";
  std::string text;
  for (const auto& action : verb.actions) {
    text += fmt::format("{}; and not __fish_seen_subcommand_from {}' -x -a {} -d {}\n", seen,
                        action_names(verb), action.name, in_single_quotes(tr_text(action.summary), "\\'"));
    text += fmt::format("{}; and __fish_seen_subcommand_from {}'{}\n", seen, action.name,
                        fish_values(candidates_of(action.operand)));
  }
  return text;
}

std::string fish_script(std::span<const VerbText> verbs) {
  std::string text =
      "# SPDX-License-Identifier: GPL-3.0-or-later\n"
      "# fish completion for cudapin, made by 'cudapin completions fish'\n"
      "complete -c cudapin -f\n";
  for (const auto& verb : verbs) {
    text += fmt::format("complete -c cudapin -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                        in_single_quotes(verb.summary, "\\'"));
    const auto here = fmt::format("complete -c cudapin -n '__fish_seen_subcommand_from {}'", verb.name);
    text += fish_operand(verb);
    for (const auto& option : verb.options)
      text += fmt::format(
          "{} -l {}{}{} -d {}\n", here, option.name, option.letter.empty() ? "" : " -s " + option.letter,
          option.placeholder.empty() ? " -f" : " -r" + fish_values(candidates_of(option.placeholder)),
          in_single_quotes(option.summary, "\\'"));
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell, std::span<const VerbText> verbs) {
  if (shell == "bash") return bash_script(verbs);
  if (shell == "zsh") return zsh_script(verbs);
  if (shell == "fish") return fish_script(verbs);
  throw Error(tr("unknown shell '{}'", printable(shell)), "cudapin completions bash", ExitStatus::usage);
}

}  // namespace cudapin
