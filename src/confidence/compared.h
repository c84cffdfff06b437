// Who is compared with whom, as bounds see it: groups with their rates and rows.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/confidence_bound.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace evenhand {

struct ComparedGroup {
  BoundedGroup group;
  double rate = 0;
  CellCode cell = 0;  // where groups are cells
};

struct ComparedGroups {
  std::vector<std::string> values;  // of the stratum
  Rate rate = Rate::selection;
  std::vector<ComparedGroup> groups;          // at least two
  std::optional<std::size_t> reference = {};  // compare all with this one; none: each with each

  // Calls see(over, under) for every ordered pair.
  template <class See>
  void each_pair(const See& see) const {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t j = 0; j < groups.size(); ++j) {
        if (i == j || (reference && i != *reference && j != *reference)) continue;
        see(groups[i], groups[j]);
      }
    }
  }
};

inline constexpr std::size_t most_pairs = 100'000;

// The ordered pairs of all of these, in the order in which `bounded` asks for them.
std::size_t count_pairs(std::span<const ComparedGroups> compared) noexcept;
std::vector<PairSizes> pairs_of(std::span<const ComparedGroups> compared);

// Fills in value, observed, shown, strata and small groups. `bound` gives the bound of pair number
// n.
using PairBound =
    std::function<double(std::size_t n, const ComparedGroup& over, const ComparedGroup& under)>;
void bounded(std::span<const ComparedGroups> compared, const PairBound& bound,
             ConfidenceBound& out);

// Under the rule of a solution, cell by cell.
std::vector<ComparedGroups> compared_cells(const Tally& tally, const Solution& solution);

std::optional<double> rate_in(const Figures& figures, Rate rate);

// Why no bound of fitted rules reaches this; empty if one does.
std::string out_of_reach(const Tally& tally, const Criterion& criterion);

}  // namespace evenhand
