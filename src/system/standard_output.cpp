// SPDX-License-Identifier: GPL-3.0-or-later
#include "system/standard_output.hpp"

#include <cerrno>
#include <iostream>

namespace cudapin {

StandardOutput::StandardOutput() : own_(std::cout.rdbuf(this)) {}

StandardOutput::~StandardOutput() { std::cout.rdbuf(own_); }

StandardOutput::int_type StandardOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  const auto written = own_->sputc(traits_type::to_char_type(character));
  note(!traits_type::eq_int_type(written, traits_type::eof()));
  return written;
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize size) {
  const auto written = own_->sputn(text, size);
  note(written == size);
  return written;
}

int StandardOutput::sync() {
  const int result = own_->pubsync();
  note(result == 0);
  return result;
}

void StandardOutput::note(bool is_written) {
  if (!is_written && failure_ == 0) failure_ = errno;
}

}  // namespace cudapin
