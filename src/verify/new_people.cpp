// What the record says of people not met yet.
#include "verify/new_people.h"

#include <evenhand/audit_confidence.h>
#include <evenhand/text.h>

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand::verifying {
namespace {

constexpr const char* new_people = "new people";

std::string bound_in_words(const ConfidenceBound& bound) {
  return fmt::format("{} {} ({} % confidence)", bound.is_ratio ? "ratio at least" : "at most",
                     rounded(*bound.value, 6), rounded(100 * bound.confidence, 6));
}

// A certificate may be narrower than what the criterion alone leaves to say, but never wider.
bool keeps(const Criterion& criterion, const ConfidenceBound& bound) {
  return bound.is_ratio ? *bound.value >= criterion.ratio - verify_tolerance
                        : *bound.value <= criterion.tolerance + verify_tolerance;
}

bool same_group(const BoundedGroup& claimed, const BoundedGroup& found) {
  return claimed.name == found.name && same(claimed.rows, found.rows, found.rows);
}

bool same_stratum(const StratumBound& claimed, const StratumBound& found) {
  return claimed.values == found.values && same(claimed.value, found.value, 1) &&
         same(claimed.observed, found.observed, 1) && claimed.rate == found.rate &&
         same_group(claimed.over, found.over) && same_group(claimed.under, found.under);
}

bool same_small(const SmallGroup& claimed, const SmallGroup& found) {
  return claimed.rate == found.rate && same_group(claimed.group, found.group);
}

// What is recorded beside the bound itself and was not found; "" if all of it was.
std::string wrong_beside(const ConfidenceBound& claimed, const ConfidenceBound& found) {
  if (!same(claimed.observed, found.observed, 1)) {
    return fmt::format("observed {} recorded, {} found", rounded(claimed.observed, 12),
                       rounded(found.observed, 12));
  }
  if (claimed.shown && found.shown && !same(*claimed.shown, *found.shown, 1)) {
    return fmt::format("shown {} recorded, {} found", rounded(*claimed.shown, 12),
                       rounded(*found.shown, 12));
  }
  if (!std::equal(claimed.strata.begin(), claimed.strata.end(), found.strata.begin(),
                  found.strata.end(), same_stratum)) {
    return "the bound of a stratum is not as recorded";
  }
  if (!std::equal(claimed.small.begin(), claimed.small.end(), found.small.begin(),
                  found.small.end(), same_small)) {
    return "groups that are too small are not as recorded";
  }
  return {};
}

}  // namespace

void check_new_people(const StoredTally& data, const Rule& rule, const FitRecord& record,
                      Checks& checks) {
  if (!record.bound) return;
  const ConfidenceBound& claimed = *record.bound;
  const Criterion criterion = record.criterion->criterion();
  if (criterion.rates.empty()) {
    claimed.value ? checks.no(new_people, "requirements alone compare no groups")
                  : checks.yes(new_people, "no bound: " + claimed.reason);
    return;
  }
  AuditConfidence again;
  try {
    again = confidence_of(
        audit_report(data.tally, scope_of(criterion), rule),
        {.confidence = claimed.confidence, .fitted_by = record, .kind = claimed.kind});
  } catch (const std::invalid_argument& error) {  // no fit writes such a bound
    checks.no(new_people, error.what());
    return;
  }
  const ConfidenceBound& found = again.of(criterion.relation);
  if (!claimed.value || !found.value) {
    claimed.value.has_value() == found.value.has_value()
        ? checks.yes(new_people, "no bound: " + claimed.reason)
        : checks.no(new_people, claimed.value ? "there is no bound: " + found.reason
                                              : "there is a bound, " + bound_in_words(found));
    return;
  }
  if (!record.certified) {
    const std::string wrong =
        same(*claimed.value, *found.value, 1)
            ? wrong_beside(claimed, found)
            : fmt::format("{} recorded, {} found", bound_in_words(claimed), bound_in_words(found));
    wrong.empty() ? checks.yes(new_people, bound_in_words(claimed)) : checks.no(new_people, wrong);
  } else if (claimed.strata.size() != found.strata.size()) {
    checks.unchecked(new_people, "only some strata are certified");
  } else if (claimed.confidence != *record.certified || !keeps(criterion, claimed)) {
    checks.no(new_people,
              fmt::format("{} recorded, which is not what was certified", bound_in_words(claimed)));
  } else {
    keeps(criterion, found)
        ? checks.yes(new_people, "certified: " + bound_in_words(claimed))
        : checks.no(new_people, fmt::format("certified, but {} found", bound_in_words(found)));
  }
}

}  // namespace evenhand::verifying
