// audit_report: who is compared with whom, what is the largest difference, and do requirements hold
// on these people. It answers for one set of decisions; before and after a rule are two reports.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/confidence.h>
#include <evenhand/requirement.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace evenhand {

// What is compared, and what is to hold.
struct AuditScope {
  Roles roles;  // `across` says which views there are
  std::vector<Rate> rates = {Rate::selection};
  Relation relation = Relation::difference;  // the headline is about this
  bool all_cells = false;                    // compare all cells, strata or not
  // Compare every group with the one that has these values instead of each with each.
  std::vector<std::string> reference = {};
  std::vector<std::string> require = {};  // requirements in the user's words
};

// What a criterion compares and requires.
AuditScope scope_of(const Criterion& criterion);

// Who is compared: the combinations of all sensitive attributes, each attribute's values, or both.
std::vector<Roles> views_of(const Roles& roles);

// A group, stratum or cell by what it has in common; without attributes it is everybody.
struct GroupName {
  std::vector<std::string> attributes;
  std::vector<std::string> values;

  // "sex=F, race=Black"; long texts shortened to `most` bytes.
  std::string text(std::size_t most = std::string::npos) const;
  GroupName in(const GroupName& stratum) const;  // with what the stratum has in common
  bool operator==(const GroupName&) const = default;
};

// Two groups of a stratum, and a rate of each.
struct Gap {
  Rate rate = Rate::selection;
  GroupName stratum;  // everybody where all cells are compared
  GroupName low, high;
  double low_rate = 0, high_rate = 0;

  double difference() const noexcept { return high_rate - low_rate; }
  double ratio() const noexcept { return high_rate > 0 ? low_rate / high_rate : 1; }
};

// A group against the one that all are compared with, in one stratum.
struct AgainstReference {
  GroupName group, stratum;
  Rate rate = Rate::selection;
  double value = 0, reference = 0;

  double difference() const noexcept { return value - reference; }
  std::optional<double> ratio() const noexcept {
    return reference > 0 ? std::optional(value / reference) : std::nullopt;
  }
};

// A group with what its rate is counted on: rows, or those with the outcome. With weights, as many
// rows as they are worth (effective_size), if AuditOptions::squared_weights says so.
struct CountedGroup {
  GroupName name;
  RateCount count;
  double rate = 0;
  bool pooled = false;  // of several cells
};

// The groups of a stratum that are compared by a rate, in the order of the audit.
struct ComparedRates {
  Rate rate = Rate::selection;
  GroupName stratum;  // everybody where all cells are compared
  std::vector<CountedGroup> groups;
};

// One grouping.
struct AuditView {
  Roles roles;
  Audit audit;
  std::vector<ComparedRates> compared;
  std::vector<AgainstReference> against_reference;
};

// A requirement, and what becomes of it on these people.
struct CheckedRequirement {
  std::string text;
  Sense sense = Sense::at_most;
  double bound = 0;
  std::optional<double> value;  // of its terms, to be compared with the bound
  std::string why_not;          // there is no value

  double missed_by() const noexcept;  // 0 if it holds or has no value
  // Up to what a fit leaves to rounding; false without a value.
  bool holds() const noexcept { return value && missed_by() <= 1e-9; }
};

struct AuditReport {
  CellNames cells;
  AuditScope scope;
  bool unit_weights = true;      // rows count once each
  bool effective = false;        // they do not, and counts are effective sizes
  std::vector<AuditView> views;  // at least one
  // Over all views, strata and rates that are compared; none if nothing can be.
  std::optional<Gap> largest_difference;
  std::optional<Gap> smallest_ratio;
  std::vector<CheckedRequirement> requirements;

  const Audit& audit() const { return views.front().audit; }
};

// Throws like audit, and std::invalid_argument for rates that need labels where there are none, for
// a reference that is no group, and for requirements that do not parse.
AuditReport audit_report(const Tally& tally, const AuditScope& scope,
                         const AuditOptions& options = {});
AuditReport audit_report(const Tally& tally, const AuditScope& scope, const Rule& rule,
                         const AuditOptions& options = {});

// "selection rate: sex=M 31.13 %, sex=F 11.24 % (race=White)"
std::string in_words(const Gap& gap);
// What the report is about, in one line: "largest difference 19.89 % in the selection rate: ...";
// for four-fifths the smallest ratio instead.
std::string headline(const AuditReport& report);

}  // namespace evenhand
