// What solutions claim, checked by evenhand::verify through the rule's file.
#pragma once

#include <evenhand/verify.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace evenhand::testing {

inline Verdict verdict_of(const Verification& found, std::string_view name) {
  const auto check = std::find_if(found.checks.begin(), found.checks.end(),
                                  [&](const Check& one) { return one.name == name; });
  return check == found.checks.end() ? Verdict::unchecked : check->verdict;
}

inline void expect_verified(const Tally& tally, const Solution& solution) {
  const StoredTally data{.tally = tally};
  FitRecord record = FitRecord::of(solution);
  record.add(data);
  const RecordedRule read = RecordedRule::from_json(rule_file(solution.rule, record));
  const Verification found = verify(data, std::get<Rule>(read.rule), read.fit);
  EXPECT_TRUE(found.passed()) << found.to_text();
  EXPECT_EQ(verdict_of(found, "rule"), Verdict::yes);
  EXPECT_EQ(verdict_of(found, "data"), Verdict::yes);
  EXPECT_EQ(verdict_of(found, "bound"), Verdict::yes) << found.to_text();
  const bool few_coins =
      solution.options.lottery == Lottery::none || solution.options.max_lottery.has_value();
  if (solution.status == Status::optimal && !few_coins) {
    EXPECT_EQ(verdict_of(found, "status"), Verdict::yes) << found.to_text();
  }
}

}  // namespace evenhand::testing
