// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reply.hpp"

namespace cudapin {

namespace {

bool is_same_file(const Question& question, const Reply& reply, std::uint64_t total) {
  const bool length = question.total == 0 || total == 0 || question.total == total;
  const bool validator =
      question.validator.empty() || reply.validator.empty() || question.validator == reply.validator;
  return length && validator;
}

Meaning meaning_of_part(const Question& question, const Reply& reply) {
  if (!reply.range || reply.range->first > reply.range->last) return Meaning::wrong_range;
  if (!is_same_file(question, reply, reply.range->total)) return Meaning::other_file;
  const auto length = reply.range->last - reply.range->first + 1;
  const bool right = question.has_range && reply.range->first == question.first &&
                     reply.range->last < reply.range->total && (reply.length == 0 || reply.length == length);
  return right ? Meaning::content : Meaning::wrong_range;
}

}  // namespace

Meaning meaning_of(const Question& question, const Reply& reply) {
  using enum Meaning;
  switch (reply.status) {
    case 200:
      if (reply.is_web_page) return web_page;
      if (!is_same_file(question, reply, reply.length)) return other_file;
      return question.has_range ? whole : content;
    case 206:
      return meaning_of_part(question, reply);
    case 404:
    case 410:
      return not_found;
    case 416:
      return no_such_range;
    case 429:
    case 503:
      return busy;
    case 408:
    case 500:
    case 502:
    case 504:
      return failing;
    default:
      return refused;
  }
}

}  // namespace cudapin
