// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/yaml.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cudapin::yaml {

/// A key that a mapping may have, and what takes its value.
struct Field {
  std::string key;
  bool required;
  std::function<void(const Node&)> read;
};

/// Hands each value of `mapping` to its field, in the file's order. Noted as problems: not a mapping (`what`
/// names it), unknown keys with the nearest known one, missing required keys.
void read_mapping(const Node& mapping, std::string_view what, std::span<const Field> fields,
                  Problems& problems);

/// The text of a scalar, without surrounding white space. Empty and noted when there is none, or it has
/// control characters.
std::string read_text(const Node& node, std::string_view what, Problems& problems);

/// The same for text of one line.
std::string read_line(const Node& node, std::string_view what, Problems& problems);

/// true or false, written so; false and noted for all else.
bool read_truth(const Node& node, std::string_view what, Problems& problems);

/// The scalars of a list; whatever else it has is noted and left out.
std::vector<const Node*> read_words(const Node& node, std::string_view what, Problems& problems);

}  // namespace cudapin::yaml
