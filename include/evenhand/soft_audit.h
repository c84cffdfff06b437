// audit_soft: what decisions mean where groups are known by probabilities only (soft.h): the
// expected rates of those who belong to each group and of those who do not.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/scale.h>
#include <evenhand/soft_rule.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evenhand {

struct SoftAuditOptions {
  std::span<const double> weight = {};  // finite and >= 0, not all 0; none: 1 each
  std::span<const double> label = {};   // 0 or 1, what really happened, as the data have it
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;
  Costs costs = {};
  // The scores are decisions made elsewhere, 0 or 1: without labels nothing is known about being
  // right.
  bool decisions = false;
  // What is compared. Rates given the outcome take labels, or else what the scores promise; of
  // decisions made elsewhere they need labels.
  std::vector<Rate> rates = {Rate::selection};
};

// Those who belong to a group, and the others, in one stratum.
struct SoftPair {
  std::string column;
  double mean = 0;               // expected share of the rows that belong
  std::optional<double> rate;    // expected rate of those who belong; none: nobody does
  std::optional<double> others;  // and of those who do not; none: everybody belongs
  Rate of = Rate::selection;
};

struct SoftAuditedStratum {
  std::vector<std::string> values;  // of the `within` attributes
  double weight = 0;
  std::optional<double> selection_rate;  // none without rows
  std::vector<SoftPair> columns;         // selection rates, then others that are compared
};

struct SoftAudit {
  bool expected = false;  // accuracy and cost trust the scores: there were no labels
  double weight = 0;
  double selection_rate = 0;
  std::optional<double> accuracy;  // these two: none of decisions without labels
  std::optional<double> cost;      // mean cost of a decision
  std::vector<SoftAuditedStratum> strata;
  std::vector<Rate> rates = {Rate::selection};  // that are compared

  // Between those who belong and the others, over all columns, strata and compared rates; none if
  // nothing can be compared.
  std::optional<double> largest_difference() const;
  std::optional<double> smallest_ratio()
      const;  // of the smaller rate to the larger; 1 if both are 0
};

// Of decisions with these probabilities, and of decisions by the benefit alone or made elsewhere.
// Columns are audited whether a rule knows them or not. The order of rows does not show in the
// result. Throws std::invalid_argument for values out of range (naming the row), columns of
// different lengths, and no rows.
SoftAudit audit_soft(const SoftRows& rows, std::span<const double> q,
                     const SoftAuditOptions& options = {});
SoftAudit audit_soft(const SoftRows& rows, const SoftAuditOptions& options = {});

// The people whose decision is another one than by the first of several rules, by the weight that
// is to be expected if everybody has the same coin under every rule (side_by_side.h).
struct SoftChange {
  std::string column;  // those who belong to it; empty: everybody
  double weight = 0;
  double to_yes = 0;  // a no of the first rule
  double to_no = 0;   // a yes of the first rule
};

// One of several rules about the same people.
struct SoftBeside {
  SoftAudit audit;
  double lottery_share = 0;         // share of the weight with 0 < q < 1
  std::vector<SoftChange> changes;  // of the columns of everybody, then of everybody
};

// Decisions with probabilities q, beside those of the first rule. Throws like audit_soft.
SoftBeside audit_soft_beside(const SoftRows& rows, std::span<const double> first,
                             std::span<const double> q, const SoftAuditOptions& options = {});

}  // namespace evenhand
