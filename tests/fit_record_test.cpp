// The record of a fit: what is written is read back, and what is not there is not known.
#include <evenhand/fit_record.h>

#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"

namespace evenhand::testing::fit_record_test {
namespace {

Tally some_tally(unsigned seed) {
  Random random(seed);
  return random_rows(random, {.groups = 3, .strata = 2}).tally();
}

StoredTally stored(Tally tally) {
  return {.tally = std::move(tally),
          .source = {.roles = {{"sex"}, {"race"}},
                     .score = "p",
                     .label = "y, \"really\"",
                     .null = "exclude",
                     .excluded = 3}};
}

// Reading loses nothing: what is read is written as it was.
void expect_kept(const FitRecord& record) {
  const std::string json = record.to_json();
  EXPECT_EQ(FitRecord::from_json(json).to_json(), json);
}

TEST(FitRecord, ReadsBackWhatItWrote) {
  const StoredTally data = stored(some_tally(1));
  for (const Criterion& criterion :
       {statistical_parity({{"sex"}, {"race"}, 0.01}), four_fifths({{"sex"}, {"race"}}),
        equalized_odds({{"sex"}, {"race"}, 0.02}),
        equal_rates({{"sex"}, {"race"}, 0.1, Rho::base()}),
        equal_rates({{"sex"}, {"race"}, 0, Rho::given(0.25)}),
        statistical_parity({{"sex", "race"}, {}, 0, Across::both}),
        requirements({"rate <= 0.2"})}) {
    const Solution fit = solve(data.tally, criterion, {.costs = {2, 1}, .base_threshold = 0.375});
    ASSERT_EQ(fit.status, Status::optimal);
    FitRecord record = FitRecord::of(fit);
    expect_kept(record);
    record.add(data, fit);
    expect_kept(record);
    const RecordedRule read = RecordedRule::from_json(rule_file(fit.rule, record));
    EXPECT_EQ(std::get<Rule>(read.rule), fit.rule);
    EXPECT_EQ(read.fit.to_json(), record.to_json());
    EXPECT_EQ(read.fit.criterion->criterion(), fit.criterion);
    EXPECT_EQ(read.fit.proof->gap, fit.gap);
    EXPECT_EQ(read.fit.rows, static_cast<std::uint64_t>(data.tally.total().n));
    EXPECT_EQ(read.fit.columns->label, data.source.label);
    EXPECT_EQ(read.fit.base_threshold, 0.375);
    EXPECT_EQ(std::get<Figures>(read.fit.after).selection_rate,
              std::get<Figures>(record.after).selection_rate);
  }
}

TEST(FitRecord, SaysHowItCameToBe) {
  FitRecord record = FitRecord::of(solve(some_tally(1), statistical_parity({{"sex"}, {"race"}})));
  record.source = FitSource{.command = "evenhand fit 'a b.csv'",
                            .files = {{"a b.csv", 17}, {"(stream)", {}}},
                            .further_files = 3,
                            .sql = "SELECT '<b>'",
                            .versions = {{"DuckDB", "1.4"}},
                            .time = "2026-01-01T00:00:00Z"};
  expect_kept(record);
  const FitRecord read = FitRecord::from_json(record.to_json());
  EXPECT_EQ(read.source->files[0].bytes, 17U);
  EXPECT_FALSE(read.source->files[1].bytes);
  EXPECT_EQ(read.source->sql, "SELECT '<b>'");
  record.source.reset();
  EXPECT_EQ(record.to_json().find("source"), std::string::npos);
}

TEST(FitRecord, OfAStochasticFitReadsBack) {
  const Tally tally = some_tally(2);
  const SgdResult fit =
      solve_sgd(tally, statistical_parity({{"sex"}, {"race"}}), {.epochs = 1, .seed = 7});
  const FitRecord record = FitRecord::of(fit);
  expect_kept(record);
  const FitRecord read = FitRecord::from_json(fit_record(fit.to_json()));
  EXPECT_EQ(read.sgd->steps, fit.steps);
  EXPECT_EQ(read.sgd->seed, 7U);
  EXPECT_EQ(read.sgd->multipliers.size(), fit.multipliers.size());
}

TEST(FitRecord, OfSoftGroupsReadsBack) {
  const std::vector<double> p = {0.25, 0.5, 0.75, 0.875};
  const std::vector<double> member = {0.5, 1, 0.25, 0.25};
  const SoftSolution fit = solve_soft({p, {{"member", member}}});
  FitRecord record = FitRecord::of(fit);
  expect_kept(record);
  record.add({.score = "p", .null = "error", .rows = p.size()}, {"member"}, fit);
  record.labelled = false;
  record.before = SoftSummary{0.5, 0.75, 0.25, {}};
  record.after = SoftSummary{0.5, 0.5, 0.5, 0.0};
  expect_kept(record);
  const RecordedRule read = RecordedRule::from_json(rule_file(fit.rule, record));
  EXPECT_EQ(std::get<SoftRule>(read.rule), fit.rule);
  EXPECT_EQ(read.fit.weight, 4.0);
  EXPECT_EQ(read.fit.columns->soft, std::vector<std::string>{"member"});
  EXPECT_FALSE(std::get<SoftSummary>(read.fit.before).largest_difference);
  EXPECT_EQ(std::get<SoftSummary>(read.fit.after).largest_difference, 0.0);
}

TEST(FitRecord, IsTheTextThatTheRuleTakes) {
  const Solution fit = solve(some_tally(3), statistical_parity({{"sex"}, {"race"}}));
  const FitRecord record = FitRecord::of(fit);
  EXPECT_EQ(rule_file(fit.rule, record), fit.rule.to_json(record.to_json()));
  EXPECT_EQ(rule_file(fit.rule, record), fit.to_json());
}

// A record takes no part in deciding: a rule works with any, and with none.
TEST(FitRecord, WhatIsMissingOrOfAnotherTypeIsNotKnown) {
  const FitRecord nothing = FitRecord::from_json("{}");
  EXPECT_FALSE(nothing.criterion || nothing.proof || nothing.columns || nothing.weight);
  EXPECT_EQ(nothing.to_json(), "{}");
  const FitRecord odd = FitRecord::from_json(
      R"({"criterion": 3, "gamma": "x", "status": "great", "cells": {}, "columns": [1],
          "rows": -1, "weight": null, "excluded": 0.5, "before": 7, "unheard": {"of": []}})");
  EXPECT_EQ(odd.to_json(), "{}");
  const FitRecord partly = FitRecord::from_json(
      R"({"status": "optimal", "criterion": {"name": 1, "tolerance": 0.5, "rho": "worst"},
          "columns": {"score": 1, "sensitive": ["a", 2], "null": "exclude"}})");
  EXPECT_TRUE(std::isnan(partly.proof->gap));
  EXPECT_EQ(partly.criterion->tolerance, 0.5);
  EXPECT_FALSE(partly.criterion->rho);
  EXPECT_EQ(partly.columns->score, "");
  EXPECT_EQ(partly.columns->sensitive, std::vector<std::string>{"a"});
}

TEST(FitRecord, RefusesWhatIsNoObject) {
  for (const char* text : {"", "[]", "7", "{", R"({"a": 1, "a": 2})"}) {
    expect_throw<std::invalid_argument>([&] { (void)FitRecord::from_json(text); },
                                        "not a valid rule");
  }
}

}  // namespace
}  // namespace evenhand::testing::fit_record_test
