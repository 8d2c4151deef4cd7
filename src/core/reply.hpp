// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cudapin {

/// `bytes FIRST-LAST/TOTAL`
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t total = 0;
};

/// What a server was asked for, and what is known of the file there.
struct Question {
  std::uint64_t first = 0;
  bool has_range = false;      ///< part of the file only
  std::uint64_t total = 0;     ///< its length; 0: not known
  std::string validator = {};  ///< what this server said of it before, or empty
};

/// The head of a server's answer.
struct Reply {
  long status = 0;
  std::optional<ContentRange> range = {};
  std::uint64_t length = 0;  ///< of the body; 0: not said
  std::string validator = {};
  bool is_web_page = false;
};

enum class Meaning {
  content,      ///< the bytes that were asked for
  whole,        ///< the file from its start, though a part was asked for: the same file as before
  other_file,   ///< the file has changed, or never was the same; a body begins at the new file's start
  wrong_range,  ///< a part, but not the one asked for
  web_page,     ///< something to read in the place of the file
  not_found,
  no_such_range,  ///< the file ends before
  busy,           ///< come again later
  failing,        ///< an error of the server, which may pass
  refused         ///< a final no
};

/// What the answer means for the one who asked.
Meaning meaning_of(const Question& question, const Reply& reply);

}  // namespace cudapin
