// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <streambuf>

namespace cudapin {

/// Stands before std::cout's own buffer while it lives and remembers why a write failed, which the stream
/// itself does not.
class StandardOutput : public std::streambuf {
 public:
  StandardOutput();
  ~StandardOutput() override;
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  /// errno of the first write that failed, or 0.
  int failure() const { return failure_; }

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  void note(bool is_written);

  std::streambuf* const own_;
  int failure_ = 0;
};

}  // namespace cudapin
