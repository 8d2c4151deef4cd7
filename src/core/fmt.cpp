// SPDX-License-Identifier: GPL-3.0-or-later
// The one place that compiles fmt, from its headers. Compiled wherever it is used (FMT_HEADER_ONLY) it takes
// half of a build; linked as a library, each of its soname bumps breaks the tool until it is built again.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
#if FMT_VERSION / 10000 == 10
template FMT_API void vformat_to(buffer<char>&, string_view, typename vformat_args<>::type, locale_ref);
#endif
}  // namespace detail
FMT_END_NAMESPACE
