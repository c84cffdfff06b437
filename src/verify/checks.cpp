#include "verify/checks.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace evenhand::verifying {

bool same(double recorded, double found, double whole) noexcept {
  return std::abs(recorded - found) <= verify_tolerance * whole || recorded == found;
}

void Checks::yes(std::string name, std::string words) {
  out_.checks.push_back({std::move(name), Verdict::yes, std::move(words), {}, {}});
}

void Checks::no(std::string name, std::string words) {
  out_.checks.push_back({std::move(name), Verdict::no, std::move(words), {}, {}});
}

void Checks::unchecked(std::string name, std::string words) {
  out_.checks.push_back({std::move(name), Verdict::unchecked, std::move(words), {}, {}});
}

void Checks::figure(std::string name, double recorded, double found, double whole) {
  if (same(recorded, found, whole)) {
    yes(std::move(name), rounded(recorded, 10));
  } else if (std::isnan(recorded)) {
    no(std::move(name), fmt::format("not recorded; found {}", rounded(found, 10)));
  } else {
    // As many digits as it takes to see the difference.
    no(std::move(name), fmt::format("recorded {}, found {}",
                                    rounded(recorded, 17).size() > 12 ? rounded(recorded, 12)
                                                                      : rounded(recorded, 17),
                                    rounded(found, 12)));
  }
  out_.checks.back().recorded = recorded;
  out_.checks.back().found = found;
}

void Checks::Several::add(const std::string& what, double recorded, double found, double whole) {
  ++count_;
  const bool both_nan = std::isnan(recorded) && std::isnan(found);
  if (!trouble_.empty() || both_nan || same(recorded, found, whole)) return;
  trouble_ = std::isnan(recorded) ? fmt::format("{} is not recorded", what)
                                  : fmt::format("{}: recorded {}, found {}", what,
                                                rounded(recorded, 12), rounded(found, 12));
}

void Checks::Several::fail(const std::string& what) {
  ++count_;
  if (trouble_.empty()) trouble_ = what;
}

void Checks::Several::conclude(const std::string& words) {
  if (count_ == 0) return;
  if (trouble_.empty()) {
    checks_.yes(name_, words);
  } else {
    checks_.no(name_, trouble_);
  }
}

void Checks::fingerprint(const std::string& name, const std::string& recorded,
                         const std::string& found, const std::string& if_same,
                         const std::string& if_not) {
  if (recorded.empty()) {
    unchecked(name, "no fingerprint is recorded");
  } else if (recorded == found) {
    yes(name, fmt::format("{}, fingerprint {}", if_same, found.substr(0, 16)));
  } else {
    no(name, fmt::format("{}: fingerprint {} recorded, {} found", if_not,
                         printable(recorded.substr(0, 16)), found.substr(0, 16)));
  }
}

void check_proof(const RecordedProof& proof, const Found& found, Checks& checks) {
  const double whole = std::max(found.magnitude, std::abs(found.primal));
  checks.figure("objective", proof.primal, found.primal, whole);
  checks.figure("violation", proof.violation, found.violation, 1);
  if (found.bound) {
    checks.figure("bound", proof.dual, *found.bound, std::max(whole, std::abs(*found.bound)));
  } else if (found.bound_is_wrong) {
    checks.no("bound", found.why_no_bound);
  } else {
    checks.unchecked("bound", found.why_no_bound);
  }
  // Of few coins it is that of the search, which may be tighter.
  const double left = (proof.dual - proof.primal) / (proof.magnitude > 0 ? proof.magnitude : 1.0);
  const bool few = found.few_coins && proof.gap >= -verify_tolerance && proof.gap <= left;
  if (!std::isnan(proof.gap) && !few && !same(proof.gap, left, 1)) {
    checks.no("gap", fmt::format("recorded {}, but bound and objective leave {}",
                                 rounded(proof.gap, 12), rounded(left, 12)));
  }
  const std::string status(to_string(proof.status));
  // Rounding here and in the fit.
  constexpr double close = 2e-9;
  const bool meets = found.violation <= close;
  if (!meets && (proof.status == Status::optimal || proof.status == Status::feasible)) {
    checks.no("status", fmt::format("{}, but the criterion is missed by {}", status,
                                    rounded(found.violation, 6)));
    return;
  }
  if (proof.status == Status::feasible) {
    checks.yes("status", "feasible: the rule meets the criterion; it claims no more");
    return;
  }
  if (proof.status != Status::optimal) {
    checks.unchecked("status", status + ": the record claims no proof");
    return;
  }
  if (!found.bound) {
    const std::string words = "optimality was not checked: " + found.why_no_bound;
    found.bound_is_wrong ? checks.no("status", words) : checks.unchecked("status", words);
    return;
  }
  const double gap = (*found.bound - found.primal) / (found.magnitude > 0 ? found.magnitude : 1.0);
  if (std::abs(gap) <= close) {
    checks.yes("status", fmt::format("optimal: within {} of the best rule that meets the criterion",
                                     rounded(std::max(0.0, gap), 2)));
  } else if (found.few_coins && gap > 0) {
    checks.unchecked(
        "status", fmt::format("optimality was not checked: the search over rules with few coins or "
                              "none is not repeated; with coins, at most {} of the whole is to be "
                              "gained",
                              rounded(gap, 3)));
  } else {
    checks.no("status",
              fmt::format("optimal is claimed, but the bound leaves a gap of {}", rounded(gap, 3)));
  }
}

}  // namespace evenhand::verifying

namespace evenhand {

std::string_view to_string(Verdict verdict) noexcept {
  return verdict == Verdict::yes ? "yes" : verdict == Verdict::no ? "no" : "not checked";
}

bool Verification::passed() const noexcept {
  return failed() == 0;
}

std::size_t Verification::failed() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(),
                    [](const Check& check) { return check.verdict == Verdict::no; }));
}

}  // namespace evenhand
