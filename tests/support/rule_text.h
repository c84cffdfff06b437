// Rule files with something wrong.
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing {

// The text with the first `from` replaced.
inline std::string changed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Reading the text as a rule of this kind fails, with a message that contains `part`.
template <class AnyRule>
void expect_no_rule(const std::string& text, const std::string& part) {
  expect_throw<std::invalid_argument>([&] { AnyRule::from_json(text); }, part);
  expect_throw<std::invalid_argument>([&] { AnyRule::from_json(text); }, "not a valid rule: ");
}

template <class AnyRule>
void expect_reads_back(const AnyRule& rule) {
  const std::string json = rule.to_json();
  const AnyRule back = AnyRule::from_json(json);
  ASSERT_EQ(back, rule);
  ASSERT_EQ(back.to_json(), json);
}

// The same for 500 random ones.
template <class Make>
void expect_all_read_back(std::uint64_t seed, Make make) {
  Random random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    ASSERT_NO_FATAL_FAILURE(expect_reads_back(make(random)));
  }
}

}  // namespace evenhand::testing
