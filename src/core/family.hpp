// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace cudapin {

/// Whether two packages are of one family, of which one may take the other's place: the flavours of NVIDIA's
/// kernel module, or the toolkit and the packages it was split into. A package may leave for no other.
bool same_family(std::string_view one, std::string_view other);

/// Whether a version of one may ask for another version of the other: the toolkit with cuDNN and NCCL, a gccN
/// with its libraries, all parts of a driver.
bool moves_with(std::string_view one, std::string_view other);

}  // namespace cudapin
