// Monitoring over batches, and the state that it goes on from.
#include <evenhand/monitor.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::testing {
namespace {

const MonitorOptions usual{.tolerance = 0.05, .confidence = 0.95, .subject = "a rule"};

MonitorBatch batch(const std::string& name, RateCount a, RateCount b) {
  return {name, {{"", "a", a}, {"", "b", b}}, 0.5};
}

Monitor four_batches() {
  Monitor out(usual);
  out.add(batch("2025-01", {30, 100}, {45, 300}));
  out.add(batch("2025-02", {36, 110}, {40, 280}));
  out.add(batch("2025-03", {28, 95}, {52, 310}));
  out.add(batch("2025-04", {41, 120}, {47, 295}));
  return out;
}

TEST(Monitor, SharesTheEvidenceOfBothDirections) {
  const Monitor monitor = four_batches();
  EXPECT_NEAR(monitor.looks()[0].log_evidence, 0, 1e-12);
  EXPECT_NEAR(monitor.looks()[3].log_evidence, 6.330782, 5.1e-7);
  EXPECT_FALSE(monitor.looks()[0].alarm);
  EXPECT_TRUE(monitor.alarm());
  EXPECT_NEAR(monitor.looks()[3].difference, 41.0 / 120 - 47.0 / 295, 1e-12);
  EXPECT_GT(*monitor.looks()[3].bound, monitor.looks()[3].difference);
  EXPECT_LT(*monitor.looks()[3].bound, *monitor.looks()[1].bound);
}

TEST(Monitor, GoesOnFromItsStateAsIfItHadNeverStopped) {
  const Monitor all = four_batches();
  Monitor first(usual);
  first.add(batch("2025-01", {30, 100}, {45, 300}));
  first.add(batch("2025-02", {36, 110}, {40, 280}));
  Monitor rest = Monitor::from_json(first.to_json(), usual);
  rest.add(batch("2025-03", {28, 95}, {52, 310}));
  rest.add(batch("2025-04", {41, 120}, {47, 295}));
  ASSERT_EQ(rest.looks().size(), 4U);
  EXPECT_EQ(rest.looks()[3].log_evidence, all.looks()[3].log_evidence);
  EXPECT_EQ(rest.looks()[3].bound, all.looks()[3].bound);
  EXPECT_EQ(rest.to_json(), all.to_json());
}

TEST(Monitor, AnAlarmStays) {
  Monitor monitor = four_batches();
  for (int i = 5; i < 9; ++i) {
    EXPECT_TRUE(monitor.add(batch("2025-0" + std::to_string(i), {30, 200}, {45, 300})).alarm);
  }
}

TEST(Monitor, RefusesBatchesOutOfOrderSeenTwiceOrOfOtherGroups) {
  using Bad = std::invalid_argument;
  Monitor monitor = four_batches();
  const std::string before = monitor.to_json();
  const auto refused = [&](MonitorBatch one, const char* part) {
    expect_throw<Bad>([&] { monitor.add(std::move(one)); }, part);
    EXPECT_EQ(monitor.to_json(), before);
  };
  refused(batch("2025-02", {1, 2}, {1, 2}), "was seen before");
  refused(batch("2024-12", {1, 2}, {1, 2}), "comes before 2025-04");
  refused(batch("", {1, 2}, {1, 2}), "needs a name");
  refused(batch("2025-05", {3, 2}, {1, 2}), "3 of 2");
  refused({"2025-05", {{"", "a", {1, 2}}, {"", "c", {1, 2}}}, {}}, "which the first batch has not");
  refused({"2025-05", {{"", "a", {1, 2}}, {"", "a", {1, 2}}}, {}}, "twice");
  Monitor empty(usual);
  expect_throw<Bad>([&] { empty.add({"x", {{"", "a", {1, 2}}}, {}}); }, "nobody to compare");
  expect_throw<Bad>([] { Monitor({.tolerance = 1}); }, "below 1");
  expect_throw<Bad>([] { Monitor({.confidence = 1}); }, "confidence lies between");
}

TEST(Monitor, RefusesStatesOfAnotherRuleOrToleranceAndWhatIsNone) {
  using Bad = std::invalid_argument;
  const std::string state = four_batches().to_json();
  const auto refused = [](const std::string& text, const MonitorOptions& options,
                          const char* part) {
    expect_throw<Bad>([&] { Monitor::from_json(text, options); }, part);
  };
  refused(state, {.tolerance = 0.05, .confidence = 0.95, .subject = "another"}, "another rule");
  refused(state, {.tolerance = 0.06, .confidence = 0.95, .subject = "a rule"}, "the tolerance");
  refused(state, {.tolerance = 0.05, .confidence = 0.9, .subject = "a rule"}, "the confidence");
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string text = state;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  refused("", usual, "no JSON");
  refused("[]", usual, "no JSON");
  refused(state.substr(0, state.size() / 2), usual, "no JSON");
  refused(edited("\"evenhand\": 1", "\"evenhand\": 2"), usual, "version");
  refused(edited("\"batches\"", "\"batch\""), usual, "lacks 'batches'");
  refused(edited("\"positive\": 30.0", "\"positive\": \"x\""), usual, "not a number");
  refused(edited("\"positive\": 30.0", "\"positive\": 300.0"), usual, "300 of 100");
  refused(edited("2025-02", "2025-01"), usual, "seen before");
}

}  // namespace
}  // namespace evenhand::testing
