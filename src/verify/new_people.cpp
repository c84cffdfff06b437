// What the record says of people not met yet.
#include "verify/new_people.h"

#include <evenhand/audit_confidence.h>
#include <evenhand/text.h>

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
    same(*claimed.value, *found.value, 1)
        ? checks.yes(new_people, bound_in_words(claimed))
        : checks.no(new_people, fmt::format("{} recorded, {} found", bound_in_words(claimed),
                                            bound_in_words(found)));
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
