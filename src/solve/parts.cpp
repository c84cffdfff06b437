#include "solve/parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace evenhand {
namespace {

// Sets of cells that grow together, each known by its first cell.
class Ties {
 public:
  explicit Ties(std::size_t cells) : parent_(cells) {
    std::iota(parent_.begin(), parent_.end(), CellCode{0});
  }
  CellCode root(CellCode c) {
    while (parent_[c] != c) c = parent_[c] = parent_[parent_[c]];
    return c;
  }
  void tie(const std::vector<CellCode>& cells) {
    for (const CellCode c : cells) {
      const CellCode a = root(cells.front());
      const CellCode b = root(c);
      parent_[std::max(a, b)] = std::min(a, b);
    }
  }

 private:
  std::vector<CellCode> parent_;
};

std::vector<CellCode> cells_in(const Compared& compared) {
  std::vector<CellCode> out;
  for (const PooledRate& member : compared.members) {
    out.insert(out.end(), member.cells.begin(), member.cells.end());
  }
  return out;
}

std::vector<CellCode> cells_in(const Constraint& constraint) {
  std::vector<CellCode> out;
  for (const Term& term : constraint.terms) {
    out.insert(out.end(), term.of.cells.begin(), term.of.cells.end());
    out.insert(out.end(), term.of.whole.begin(), term.of.whole.end());
  }
  return out;
}

void rename(std::vector<CellCode>& cells, const std::vector<CellCode>& names) {
  for (CellCode& c : cells) c = names[c];
}

void rename(Constraint& constraint, const std::vector<CellCode>& names) {
  for (Term& term : constraint.terms) {
    rename(term.of.cells, names);
    rename(term.of.whole, names);
  }
}

}  // namespace

std::vector<Part> parts_of(const System& system, const std::vector<std::vector<CellCode>>& alike) {
  const std::size_t cells = system.population.cells.size();
  Ties ties(cells);
  std::vector<CellCode> firsts;  // a cell of each constraint
  const auto tie = [&](const auto& constraint) {
    const std::vector<CellCode> tied = cells_in(constraint);
    if (tied.empty()) return;
    ties.tie(tied);
    firsts.push_back(tied.front());
  };
  for (const std::vector<CellCode>& together : alike) ties.tie(together);
  for (const Compared& compared : system.comparisons) tie(compared);
  for (const Constraint& constraint : system.requirements) tie(constraint);

  std::vector<bool> constrained(cells, false);
  for (const CellCode c : firsts) constrained[ties.root(c)] = true;
  std::vector<Part> out;
  std::vector<std::size_t> part_of(cells);
  std::vector<CellCode> place(cells);
  for (CellCode c = 0; c < cells; ++c) {
    const CellCode root = ties.root(c);
    if (!constrained[root]) continue;
    if (root == c) {
      part_of[c] = out.size();
      out.emplace_back().system.population.costs = system.population.costs;
    }
    part_of[c] = part_of[root];
    Part& part = out[part_of[c]];
    place[c] = static_cast<CellCode>(part.cells.size());
    part.cells.push_back(c);
    part.system.population.cells.push_back(system.population.cells[c]);
    if (!system.population.borrows.empty()) {
      part.system.population.borrows.push_back(system.population.borrows[c]);
    }
  }
  for (std::size_t k = 0; k < system.comparisons.size(); ++k) {
    Compared compared = system.comparisons[k];
    Part& part = out[part_of[compared.members.front().cells.front()]];
    for (PooledRate& member : compared.members) rename(member.cells, place);
    part.system.comparisons.push_back(std::move(compared));
    part.comparisons.push_back(k);
  }
  for (Constraint constraint : system.requirements) {
    const std::vector<CellCode> tied = cells_in(constraint);
    if (tied.empty()) continue;
    rename(constraint, place);
    out[part_of[tied.front()]].system.requirements.push_back(std::move(constraint));
  }
  return out;
}

void add_constraints(const Part& part, std::vector<Constraint> constraints,
                     std::vector<Constraint>& whole) {
  for (Constraint& constraint : constraints) {
    if (!constraint.required) constraint.comparison = part.comparisons[constraint.comparison];
    rename(constraint, part.cells);
    whole.push_back(std::move(constraint));
  }
}

void add_infeasibility(const Part& part, Infeasibility why, std::optional<Infeasibility>& whole) {
  if (!whole) whole.emplace();
  add_constraints(part, std::move(why.certificate), whole->certificate);
  whole->clash.insert(whole->clash.end(), why.clash.begin(), why.clash.end());
  whole->total_violation += why.total_violation;
  whole->common_slack = std::max(whole->common_slack, why.common_slack);
}

}  // namespace evenhand
