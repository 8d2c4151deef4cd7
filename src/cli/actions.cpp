// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/actions.hpp"

#include "core/words.hpp"

#include <array>

namespace cudapin {

namespace {

std::span<const VerbAction> store_actions() {
  static const std::array actions{
      VerbAction{"list", "", tr_later("show the stored files and what each is kept for")},
      VerbAction{"verify", "", tr_later("check the signature and every byte of each")},
      VerbAction{"prune", "", tr_later("remove those that nothing needs")},
  };
  return actions;
}

std::span<const VerbAction> guard_actions() {
  static const std::array actions{VerbAction{
      "check", "[name...]", tr_later("tell what the guard would say of an upgrade now"), 0, std::size_t(-1)}};
  return actions;
}

std::span<const VerbAction> profile_actions() {
  static const std::array actions{
      VerbAction{"export", "<profile>", tr_later("write it as one text, to be shared"), 1, 1,
                 tr_later("a profile")},
      VerbAction{"sign", "<profile file>", tr_later("sign it, and the lock beside it"), 1, 1,
                 tr_later("a file")},
      VerbAction{"verify", "<profile file>", tr_later("tell who signed it, and whether that counts here"), 1,
                 1, tr_later("a file")},
      VerbAction{"add", "<source>", tr_later("take profiles from a file, a folder or a URL"), 1, 1,
                 tr_later("a file, a folder or a URL")},
      VerbAction{"remove", "<added profile>", tr_later("take one of this machine's off again"), 1, 1,
                 tr_later("a profile")},
      VerbAction{"diff", "<profile> ...", tr_later("compare two, or what is installed with one"), 1, 2,
                 tr_later("one or two profiles")},
      VerbAction{"trust", "<key file>", tr_later("let what this key signs count here"), 1, 1,
                 tr_later("the file of a public key")},
      VerbAction{"untrust", "<fingerprint>", tr_later("let it count no longer"), 1, 1,
                 tr_later("a fingerprint")},
      VerbAction{"trusted", "", tr_later("show the keys that count here")},
      VerbAction{"subscribe", "<source>", tr_later("follow what an admin publishes there"), 1, 1,
                 tr_later("a URL or a folder")},
      VerbAction{"unsubscribe", "<subscription>", tr_later("follow it no longer"), 1, 1,
                 tr_later("a URL or a folder")},
      VerbAction{"subscriptions", "", tr_later("show what is followed, and its edition")},
      VerbAction{"update", "", tr_later("bring the newest editions")},
      VerbAction{"publish", "<dir>", tr_later("index and sign a folder, for any web server"), 1, 1,
                 tr_later("a folder")},
  };
  return actions;
}

}  // namespace

std::span<const VerbAction> actions_of(std::string_view verb) {
  if (verb == "store") return store_actions();
  if (verb == "guard") return guard_actions();
  if (verb == "profile") return profile_actions();
  return {};
}

}  // namespace cudapin
