// Rows of a stratum as the solver sees them.
#pragma once

#include <evenhand/soft.h>

#include <span>
#include <vector>

namespace evenhand::soft {

struct Plan;  // plan.h

// Rows that differ in score or columns, in ascending order, so that no order of rows shows.
struct Atoms {
  std::size_t columns = 0;
  std::vector<double> h;      // benefit of a positive decision
  std::vector<double> n;      // weight
  std::vector<double> g;      // columns of atom i: g[i * columns] ...
  std::vector<double> means;  // of the columns
  double weight = 0;

  std::size_t size() const noexcept { return h.size(); }
  std::span<const double> of(std::size_t i) const noexcept {
    return std::span(g).subspan(i * columns, columns);
  }
};

// One for each stratum (one in all if rows have none). Throws as solve_soft does.
std::vector<Atoms> read_atoms(const SoftRows& rows, const Plan& plan, const SoftOptions& options);

}  // namespace evenhand::soft
