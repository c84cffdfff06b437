#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
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

// Reads a rule of either kind; false if it was refused.
template <class AnyRule>
bool read_rule(std::string_view json, AnyRule& rule) {
  try {
    rule = AnyRule::from_json(json);
  } catch (const std::invalid_argument& error) {
    check_message(error.what());
    return false;
  }
  return true;
}

// What it writes, which must read back the same.
template <class AnyRule>
std::string written_back(const AnyRule& rule, const std::string& record) {
  std::string written = rule.to_json(record);
  check(AnyRule::from_json(written) == rule, "it reads back the same");
  return written;
}

}  // namespace evenhand::fuzz
