// The people of a fit, entry by entry, with what the rule does to each.
#pragma once

#include <evenhand/fit_record.h>
#include <evenhand/rule.h>
#include <evenhand/tally.h>

#include <vector>

namespace evenhand::verifying {

struct Atom {
  double x = 0;        // turned score
  double n = 0;        // weight
  double good = 0;     // of favourable outcomes, as the fit counted or expected them
  double seen = 0;     // the same as audits do: labels wherever there are any
  double benefit = 0;  // n h
  double q = 0;        // what the rule says
  bool base = false;   // the decision before any rule
};

// Of some cells together.
struct Sums {
  double n = 0, good = 0;                   // all of them
  double selected = 0, selected_good = 0;   // by the rule
  double base_selected = 0, base_good = 0;  // by base decisions

  void add(const Atom& atom);
  void add(const Sums& other);
};

struct Cell {
  std::vector<Atom> atoms;  // ascending
  Sums sums;
  double by_lot = 0;  // weight with 0 < q < 1
};

struct Model {
  Criterion criterion;
  Costs costs;
  double gamma = 0;
  bool from_labels = false;
  bool labelled = false;
  CellNames names;
  std::vector<Cell> cells;
  // Cells that one response decides: each cell by itself, or those of a stratum if blind.
  std::vector<std::vector<CellCode>> families;
  bool blind = false;
  double rho = 0;
  std::vector<CellCode> unknown;  // cells with people that the rule does not know

  Sums everybody() const;
  double objective() const;
  double magnitude() const;
  double base() const;
};

// Throws std::invalid_argument if the record does not say what was fitted.
Model model_of(const Tally& tally, const Rule& rule, const FitRecord& record);

// What a unit of weight selected, and of favourable outcomes selected, costs in a cell.
struct Price {
  double n = 0;
  double good = 0;
};

// The scores of some cells in one ascending list: their weight, and their benefit less the prices.
struct Joint {
  std::vector<double> n;
  std::vector<double> value;
};
Joint together(const Model& model, const std::vector<CellCode>& family,
               const std::vector<Price>& prices);

// The largest sum of value q - gamma / 2 n q^2 over all q in [0, 1] that do not fall.
double largest(const Joint& joint, double gamma);

// Isotonic regression: the means of the blocks that value / weight pools into.
std::vector<double> pooled_means(const std::vector<double>& value,
                                 const std::vector<double>& weight);

}  // namespace evenhand::verifying
