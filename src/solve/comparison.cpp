#include "solve/comparison.h"

#include <evenhand/text.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {

namespace {

std::vector<std::string> named_in(const Roles& roles) {
  std::vector<std::string> named = roles.sensitive;
  named.insert(named.end(), roles.within.begin(), roles.within.end());
  return named;
}

}  // namespace

void check_named(const CellNames& cells, const Roles& roles) {
  const std::vector<std::string> named = named_in(roles);
  for (const std::string& name : named) {
    const auto& known = cells.attributes();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw std::invalid_argument(fmt::format("the data have no attribute {}{}",
                                              quoted_if_needed(name, 60), suggestion(name, known)));
    }
    if (std::count(named.begin(), named.end(), name) > 1) {
      throw std::invalid_argument(
          fmt::format("the attribute {} has two roles: name it once, as sensitive or as within",
                      quoted_if_needed(name, 60)));
    }
  }
}

void check_roles(const CellNames& cells, const Roles& roles) {
  if (roles.sensitive.empty()) throw std::invalid_argument("name at least one sensitive attribute");
  check_named(cells, roles);
  const std::vector<std::string> named = named_in(roles);
  for (const std::string& name : cells.attributes()) {
    if (std::find(named.begin(), named.end(), name) == named.end()) {
      throw std::invalid_argument(
          fmt::format("the attribute {} has no role: name it as sensitive or within, or leave it "
                      "out by Tally::project",
                      quoted_if_needed(name, 60)));
    }
  }
}

double denominator(Rate rate, const CellTotal& total) noexcept {
  switch (rate) {
    case Rate::selection:
      return total.n;
    case Rate::true_positive:
      return total.n1;
    case Rate::false_positive:
      break;
  }
  return total.n - total.n1;
}

Comparisons compare(const Tally& tally, const Criterion& criterion) {
  check_roles(tally.cells(), criterion.roles);
  const Rate rate = criterion.rates.front();
  Comparisons out;
  out.reasons.resize(tally.cells().size());
  if (criterion.all_cells) {
    std::vector<CellCode> everybody(tally.cells().size());
    std::iota(everybody.begin(), everybody.end(), 0);
    out.strata.push_back({{}, std::move(everybody), {}});
  } else {
    for (CellGroup& group : group_cells(tally.cells(), criterion.roles.within)) {
      out.strata.push_back({std::move(group.values), std::move(group.cells), {}});
    }
  }
  bool any = false;
  for (Stratum& stratum : out.strata) {
    for (const CellCode c : stratum.cells) {
      const CellTotal& total = tally.total(c);
      if (denominator(rate, total) > 0) {
        stratum.compared.push_back(c);
      } else {
        out.reasons[c] = total.n == 0                  ? "no rows"
                         : rate == Rate::true_positive ? "no favourable outcomes"
                                                       : "no unfavourable outcomes";
      }
    }
    // A target is met by each cell alone; anything else takes two.
    if (stratum.compared.size() == 1 && criterion.relation != Relation::target) {
      out.reasons[stratum.compared.front()] = "nobody to compare with in its stratum";
      stratum.compared.clear();
    }
    any = any || !stratum.compared.empty();
  }
  if (!any) {
    throw std::invalid_argument(
        fmt::format("there is nothing to compare: no stratum has two groups with {}",
                    rate == Rate::selection       ? "rows"
                    : rate == Rate::true_positive ? "favourable outcomes"
                                                  : "unfavourable outcomes"));
  }
  return out;
}

}  // namespace evenhand
