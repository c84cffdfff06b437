#include "support/many.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "support/isotonic.h"

namespace evenhand::testing::many {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::vector<CellCode>> sharing(const Model& model) {
  if (!model.alike.empty()) return model.alike;
  std::vector<std::vector<CellCode>> out;
  for (CellCode c = 0; c < model.cells.size(); ++c) out.push_back({c});
  return out;
}

// The linear program: a variable for each atom, nondecreasing in each cell, and the criterion.
struct Program {
  LinearProgram lp;
  std::vector<std::vector<int>> q;

  std::vector<std::pair<int, double>> terms(const PerAtom& factors) const {
    std::map<int, double> sums;  // cells may share variables
    for (std::size_t c = 0; c < q.size(); ++c) {
      for (std::size_t i = 0; i < q[c].size(); ++i) sums[q[c][i]] += factors[c][i];
    }
    std::vector<std::pair<int, double>> out;
    for (const auto& [variable, factor] : sums) {
      // Where rates cancel out, what rounding leaves of them would upset the solver's scaling.
      if (std::abs(factor) > 1e-14) out.emplace_back(variable, factor);
    }
    return out;
  }
};

Program program_of(const Model& model, bool objective, Monotone monotone) {
  Program out;
  const double scale = model.scale();
  out.q.resize(model.cells.size());
  for (const std::vector<CellCode>& together : sharing(model)) {
    std::map<double, double> benefit;  // of each score of these cells
    for (const CellCode c : together) {
      for (const Atom& atom : model.cells[c]) benefit[atom.x] += atom.nh;
    }
    std::map<double, int> variable;
    int last = -1;
    for (const auto& [x, nh] : benefit) {
      // In units of the whole, since the linear program's tolerances are absolute.
      const int q = out.lp.add_variable(objective ? nh / scale : 0, 0, 1);
      if (last >= 0 && monotone == Monotone::yes) {
        out.lp.add_row(0, infinity, {{q, 1}, {last, -1}});
      }
      variable[x] = last = q;
    }
    for (const CellCode c : together) {
      for (const Atom& atom : model.cells[c]) out.q[c].push_back(variable.at(atom.x));
    }
  }
  for (const Compared& compared : model.compared) {
    if (model.relation == Relation::target) {
      for (const PerAtom& rate : compared.rates) {
        out.lp.add_row(model.rho - model.tolerance, model.rho + model.tolerance, out.terms(rate));
      }
      continue;
    }
    const int common = out.lp.add_variable(0, 0, 1);
    for (const PerAtom& rate : compared.rates) {
      auto terms = out.terms(rate);
      terms.emplace_back(common, -1);
      if (model.relation == Relation::difference) {
        out.lp.add_row(0, model.tolerance, terms);  // common <= rate <= common + tolerance
      } else {
        out.lp.add_row(-infinity, 0, terms);  // ratio * common <= rate <= common
        terms.back().second = -model.ratio;
        out.lp.add_row(0, infinity, terms);
      }
    }
  }
  return out;
}

PerAtom combined(double x, const PerAtom& a, double y, const PerAtom& b) {
  PerAtom out = a;
  for (std::size_t c = 0; c < a.size(); ++c) {
    for (std::size_t i = 0; i < a[c].size(); ++i) out[c][i] = x * a[c][i] + y * b[c][i];
  }
  return out;
}

PerAtom scaled(double x, const PerAtom& a) {
  return combined(x, a, 0, a);
}

// Minimises the sum of violations, or the one slack that all have in common.
double least(const Model& model, bool common, Monotone monotone) {
  Program program = program_of(model, false, monotone);
  const int all = common ? program.lp.add_variable(-1, 0, infinity) : -1;
  for (std::size_t j = 0; j < model.demands.size(); ++j) {
    const Demand& demand = model.demands[j];
    for (const bool upper : {true, false}) {
      if (demand.sense == (upper ? Sense::at_least : Sense::at_most)) continue;
      const Side& side = model.demanded[j];
      const double bound = side.bound / side.unit;
      auto terms = program.terms(scaled(1 / side.unit, side.left));
      const int slack = common ? all : program.lp.add_variable(-1, 0, infinity);
      // Violations count in units of a rate, a common slack in those of each bound.
      terms.emplace_back(slack, (upper ? -1 : 1) / (common ? side.unit : 1));
      program.lp.add_row(upper ? -infinity : bound, upper ? bound : infinity, terms);
    }
  }
  const LinearAnswer answer = maximise(program.lp);
  if (!answer.optimal) return std::numeric_limits<double>::quiet_NaN();
  return std::max(0.0, -answer.objective);
}

// The largest sum over nondecreasing q: thresholds suffice.
double best_thresholds(const Model& model, const PerAtom& value) {
  double out = 0;
  for (const std::vector<CellCode>& together : sharing(model)) {
    std::map<double, double, std::greater<>> of_score;
    for (const CellCode c : together) {
      for (std::size_t i = 0; i < value[c].size(); ++i) {
        of_score[model.cells[c][i].x] += value[c][i];
      }
    }
    double best = 0;
    double sum = 0;
    for (const auto& [x, one] : of_score) best = std::max(best, sum += one);
    out += best;
  }
  return out;
}

// left = x * a + y * b.
bool same(const PerAtom& left, double x, const PerAtom& a, double y, const PerAtom& b) {
  for (std::size_t c = 0; c < left.size(); ++c) {
    for (std::size_t i = 0; i < left[c].size(); ++i) {
      if (!(std::abs(left[c][i] - (x * a[c][i] + y * b[c][i])) <= 1e-12)) return false;
    }
  }
  return true;
}

// left <= bound follows from comparing these groups.
bool follows(const Model& model, const Compared& compared, const PerAtom& left, double bound) {
  const auto is = [&](double right) { return std::abs(bound - right) <= 1e-12; };
  for (const PerAtom& a : compared.rates) {
    if (model.relation == Relation::target) {
      if (same(left, 1, a, 0, a) && is(model.rho + model.tolerance)) return true;
      if (same(left, -1, a, 0, a) && is(model.tolerance - model.rho)) return true;
      continue;
    }
    const bool ratio = model.relation == Relation::ratio;
    if (!is(ratio ? 0 : model.tolerance)) return false;
    for (const PerAtom& b : compared.rates) {
      if (&a != &b && same(left, ratio ? model.ratio : 1, a, -1, b)) return true;
    }
  }
  return false;
}

}  // namespace

