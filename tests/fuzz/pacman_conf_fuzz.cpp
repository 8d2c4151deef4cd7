// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.hpp"
#include "core/pins.hpp"

#include <cstdlib>

using namespace cudapin;

namespace {

const std::vector<std::string> first{"cuda", "cudnn"};
const std::vector<std::string> second{"gcc10", "gcc10-libs", "nvidia-utils"};

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::string_view text) {
  const auto released = without_pins(text);
  const auto pinned = with_pins(text, first);
  require(pins_in(pinned) == first);
  require(with_pins(pinned, first) == pinned);
  require(without_pins(pinned) == released);
  const auto changed = with_pins(pinned, second);
  require(pins_in(changed) == second);
  require(without_pins(changed) == released);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    check({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    // a damaged block or no [options] header is refused, never half done
  }
  return 0;
}
