// Monitoring over batches, and the state that it goes on from.
#include <evenhand/monitor.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/throws.h"

namespace evenhand::testing::monitor_state_test {
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

// Next month's rows need not have everybody: a group that is gone is one of no rows.
TEST(Monitor, AGroupThatIsGoneHasLostItsShare) {
  const auto look = [](const std::vector<MonitoredGroup>& second) {
    Monitor monitor(usual);
    monitor.add({"1", {{"", "a", {1, 20}}, {"", "b", {1, 10}}, {"", "c", {1, 70}}}, {}});
    return monitor.add({"2", second, {}});
  };
  const std::vector<MonitoredGroup> two = {{"", "a", {5, 50}}, {"", "b", {5, 50}}};
  const std::vector<MonitoredGroup> three = {two[0], two[1], {"", "c", {0, 0}}};
  EXPECT_DOUBLE_EQ(look(two).largest_share_change, 0.7);
  EXPECT_EQ(look(two).largest_share_change, look(three).largest_share_change);
  EXPECT_EQ(look(two).log_evidence, look(three).log_evidence);
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
  refused({"2025-05", {{"", "a", {1, 2}}, {"", "c", {1, 2}}}, {}},
          "which the first batch does not have");
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
  refused("", usual, "not a state of monitor");
  refused("[]", usual, "not a state of monitor");
  refused(state.substr(0, state.size() / 2), usual, "not a state of monitor");
  refused(edited("\"evenhand\": 1", "\"evenhand\": 2"), usual, "version");
  refused(edited("\"batches\"", "\"batch\""), usual, "lacks 'batches'");
  refused(edited("\"positive\": 30.0", "\"positive\": \"x\""), usual, "not a number");
  refused(edited("\"positive\": 30.0", "\"positive\": 300.0"), usual, "300 of 100");
  refused(edited("2025-02", "2025-01"), usual, "seen before");
  refused(edited("\"name\": \"2025-01\"", "\"name\": \"2025-01\", \"name\": \"2025-00\""), usual,
          "occurs twice");
  refused(edited("\"rows\": 100.0", "\"rows\": 100.0, \"weight\": 1"), usual, "weight");
  refused(edited("\"rows\": 100.0", "\"rows\": 100.0, \"rate\": \"x\""), usual, "rate");
}

TEST(Monitor, NumbersInNamesGoByTheirValue) {
  const std::vector<std::string> sorted = {"",        "1",       "2",        "02",      "10",
                                           "2024-12", "2025-1",  "2025-01",  "2025-9",  "2025-10",
                                           "week 9",  "week 10", "week 10b", "week 10c"};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      const bool alike = (sorted[i] == "02" && sorted[j] == "2") ||
                         (sorted[i] == "2" && sorted[j] == "02") ||
                         (sorted[i] == "2025-1" && sorted[j] == "2025-01") ||
                         (sorted[i] == "2025-01" && sorted[j] == "2025-1");
      if (alike) {
        EXPECT_NE(batch_before(sorted[i], sorted[j]), batch_before(sorted[j], sorted[i]));
      } else {
        EXPECT_EQ(batch_before(sorted[i], sorted[j]), i < j) << sorted[i] << ", " << sorted[j];
      }
    }
  }
}

TEST(Monitor, RatesAreComparedEachByItself) {
  // Two rates with the same counts: half of the evidence each, which is that of one.
  Monitor one(usual);
  Monitor both(usual);
  for (int i = 1; i <= 3; ++i) {
    MonitorBatch batch{"2025-0" + std::to_string(i), {}, {}};
    for (const Rate rate : {Rate::true_positive, Rate::false_positive}) {
      batch.groups.push_back({"", "a", {40, 100}, rate});
      batch.groups.push_back({"", "b", {20, 100}, rate});
      if (rate == Rate::true_positive) one.add(batch);
    }
    both.add(batch);
  }
  EXPECT_NEAR(one.looks().back().log_evidence, both.looks().back().log_evidence, 1e-12);
  const Monitor again = Monitor::from_json(both.to_json(), usual);
  EXPECT_EQ(again.to_json(), both.to_json());
  EXPECT_EQ(again.looks().back().log_evidence, both.looks().back().log_evidence);
}

TEST(Monitor, BatchesOfAnAuditAreItsCounts) {
  const std::vector<double> score = {1, 0, 1, 0, 1, 0, 1, 0};
  const std::vector<std::uint8_t> label = {1, 0, 1, 1, 1, 0, 0, 0};
  const std::vector<std::string> sex = {"F", "F", "M", "M", "F", "F", "M", "F"};
  const std::vector<std::string> month = {"9", "9", "9", "9", "10", "10", "10", "10"};
  const Cells cells = Cells::from({{"sex", sex}, {"month", month}});
  const Tally tally = Tally::of(score, cells, {.label = label});
  const std::vector<Rate> rates = {Rate::true_positive, Rate::false_positive};
  const std::vector<MonitorBatch> batches =
      monitored_batches(tally, {.sensitive = {"sex"}}, "month", nullptr, rates);
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].name, "9");
  EXPECT_EQ(batches[1].name, "10");
  EXPECT_FALSE(batches[0].mean_score);  // of decisions it would be the selection rate
  const auto count = [&](const MonitorBatch& batch, const char* group, Rate rate) {
    for (const MonitoredGroup& one : batch.groups) {
      if (one.group == group && one.rate == rate) return one.count;
    }
    return RateCount{-1, -1};
  };
  EXPECT_EQ(count(batches[0], "M", Rate::true_positive).rows, 2);
  EXPECT_EQ(count(batches[0], "M", Rate::true_positive).positive, 1);
  EXPECT_EQ(count(batches[0], "M", Rate::false_positive).rows, 0);  // nobody, but known
  EXPECT_EQ(count(batches[1], "F", Rate::false_positive).rows, 2);
  EXPECT_EQ(count(batches[1], "M", Rate::false_positive).positive, 1);
}

}  // namespace
}  // namespace evenhand::testing::monitor_state_test