double total(const PerAtom& factors, const PerAtom& q) {
  double sum = 0;
  for (std::size_t c = 0; c < q.size(); ++c) {
    for (std::size_t i = 0; i < q[c].size(); ++i) sum += factors[c][i] * q[c][i];
  }
  return sum;
}

std::optional<double> best_objective(const Model& model) {
  Program program = program_of(model, true, Monotone::yes);
  for (std::size_t j = 0; j < model.demands.size(); ++j) {
    const Sense sense = model.demands[j].sense;
    const Side& side = model.demanded[j];
    const double bound = side.bound / side.unit;
    program.lp.add_row(sense == Sense::at_most ? -infinity : bound,
                       sense == Sense::at_least ? infinity : bound,
                       program.terms(scaled(1 / side.unit, side.left)));
  }
  const LinearAnswer answer = maximise(program.lp);
  if (!answer.optimal) return {};
  return answer.objective * model.scale();
}

double unconstrained(const Model& model) {
  return bound_from(model, {});
}

double least_violation(const Model& model, Monotone monotone) {
  return least(model, false, monotone);
}

double least_slack(const Model& model) {
  return least(model, true, Monotone::yes);
}

Side side_of(const Model& model, const Constraint& constraint) {
  return side_of(model, constraint.terms, constraint.bound);
}

double value_of(const Model& model, const Constraint& constraint, const PerAtom& q) {
  double sum = 0;
  for (const Term& term : constraint.terms) sum += term.factor * value_of(model, term, q);
  return sum;
}

