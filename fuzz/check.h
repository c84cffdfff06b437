#pragma once

#include <evenhand/evenhand.h>

#include <cstdint>
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

// Reads a rule of either kind. If it is not refused, calls `look` with it and with what it writes,
// which must read back the same.
template <class AnyRule, class Look>
int check_rule(const std::uint8_t* data, std::size_t size, Look look) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  AnyRule rule;
  try {
    rule = AnyRule::from_json(json);
  } catch (const std::invalid_argument& error) {
    check_message(error.what());
    return 0;
  }
  const std::string written = rule.to_json(fit_record(json));
  check(AnyRule::from_json(written) == rule, "it reads back the same");
  look(rule, written);
  return 0;
}

}  // namespace evenhand::fuzz
