// Which of an audit's groups are tested against which.
#include <evenhand/audit_confidence.h>

#include <algorithm>
#include <map>

#include "confidence/check.h"

namespace evenhand {
namespace {

using Groups = std::vector<CountedGroup>;

// The reference; without one, the group with the highest rate, the first of equals.
const CountedGroup* reference_in(const Groups& groups, const std::vector<std::string>& asked) {
  if (groups.size() < 2) return nullptr;
  const auto found =
      asked.empty()
          ? std::max_element(
                groups.begin(), groups.end(),
                [](const CountedGroup& a, const CountedGroup& b) { return a.rate < b.rate; })
          : std::find_if(groups.begin(), groups.end(),
                         [&](const CountedGroup& group) { return group.name.values == asked; });
  return found == groups.end() ? nullptr : &*found;
}

TestedPair tested(const ComparedRates& compared, const CountedGroup& group,
                  const CountedGroup& reference, double confidence) {
  TestedPair out{compared.rate,  compared.stratum, group.name,
                 reference.name, group.count,      reference.count};
  out.difference = group.rate - reference.rate;
  out.difference_interval = difference_interval(group.count, reference.count, confidence);
  if (reference.rate > 0) out.ratio = group.rate / reference.rate;
  out.ratio_interval = ratio_interval(group.count, reference.count, confidence);
  out.standard_deviations = standard_deviations(group.count, reference.count);
  out.shortfall = shortfall(group.count, reference.count);
  out.shortfall_to_fifths = shortfall(group.count, reference.count, 0.8);
  return out;
}

// The p-values of all pairs that could have been named: choosing the highest group afterwards
// changes nothing about Holm's promise then.
class Family {
 public:
  void add(const CountedGroup* a, const CountedGroup* b) {
    at_[{a, b}] = p_.size();
    p_.push_back(fisher_exact(a->count, b->count).p);
  }
  void adjust() { adjusted_ = holm(p_); }
  double adjusted(const CountedGroup* a, const CountedGroup* b) const {
    const auto found = at_.find({a, b});
    return adjusted_[found != at_.end() ? found->second : at_.at({b, a})];
  }

 private:
  std::map<std::pair<const CountedGroup*, const CountedGroup*>, std::size_t> at_;
  std::vector<double> p_, adjusted_;
};

constexpr std::size_t most_in_family = 20'000;

std::size_t pairs_in(const AuditReport& report) {
  std::size_t count = 0;
  for (const AuditView& view : report.views) {
    for (const ComparedRates& compared : view.compared) {
      const std::size_t n = compared.groups.size();
      count += report.scope.reference.empty() ? n * (n - 1) / 2 : n;
    }
  }
  return count;
}

bool all_whole(const AuditReport& report) {
  for (const AuditView& view : report.views) {
    for (const ComparedRates& compared : view.compared) {
      for (const CountedGroup& group : compared.groups) {
        if (!whole(group.count)) return false;
      }
    }
  }
  return true;
}

void test_strata(const AuditReport& report, const AuditView& view, Rate rate, AuditTests& out) {
  if (view.roles.within.empty() || report.scope.all_cells) return;
  // Without a reference, the group whose rate is the highest over all strata.
  std::vector<std::string> asked = report.scope.reference;
  if (asked.empty()) {
    double highest = -1;
    for (const AuditedGroup& group : view.audit.overall.groups) {
      const auto value = group.figures.*rate_of(rate).value;
      if (!group.compared || !value || *value <= highest) continue;
      highest = *value;
      asked = group.values;
    }
  }
  std::map<std::vector<std::string>, std::vector<RatesOfTwo>> strata;
  for (const ComparedRates& compared : view.compared) {
    const CountedGroup* const reference =
        compared.rate == rate ? reference_in(compared.groups, asked) : nullptr;
    if (!reference) continue;
    for (const CountedGroup& group : compared.groups) {
      if (&group != reference) {
        strata[group.name.values].push_back({group.count, reference->count});
      }
    }
  }
  for (const auto& [values, counts] : strata) {
    if (counts.size() < 2) continue;
    const std::vector<std::string>& sensitive = view.roles.sensitive;
    out.strata.push_back(
        {rate, {sensitive, values}, {sensitive, asked}, counts.size(), mantel_haenszel(counts)});
  }
}

void test_largest(const AuditView& view, Rate rate, const Permutations& permutations,
                  AuditTests& out) {
  std::vector<std::vector<RateCount>> strata;
  std::size_t groups = 0;
  for (const ComparedRates& compared : view.compared) {
    if (compared.rate != rate || compared.groups.size() < 2) continue;
    strata.emplace_back();
    for (const CountedGroup& group : compared.groups) strata.back().push_back(group.count);
    groups += compared.groups.size();
  }
  if (strata.empty()) return;
  // So many groups that all draws would take long: fewer of them, and p no smaller than 1/1,000.
  constexpr std::size_t most_deals = 4'000'000;
  Permutations drawn = permutations;
  if (drawn.draws > 999) {
    drawn.draws = std::clamp(most_deals / groups, std::size_t{999}, drawn.draws);
  }
  out.views.push_back({view.roles.sensitive, rate, largest_difference_test(strata, drawn)});
}

}  // namespace

AuditTests tests_of(const AuditReport& report, double confidence,
                    const Permutations& permutations) {
  check_confidence(confidence);
  AuditTests out;
  out.confidence = confidence;
  if (!report.unit_weights && !report.effective) {
    out.why_no_intervals = out.why_no_tests =
        "rows have weights, and nothing is known of their "
        "squares";
    return out;
  }
  if (!report.unit_weights) {
    out.why_no_tests = "rows have weights";
  } else if (!all_whole(report)) {
    out.why_no_tests = "coins decide, and tests need decisions that were taken";
  }
  const bool tests = out.why_no_tests.empty();
  const bool adjusts = tests && pairs_in(report) <= most_in_family;
  Family family;
  std::vector<std::pair<const CountedGroup*, const CountedGroup*>> shown;
  for (const AuditView& view : report.views) {
    for (const ComparedRates& compared : view.compared) {
      const CountedGroup* const reference = reference_in(compared.groups, report.scope.reference);
      if (!reference) continue;
      for (const CountedGroup& group : compared.groups) {
        if (&group == reference) continue;
        out.pairs.push_back(tested(compared, group, *reference, confidence));
        shown.emplace_back(&group, reference);
        if (tests) out.pairs.back().exact = fisher_exact(group.count, reference->count);
      }
      if (!adjusts) continue;
      for (const CountedGroup& a : compared.groups) {
        for (const CountedGroup& b : compared.groups) {
          if (&a < &b && (report.scope.reference.empty() || &a == reference || &b == reference)) {
            family.add(&a, &b);
          }
        }
      }
    }
  }
  if (adjusts) {
    family.adjust();
    for (std::size_t i = 0; i < shown.size(); ++i) {
      out.pairs[i].holm_p = family.adjusted(shown[i].first, shown[i].second);
    }
  }
  if (!tests) return out;
  for (const AuditView& view : report.views) {
    for (const Rate rate : report.scope.rates) {
      test_strata(report, view, rate, out);
      test_largest(view, rate, permutations, out);
    }
  }
  return out;
}

}  // namespace evenhand
