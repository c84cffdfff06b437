#include "soft/atoms.h"

#include <evenhand/bad_row.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/soft_columns.h"
#include "soft/plan.h"

namespace evenhand::soft {
namespace {

void check_exhaustive(const std::vector<SoftColumn>& columns, std::size_t rows) {
  if (columns.size() < 2) {
    throw std::invalid_argument("exhaustive columns are at least two: all the groups there are");
  }
  constexpr double slack = 1e-6;
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (const SoftColumn& column : columns) sum += column.values[i];
    if (std::abs(sum - 1) > slack) {
      throw BadRow(i, fmt::format("the columns add up to {}, not to 1; exhaustive columns do",
                                  shortest(sum)));
    }
  }
}

struct Key {
  double x;  // turned score
  CellCode stratum;
  std::uint32_t row;
};

}  // namespace

std::vector<Atoms> read_atoms(const SoftRows& given, const Plan& plan, const SoftOptions& options) {
  SoftRows rows{given.score, plan.all, given.within};
  if (rows.size() == 0) throw std::invalid_argument("there are no rows");
  if (rows.size() > 0xFFFFFFFF) throw std::invalid_argument("there are too many rows");
  if (rows.columns.empty()) throw std::invalid_argument("there are no soft columns");
  std::vector<std::string> names;
  for (const SoftColumn& column : rows.columns) names.push_back(column.name);
  check_soft_names(names);
  const Reading reading{options.scale, options.favorable};
  check_soft_rows(rows, reading);
  check_soft_weights(options.weight, rows.size());
  if (options.exhaustive) {
    for (const auto* const list : {&given.columns, &given.favorable, &given.unfavorable}) {
      if (!list->empty()) check_exhaustive(*list, rows.size());
    }
  }
  rows.columns = plan.columns;

  const auto weight = [&](std::uint32_t row) {
    return options.weight.empty() ? 1 : options.weight[row];
  };
  std::vector<Key> keys;
  keys.reserve(rows.size());
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    if (weight(row) == 0) continue;
    keys.push_back({reading.turn(rows.score[row]), rows.within ? rows.within->codes[row] : 0, row});
  }
  const std::size_t columns = rows.columns.size();
  // Weights too are in order, so that sums of fractional ones are the same in any order of rows.
  const auto before = [&](const Key& a, const Key& b) {
    if (a.stratum != b.stratum) return a.stratum < b.stratum;
    if (a.x != b.x) return a.x < b.x;
    for (std::size_t j = 0; j < columns; ++j) {
      const auto& values = rows.columns[j].values;
      if (values[a.row] != values[b.row]) return values[a.row] < values[b.row];
    }
    return weight(a.row) < weight(b.row);
  };
  std::sort(keys.begin(), keys.end(), before);

  std::vector<Atoms> out(rows.within ? rows.within->names.size() : 1);
  for (Atoms& atoms : out) {
    atoms.columns = columns;
    atoms.means.assign(columns, 0);
  }
  const Key* last = nullptr;
  for (const Key& key : keys) {
    Atoms& atoms = out[key.stratum];
    const double n = weight(key.row);
    atoms.weight += n;
    bool same = last && last->stratum == key.stratum && last->x == key.x;
    for (std::size_t j = 0; j < columns; ++j) {
      const double g = rows.columns[j].values[key.row];
      atoms.means[j] += n * g;
      same = same && g == rows.columns[j].values[last->row];
    }
    last = &key;
    if (same) {
      atoms.n.back() += n;
      continue;
    }
    atoms.h.push_back(benefit(reading.probability(key.x), options.costs));
    atoms.n.push_back(n);
    for (std::size_t j = 0; j < columns; ++j) {
      atoms.g.push_back(rows.columns[j].values[key.row] + 0.0);
    }
  }
  for (Atoms& atoms : out) {
    for (double& mean : atoms.means) {
      mean = atoms.weight > 0 ? std::min(1.0, mean / atoms.weight) : 0;
    }
  }
  return out;
}

}  // namespace evenhand::soft
