// The audit of soft groups: people who half belong count as halves of two people, the audit of
// known groups is the special case, and the order of rows does not show.
#include <evenhand/evenhand.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/problems.h"
#include "support/throws.h"
#include "support/trials.h"

namespace evenhand::soft_audit_test {
namespace {

using testing::expect_throw;
using testing::Random;
using testing::trials;

struct People {
  std::vector<double> score, g, h, q, label, weight;
  std::vector<std::string> region;

  std::size_t size() const { return score.size(); }
  SoftRows rows(const Cells& regions) const { return {score, {{"g", g}, {"h", h}}, &regions}; }
  Cells regions() const { return Cells::from({{"region", region}}); }
  SoftAuditOptions options(bool labelled, const Costs& costs = {}) const {
    return {.weight = weight,
            .label = labelled ? std::span<const double>(label) : std::span<const double>(),
            .costs = costs};
  }
};

People make_people(Random& random, int rows, bool hard) {
  People out;
  const auto member = [&] { return hard ? random.below(2) : random.unit(); };
  for (int i = 0; i < rows; ++i) {
    out.score.push_back(random.unit());
    out.g.push_back(member());
    out.h.push_back(member());
    out.q.push_back(random.chance(0.3) ? random.unit() : random.below(2));
    out.label.push_back(random.below(2));
    out.weight.push_back(0.25 + random.below(5));
    out.region.push_back(random.chance(0.4) ? "north" : "south");
  }
  return out;
}

People shuffled(const People& people, Random& random) {
  std::vector<std::size_t> order(people.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  }
  People out;
  for (const std::size_t i : order) {
    out.score.push_back(people.score[i]);
    out.g.push_back(people.g[i]);
    out.h.push_back(people.h[i]);
    out.q.push_back(people.q[i]);
    out.label.push_back(people.label[i]);
    out.weight.push_back(people.weight[i]);
    out.region.push_back(people.region[i]);
  }
  return out;
}

// The share of the selected among those that `weight_of` counts.
template <class WeightOf>
double selected_share(const People& people, WeightOf weight_of) {
  double all = 0;
  double selected = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    all += weight_of(i);
    selected += weight_of(i) * people.q[i];
  }
  return selected / all;
}

TEST(SoftAudit, RatesAreThoseOfPeopleWhoBelongByHalves) {
  Random random(1);
  for (int trial = 0; trial < trials(50); ++trial) {
    const People people = make_people(random, 5 + random.below(60), false);
    const Cells regions = people.regions();
    const SoftAudit audit = audit_soft(people.rows(regions), people.q, people.options(false));
    ASSERT_EQ(audit.strata.size(), regions.names.size());
    double largest = 0;
    for (const SoftAuditedStratum& stratum : audit.strata) {
      ASSERT_EQ(stratum.columns.size(), 2U);
      for (const SoftPair& pair : stratum.columns) {
        const std::vector<double>& member = pair.column == "g" ? people.g : people.h;
        const auto inside = [&](std::size_t i) {
          return people.region[i] == stratum.values[0] ? people.weight[i] : 0;
        };
        const double rate =
            selected_share(people, [&](std::size_t i) { return inside(i) * member[i]; });
        const double others =
            selected_share(people, [&](std::size_t i) { return inside(i) * (1 - member[i]); });
        EXPECT_NEAR(pair.rate.value(), rate, 1e-12);
        EXPECT_NEAR(pair.others.value(), others, 1e-12);
        // Together they are everybody.
        EXPECT_NEAR(pair.mean * rate + (1 - pair.mean) * others, stratum.selection_rate.value(),
                    1e-12);
        largest = std::max(largest, std::abs(rate - others));
      }
    }
    EXPECT_NEAR(audit.largest_difference().value(), largest, 1e-12);
    EXPECT_TRUE(audit.expected);
  }
}

TEST(SoftAudit, KnownGroupsAreTheSpecialCase) {
  Random random(2);
  for (int trial = 0; trial < trials(50); ++trial) {
    const People people = make_people(random, 40, true);
    const bool labelled = trial % 2 == 0;
    const Costs costs = trial % 3 == 0 ? Costs{} : Costs{1, 3};
    std::vector<std::string> member;
    for (const double g : people.g) member.push_back(g == 1 ? "yes" : "no");
    std::vector<std::uint8_t> label(people.label.begin(), people.label.end());
    const Cells regions = people.regions();
    const SoftAudit soft = audit_soft(people.rows(regions), people.options(labelled, costs));
    const Cells cells = Cells::from({{"member", member}, {"region", people.region}});
    TallyOptions options{.weight = people.weight};
    if (labelled) options.label = label;
    const Tally tally = Tally::of(people.score, cells, options);
    const Audit hard =
        audit(tally, {.sensitive = {"member"}, .within = {"region"}}, {.costs = costs});
    EXPECT_EQ(soft.expected, hard.expected);
    EXPECT_NEAR(*soft.accuracy, hard.overall.figures.accuracy.value(), 1e-12);
    EXPECT_NEAR(*soft.cost, hard.overall.figures.cost.value(), 1e-12);
    EXPECT_NEAR(soft.selection_rate, hard.overall.figures.selection_rate.value(), 1e-12);
    EXPECT_NEAR(soft.weight, hard.overall.figures.weight, 1e-9);
    for (const Comparison& stratum : hard.strata) {
      const auto same =
          std::find_if(soft.strata.begin(), soft.strata.end(),
                       [&](const SoftAuditedStratum& one) { return one.values == stratum.values; });
      ASSERT_NE(same, soft.strata.end());
      for (const AuditedGroup& group : stratum.groups) {
        const SoftPair& pair = same->columns[0];
        const auto rate = group.values[0] == "yes" ? pair.rate : pair.others;
        EXPECT_NEAR(rate.value(), group.figures.selection_rate.value(), 1e-12);
      }
    }
  }
}

TEST(SoftAudit, ScoresThatMeanRiskTurnLabelsToo) {
  const std::vector<double> risk = {0.9, 0.2, 0.4};
  const std::vector<double> g = {1, 0, 0.5};
  const std::vector<double> came_true = {1, 0, 1};  // the third was wrongly trusted
  const SoftRows rows{risk, {{"g", g}}};
  const SoftAudit audit = audit_soft(rows, {.label = came_true, .favorable = Favorable::low});
  EXPECT_NEAR(audit.selection_rate, 2.0 / 3, 1e-15);
  EXPECT_NEAR(*audit.accuracy, 2.0 / 3, 1e-15);
}

TEST(SoftAudit, TheOrderOfRowsDoesNotShow) {
  Random random(3);
  const People people = make_people(random, 500, false);
  const Cells regions = people.regions();
  const SoftAudit expected = audit_soft(people.rows(regions), people.q, people.options(true));
  for (int trial = 0; trial < 5; ++trial) {
    const People others = shuffled(people, random);
    const Cells their_regions = others.regions();
    const SoftAudit audit = audit_soft(others.rows(their_regions), others.q, others.options(true));
    EXPECT_EQ(audit.accuracy, expected.accuracy);
    EXPECT_EQ(audit.cost, expected.cost);
    EXPECT_EQ(audit.selection_rate, expected.selection_rate);
    EXPECT_EQ(audit.largest_difference(), expected.largest_difference());
    EXPECT_EQ(audit.smallest_ratio(), expected.smallest_ratio());
  }
}

TEST(SoftAudit, FittedRulesTreatThoseWhoBelongAndTheOthersAlike) {
  Random random(4);
  const People people = make_people(random, 200, false);
  const Cells regions = people.regions();
  const SoftRows rows = people.rows(regions);
  const SoftSolution fit = solve_soft(rows, {.weight = people.weight});
  const SoftAudit before = audit_soft(rows, people.options(false));
  const SoftAudit after = audit_soft(rows, fit.rule.probability(rows), people.options(false));
  EXPECT_LT(after.largest_difference().value(), 1e-9);
  EXPECT_GT(after.smallest_ratio().value(), 1 - 1e-8);
  EXPECT_GT(before.largest_difference().value(), after.largest_difference().value());
  EXPECT_GE(*before.accuracy, *after.accuracy - 1e-12);
  // At costs of 1 the benefit of a decision is what it adds to the number of right ones.
  EXPECT_NEAR(after.weight * (*before.accuracy - *after.accuracy), fit.base - fit.primal, 1e-9);
}

TEST(SoftAudit, WhatCannotBeComparedIsNot) {
  const std::vector<double> score = {0.2, 0.8};
  const std::vector<double> nobody = {0, 0};
  const SoftAudit audit = audit_soft({score, {{"nobody", nobody}}});
  EXPECT_FALSE(audit.strata[0].columns[0].rate);
  EXPECT_EQ(audit.strata[0].columns[0].others, 0.5);
  EXPECT_FALSE(audit.largest_difference());
  EXPECT_FALSE(audit.smallest_ratio());
  const std::vector<double> none_selected = {0, 0};
  const std::vector<double> half = {0.5, 0.25};
  const SoftAudit equal = audit_soft({score, {{"half", half}}}, none_selected);
  EXPECT_EQ(equal.largest_difference(), 0.0);
  EXPECT_EQ(equal.smallest_ratio(), 1.0);
}

TEST(SoftAudit, BadInputSaysWhatAndWhere) {
  const std::vector<double> score = {0.2, 0.8};
  const std::vector<double> g = {0.5, 1};
  const std::vector<double> bad = {0.5, 1.5};
  const std::vector<double> missing = {0.5, std::numeric_limits<double>::quiet_NaN()};
  const std::vector<double> one = {1};
  const SoftRows rows{score, {{"g", g}}};
  using Bad = std::invalid_argument;
  expect_throw<Bad>([&] { audit_soft(SoftRows{}); }, "no rows");
  expect_throw<Bad>([&] { audit_soft(rows, bad); }, "row 1");
  expect_throw<Bad>([&] { audit_soft(rows, missing); }, "row 1");
  expect_throw<Bad>([&] { audit_soft(rows, one); }, "1 decisions");
  expect_throw<Bad>([&] { audit_soft({score, {{"g", bad}}}); }, "row 1");
  expect_throw<Bad>([&] { audit_soft({bad, {{"g", g}}}); }, "row 1");
  expect_throw<Bad>([&] { audit_soft({score, {{"g", one}}}); }, "length");
  expect_throw<Bad>([&] { audit_soft(rows, {.label = bad}); }, "row 0");
  expect_throw<Bad>([&] { audit_soft(rows, {.label = one}); }, "1 labels");
  expect_throw<Bad>([&] { audit_soft(rows, {.weight = missing}); }, "row 1");
  expect_throw<Bad>([&] { audit_soft(rows, {.scale = Scale::raw}); }, "raw");
  expect_throw<Bad>([&] { audit_soft(rows, {.costs = {-1, 1}}); }, "cost");
}

}  // namespace
}  // namespace evenhand::soft_audit_test
