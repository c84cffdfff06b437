#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace evenhand::fuzz {

// A broken promise is a crash, which libFuzzer reports with its input.
inline void check(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

inline void check_message(std::string_view message) {
  check(!message.empty() && message.find('\n') == std::string_view::npos,
        "a message is one line of text");
}

}  // namespace evenhand::fuzz
