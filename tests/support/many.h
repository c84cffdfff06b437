// The oracle for equalized odds, marginal criteria and requirements: constraints written down from
// their definitions with plain loops over atoms, the linear program over all atoms, and all that a
// solution claims, recomputed. Comparisons have a variable for the common rate, so that they are
// not formulated as in the library.
#pragma once

#include <evenhand/evenhand.h>

#include <optional>
#include <string>
#include <vector>

#include "support/linear_program.h"
#include "support/many_problems.h"

namespace evenhand::testing::many {

// A distinct score of a cell.
struct Atom {
  double x;  // turned score
  double n = 0, n1 = 0;
  double nh = 0;    // benefit of a positive decision: from the score, or from the labels
  double good = 0;  // favourable outcomes: n1, or as the score expects them
};

// A number for each atom of each cell: probabilities, or the factors of a sum over them.
using PerAtom = std::vector<std::vector<double>>;

// A requirement as a sum over atoms, (<=, = or >=) bound; one that divides by decisions is
// multiplied by what it divides by.
struct Side {
  PerAtom left;
  double bound = 0;
  double unit = 1;  // so much is as large as a rate
};

// Groups whose rates are compared with each other.
struct Compared {
  std::vector<PerAtom> rates;
};

struct Model {
  CellNames names;
  std::vector<std::vector<Atom>> cells;      // scores ascending
  bool from_labels = false;                  // benefits
  std::vector<std::vector<CellCode>> alike;  // cells that share a rule; none: each its own
  double magnitude = 0;  // sum |nh|, over pooled labels where benefits come from labels
  double gamma = 0;
  Relation relation = Relation::difference;
  double tolerance = 0, ratio = 1, rho = 0;
  std::vector<Compared> compared;
  std::vector<Demand> demands;
  std::vector<Side> demanded;  // of the demands
  Costs costs;

  // Magnitude; where pooled benefits cancel out, a hundredth of what they were before.
  double scale() const;
};
Model model_of(const Problem& problem);
PerAtom zeros(const Model& model);

// Whether the criterion leaves anything to compare.
bool comparable(const Model& model, const Criterion& criterion);

double total(const PerAtom& factors, const PerAtom& q);

// The optimum by linear programming (gamma = 0); none: not solved to optimality.
std::optional<double> best_objective(const Model& model);
double unconstrained(const Model& model);  // the same without constraints

// The least sum of violations of demands, with the criterion kept; and the least common one.
enum class Monotone { yes, no };
double least_violation(const Model& model, Monotone monotone = Monotone::yes);
double least_slack(const Model& model);

// One of the library's constraints, and its value as its text means it: NaN if it divides by
// nobody.
Side side_of(const Model& model, const Constraint& constraint);
double value_of(const Model& model, const Constraint& constraint, const PerAtom& q);

// factor * measure of these cells together, each (support/many_measures.cpp). Throws
// std::logic_error for a measure of nobody.
Side side_of(const Model& model, const std::vector<Term>& terms, double bound);
double value_of(const Model& model, const Term& term, const PerAtom& q);

// Whether the constraint is one that the problem states: a demand by its text, or a comparison of
// two groups (of a group with rho). Empty if so, else why not.
std::string unfounded(const Model& model, const Constraint& constraint);
bool right_sign(const Constraint& constraint);

// The upper bound on all nondecreasing rules that the multipliers prove.
double bound_from(const Model& model, const std::vector<Constraint>& constraints);

// By how much the sum of multiplier * (value - bound) is above zero at least, over all
// nondecreasing rules: a proof of infeasibility if positive.
double proof_of_infeasibility(const Model& model, const std::vector<Constraint>& certificate);

struct Applied {
  PerAtom q;
  double objective = 0;
  double violation = 0;  // largest of all comparisons and demands, 0 if none is violated
  bool nondecreasing = true;
};
Applied apply(const Model& model, const Rule& rule, Favorable favorable);

}  // namespace evenhand::testing::many
