#include "confidence/compared.h"

#include <algorithm>

#include "rule/grouping.h"
#include "solve/comparison.h"

namespace evenhand {
namespace {

constexpr double few = 50;

double observed_in(const ComparedGroup& over, const ComparedGroup& under, bool is_ratio) {
  if (!is_ratio) return over.rate - under.rate;
  return over.rate > 0 ? under.rate / over.rate : 1;
}

}  // namespace

std::optional<double> rate_in(const Figures& figures, Rate rate) {
  return rate == Rate::selection       ? figures.selection_rate
         : rate == Rate::true_positive ? figures.true_positive_rate
                                       : figures.false_positive_rate;
}

std::size_t count_pairs(std::span<const ComparedGroups> compared) noexcept {
  std::size_t count = 0;
  for (const ComparedGroups& stratum : compared) {
    const std::size_t groups = stratum.groups.size();
    count += stratum.reference ? 2 * (groups - 1) : groups * (groups - 1);
  }
  return count;
}

std::vector<PairSizes> pairs_of(std::span<const ComparedGroups> compared) {
  std::vector<PairSizes> out;
  for (const ComparedGroups& stratum : compared) {
    stratum.each_pair([&](const ComparedGroup& over, const ComparedGroup& under) {
      out.push_back({over.group.rows, under.group.rows});
    });
  }
  return out;
}

void bounded(std::span<const ComparedGroups> compared, const PairBound& bound,
             ConfidenceBound& out) {
  const auto worse = [&](double a, double b) { return out.is_ratio ? a < b : a > b; };
  const double best = out.is_ratio ? 2 : -1;
  std::size_t n = 0;
  // All bounds hold together: where over - under is at most -d, under - over is at least d.
  double shown = out.is_ratio ? 1 : 0;
  for (const ComparedGroups& stratum : compared) {
    StratumBound widest{stratum.values, best, best, stratum.rate, {}, {}};
    stratum.each_pair([&](const ComparedGroup& over, const ComparedGroup& under) {
      const double value = bound(n++, over, under);
      const double observed = observed_in(over, under, out.is_ratio);
      if (worse(observed, widest.observed)) widest.observed = observed;
      shown = out.is_ratio ? std::max(shown, value) : std::min(shown, value);
      if (!worse(value, widest.value)) return;
      widest.value = value;
      widest.over = over.group;
      widest.under = under.group;
    });
    for (const ComparedGroup& group : stratum.groups) {
      if (group.group.rows < few) out.small.push_back({group.group, stratum.rate});
    }
    // Both rates of a stratum make one line, that of the wider.
    const bool again = !out.strata.empty() && out.strata.back().values == stratum.values;
    if (again) {
      StratumBound& before = out.strata.back();
      const double observed =
          worse(before.observed, widest.observed) ? before.observed : widest.observed;
      if (worse(widest.value, before.value)) before = widest;
      before.observed = observed;
    } else {
      out.strata.push_back(widest);
    }
  }
  out.shown = out.is_ratio ? 1 / shown : -shown + 0.0;
  for (const StratumBound& stratum : out.strata) {
    if (!out.value || worse(stratum.value, *out.value)) out.value = stratum.value;
    if (&stratum == &out.strata.front() || worse(stratum.observed, out.observed)) {
      out.observed = stratum.observed;
    }
  }
}

std::vector<ComparedGroups> compared_cells(const Tally& tally, const Solution& solution) {
  const Criterion& criterion = solution.criterion;
  const CellNames& names = tally.cells();
  // Criteria of one rate have it in the solution already.
  std::vector<AuditedCell> audited;
  if (criterion.rates.size() > 1) {
    audited = audit(tally, criterion.roles, solution.rule).cells;
  }
  std::vector<CellGroup> strata =
      group_cells(names, criterion.all_cells ? std::vector<std::string>{} : criterion.roles.within);
  std::vector<ComparedGroups> out;
  for (const CellGroup& stratum : strata) {
    for (const Rate rate : criterion.rates) {
      ComparedGroups groups{stratum.values, rate, {}};
      for (const CellCode c : stratum.cells) {
        const double rows = denominator(rate, tally.total(c));
        if (rows <= 0 || !solution.cells[c].compared) continue;
        const double value =
            audited.empty() ? solution.cells[c].rate : rate_in(audited[c].figures, rate).value();
        groups.groups.push_back({{names.name(c), rows}, value, c});
      }
      if (groups.groups.size() > 1) out.push_back(std::move(groups));
    }
  }
  return out;
}

std::string out_of_reach(const Tally& tally, const Criterion& criterion) {
  if (criterion.rates.empty()) return "requirements alone compare no groups";
  if (!tally.unit_weights()) return "rows have weights, and the bound counts people";
  if (criterion.roles.across != Across::intersection && criterion.roles.sensitive.size() > 1) {
    return "groups by single columns pool several cells, each with its own threshold";
  }
  return {};
}

}  // namespace evenhand