std::string unfounded(const Model& model, const Constraint& constraint) {
  const PerAtom left = side_of(model, constraint).left;
  if (constraint.required) {
    std::string out = "nobody required: " + constraint.text;
    for (std::size_t j = 0; j < model.demands.size(); ++j) {
      const Demand& demand = model.demands[j];
      if (demand.name() != constraint.text) continue;
      if (demand.sense == constraint.sense && same(left, 1, model.demanded[j].left, 0, left) &&
          std::abs(demand.bound - constraint.bound) <= 1e-12) {
        return "";
      }
      out = "misread requirement: " + constraint.text;
    }
    return out;
  }
  const PerAtom negated = combined(-1, left, 0, left);
  for (const Compared& compared : model.compared) {
    const bool upper =
        constraint.sense == Sense::at_least || follows(model, compared, left, constraint.bound);
    const bool lower =
        constraint.sense == Sense::at_most || follows(model, compared, negated, -constraint.bound);
    if (upper && lower) return "";
  }
  return "not in the criterion: " + constraint.text;
}

bool right_sign(const Constraint& constraint) {
  return constraint.sense == Sense::equal ||
         (constraint.sense == Sense::at_most ? constraint.multiplier >= 0
                                             : constraint.multiplier <= 0);
}

double bound_from(const Model& model, const std::vector<Constraint>& constraints) {
  PerAtom reduced = zeros(model);
  double bound = 0;
  for (std::size_t c = 0; c < model.cells.size(); ++c) {
    for (std::size_t i = 0; i < model.cells[c].size(); ++i) reduced[c][i] = model.cells[c][i].nh;
  }
  for (const Constraint& constraint : constraints) {
    const Side side = side_of(model, constraint);
    reduced = combined(1, reduced, -constraint.multiplier, side.left);
    bound += constraint.multiplier * side.bound;
  }
  if (model.gamma == 0) return bound + best_thresholds(model, reduced);
  for (std::size_t c = 0; c < model.cells.size(); ++c) {
    std::vector<double> z = reduced[c];
    std::vector<double> n;
    for (std::size_t i = 0; i < z.size(); ++i) {
      n.push_back(model.cells[c][i].n);
      z[i] /= n[i];
    }
    z = isotonic(z, n);
    for (std::size_t i = 0; i < z.size(); ++i) bound += n[i] * xi(z[i], model.gamma);
  }
  return bound;
}

double proof_of_infeasibility(const Model& model, const std::vector<Constraint>& certificate) {
  PerAtom sum = zeros(model);
  double out = 0;
  for (const Constraint& constraint : certificate) {
    const Side side = side_of(model, constraint);
    sum = combined(1, sum, -constraint.multiplier, side.left);
    out -= constraint.multiplier * side.bound;
  }
  return out - best_thresholds(model, sum);
}

Applied apply(const Model& model, const Rule& rule, Favorable favorable) {
  Applied out;
  const std::vector<CellCode> codes = translate(model.names, rule.cells());
  for (CellCode c = 0; c < model.cells.size(); ++c) {
    double last = 0;
    out.q.emplace_back();
    for (const Atom& atom : model.cells[c]) {
      const double q = rule.probability(codes[c], favorable == Favorable::low ? -atom.x : atom.x);
      out.nondecreasing = out.nondecreasing && q >= last && q <= 1;
      last = q;
      out.objective += atom.nh * q - model.gamma / 2 * atom.n * q * q;
      out.q.back().push_back(q);
    }
  }
  const auto violated = [&](double by) { out.violation = std::max(out.violation, by); };
  for (const Compared& compared : model.compared) {
    double lowest = 1;
    double highest = 0;
    for (const PerAtom& rate : compared.rates) {
      lowest = std::min(lowest, total(rate, out.q));
      highest = std::max(highest, total(rate, out.q));
    }
    violated(model.relation == Relation::difference ? highest - lowest - model.tolerance
             : model.relation == Relation::ratio
                 ? model.ratio * highest - lowest
                 : std::max(highest - model.rho, model.rho - lowest) - model.tolerance);
  }
  for (std::size_t j = 0; j < model.demands.size(); ++j) {
    const Side& side = model.demanded[j];
    const double over = (total(side.left, out.q) - side.bound) / side.unit;
    if (model.demands[j].sense != Sense::at_least) violated(over);
    if (model.demands[j].sense != Sense::at_most) violated(-over);
  }
  return out;
}

}  // namespace evenhand::testing::many
