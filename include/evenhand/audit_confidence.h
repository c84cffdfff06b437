// What an audit says beyond its rows: bounds for people not met yet, and whether differences are
// more than chance. Over an AuditReport, so that exactly what it compares is bounded and tested.
#pragma once

#include <evenhand/audit_report.h>
#include <evenhand/confidence_bound.h>
#include <evenhand/fit_record.h>
#include <evenhand/tests_of_rates.h>

#include <optional>
#include <string>
#include <vector>

namespace evenhand {

struct AuditConfidenceOptions {
  double confidence = 0.95;  // in (0, 1)
  // The record of the fit if the rule was fitted on these very rows (FitRecord::fitted_on): the
  // bound then is that of a fit. None: they are fresh to the decisions.
  std::optional<FitRecord> fitted_by = {};
  std::optional<BoundKind> kind = {};  // of fitted rows; none: the one that suits
  bool strict = false;                 // of fresh rows: the error never exceeds what is stated
};

// Bounds of the largest difference and of the smallest ratio, over all pairs, strata, rates and
// views of the report together; `shown` is what the data show at least.
struct AuditConfidence {
  bool fitted = false;  // on these very rows
  ConfidenceBound difference;
  ConfidenceBound ratio;

  // The one that the report's headline is about.
  const ConfidenceBound& of(Relation relation) const noexcept {
    return relation == Relation::ratio ? ratio : difference;
  }
};

// Throws std::invalid_argument for a confidence outside of (0, 1), and for BoundKind::same_rate
// where nothing ties the rates that are compared.
AuditConfidence confidence_of(const AuditReport& report,
                              const AuditConfidenceOptions& options = {});

// A group against the reference, or against the group with the highest rate of its stratum.
struct TestedPair {
  Rate rate = Rate::selection;
  GroupName stratum, group, reference;
  RateCount count, reference_count;
  double difference = 0;  // of the group less the reference
  RateLimits difference_interval = {};
  std::optional<double> ratio = {};  // none if nobody of the reference is positive
  RateLimits ratio_interval = {};
  double standard_deviations = 0;
  double shortfall = 0;                 // to the reference's rate
  double shortfall_to_fifths = 0;       // to four fifths of it
  std::optional<ExactTest> exact = {};  // of decisions that were taken; not of expected counts
  std::optional<double> holm_p = {};    // of the exact p, among all pairs that the report compares
};

// A group against the reference over all strata that have both.
struct TestedStrata {
  Rate rate = Rate::selection;
  GroupName group, reference;
  std::size_t strata = 0;  // at least two
  ChiSquareTest test;
};

// All groups of a view at once.
struct TestedView {
  std::vector<std::string> sensitive;
  Rate rate = Rate::selection;
  PermutationTest test;
};

struct AuditTests {
  double confidence = 0.95;  // of the intervals
  std::vector<TestedPair> pairs;
  std::vector<TestedStrata> strata;
  std::vector<TestedView> views;
  std::string why_no_tests;      // empty if counts are whole
  std::string why_no_intervals;  // the same for pairs: then there are none
};

// Throws std::invalid_argument for a confidence outside of (0, 1).
AuditTests tests_of(const AuditReport& report, double confidence = 0.95,
                    const Permutations& permutations = {});

}  // namespace evenhand
