#include <algorithm>
#include <cmath>
#include <map>

#include "support/borrowed.h"
#include "support/isotonic.h"
#include "support/many.h"

namespace evenhand::testing::many {
namespace {

double share(const Atom& atom, Rate rate) {
  return rate == Rate::selection       ? atom.n
         : rate == Rate::true_positive ? atom.n1
                                       : atom.n - atom.n1;
}

// out += factor * the rate of these cells together; false if there is nobody in its denominator.
bool add_rate(const Model& model, Rate rate, const std::vector<CellCode>& cells, double factor,
              PerAtom& out) {
  double denominator = 0;
  for (const CellCode c : cells) {
    for (const Atom& atom : model.cells[c]) denominator += share(atom, rate);
  }
  if (denominator == 0) return false;
  for (const CellCode c : cells) {
    for (std::size_t i = 0; i < model.cells[c].size(); ++i) {
      out[c][i] += factor * share(model.cells[c][i], rate) / denominator;
    }
  }
  return true;
}

std::vector<std::string> values_of(const Model& model, CellCode c,
                                   const std::vector<std::string>& attributes) {
  std::vector<std::string> out;
  for (const std::string& name : attributes) {
    out.push_back(model.names.values(c)[model.names.attribute(name)]);
  }
  return out;
}

// The groups made by some attributes, compared inside each stratum.
void compare_groups(Model& model, Rate rate, const std::vector<std::string>& attributes,
                    const std::vector<std::string>& within) {
  using Key = std::vector<std::string>;
  std::map<Key, std::map<Key, std::vector<CellCode>>> strata;
  for (CellCode c = 0; c < model.cells.size(); ++c) {
    strata[values_of(model, c, within)][values_of(model, c, attributes)].push_back(c);
  }
  for (const auto& [stratum, groups] : strata) {
    Compared compared;
    for (const auto& [group, cells] : groups) {
      PerAtom one = zeros(model);
      if (add_rate(model, rate, cells, 1, one)) compared.rates.push_back(std::move(one));
    }
    const std::size_t least = model.relation == Relation::target ? 1 : 2;
    if (compared.rates.size() >= least) model.compared.push_back(std::move(compared));
  }
}

std::vector<Rate> rates_of(const std::string& criterion) {
  if (criterion == "equalized-odds") return {Rate::true_positive, Rate::false_positive};
  if (criterion == "equal-opportunity") return {Rate::true_positive};
  if (criterion == "false-positive-parity") return {Rate::false_positive};
  return {Rate::selection};
}

void add_comparisons(Model& model, const Criterion& criterion) {
  const Roles& roles = criterion.roles;
  for (const Rate rate : rates_of(criterion.name)) {
    if (criterion.name == "equal-rates") {
      std::vector<std::string> every = roles.sensitive;
      every.insert(every.end(), roles.within.begin(), roles.within.end());
      compare_groups(model, rate, every, {});
      continue;
    }
    if (roles.across != Across::marginal) {
      compare_groups(model, rate, roles.sensitive, roles.within);
    }
    if (roles.across != Across::intersection) {
      for (const std::string& one : roles.sensitive) {
        compare_groups(model, rate, {one}, roles.within);
      }
    }
  }
}

void add_demands(Model& model) {
  for (const Demand& demand : model.demands) {
    std::vector<Term> terms;
    for (const Piece& piece : demand.pieces) {
      Term term{piece.factor, {piece.measure, {}, {}}};
      for (CellCode c = 0; c < model.cells.size(); ++c) {
        bool all = true;
        for (const auto& [attribute, value] : piece.where) {
          all = all && model.names.values(c)[model.names.attribute(attribute)] == value;
        }
        if (all) term.of.cells.push_back(c);
        term.of.whole.push_back(c);
      }
      terms.push_back(std::move(term));
    }
    model.demanded.push_back(side_of(model, terms, demand.bound));
  }
}

// Outcomes that rates of the criterion, or of demands, divide by.
NeededOutcomes needed_by(const Problem& problem) {
  NeededOutcomes out;
  if (!problem.criterion.roles.sensitive.empty()) {
    for (const Rate rate : rates_of(problem.criterion.name)) {
      out.good = out.good || rate == Rate::true_positive;
      out.bad = out.bad || rate == Rate::false_positive;
    }
  }
  for (const Demand& demand : problem.demands) {
    for (const Piece& piece : demand.pieces) {
      out.good = out.good || piece.measure == Measure::tpr;
      out.bad = out.bad || piece.measure == Measure::fpr;
    }
  }
  return out;
}

std::vector<std::string> strata_of(const Model& model, const Problem& problem) {
  std::vector<std::string> out;
  for (CellCode c = 0; c < model.names.size(); ++c) {
    out.emplace_back();
    for (const std::string& name : problem.criterion.roles.within) {
      out.back() += model.names.values(c)[model.names.attribute(name)] + "\n";
    }
  }
  return out;
}

void add_atoms(Model& model, const Problem& problem) {
  const People& people = problem.people;
  const Costs& costs = problem.options.costs;
  const bool low = people.favorable == Favorable::low;
  const Cells cells = people.cells();
  model.names = cells.names;
  std::vector<std::map<double, Atom>> lists(cells.names.size());
  for (std::size_t i = 0; i < people.size(); ++i) {
    const double x = low ? -people.score[i] : people.score[i];
    const double n = people.weight.empty() ? 1 : people.weight[i];
    if (n == 0) continue;
    Atom& atom = lists[cells.codes[i]].try_emplace(x, Atom{x}).first->second;
    atom.n += n;
    if ((people.label[i] == 1) != low) atom.n1 += n;
  }
  for (auto& list : lists) {
    std::vector<Atom> cell;
    for (auto& [x, atom] : list) {
      const double p = model.from_labels                ? atom.n1 / atom.n
                       : people.scale == Scale::signed_ ? (1 + x) / 2
                       : people.scale == Scale::logit   ? 1 / (1 + std::exp(-x))
                       : low                            ? 1 + x
                                                        : x;
      atom.good = atom.n * p;
      if (model.from_labels) atom.good = atom.n1;
      atom.nh = atom.n * (p * costs.false_negative - (1 - p) * costs.false_positive);
      cell.push_back(atom);
    }
    model.cells.push_back(std::move(cell));
  }
  if (people.labelled) borrow(model.cells, strata_of(model, problem), needed_by(problem), costs);
  model.magnitude = magnitude_of(model.cells, model.from_labels);
}

}  // namespace

PerAtom zeros(const Model& model) {
  PerAtom out;
  for (const auto& cell : model.cells) out.emplace_back(cell.size(), 0.0);
  return out;
}

double Model::scale() const {
  double unpooled = 0;
  for (const auto& cell : cells) {
    for (const Atom& atom : cell) unpooled += std::abs(atom.nh);
  }
  return std::max({magnitude, 0.01 * unpooled, 1e-300});
}

Model model_of(const Problem& problem) {
  const Criterion& criterion = problem.criterion;
  Model out;
  out.gamma = problem.options.gamma;
  out.tolerance = criterion.tolerance;
  out.ratio = criterion.ratio;
  out.rho = criterion.rho.value;
  out.demands = problem.demands;
  if (criterion.name == "four-fifths") out.relation = Relation::ratio;
  if (criterion.name == "equal-rates" && criterion.rho.kind != Rho::Kind::best) {
    out.relation = Relation::target;
  }
  out.from_labels = problem.options.calibrate == Calibration::isotonic ||
                    rates_of(criterion.name).front() != Rate::selection;
  for (const Demand& demand : problem.demands) {
    for (const Piece& piece : demand.pieces) {
      const bool outcomes = piece.measure != Measure::rate && piece.measure != Measure::selected &&
                            piece.measure != Measure::share;
      out.from_labels = out.from_labels || (outcomes && problem.people.labelled);
    }
  }
  out.costs = problem.options.costs;
  if (problem.options.blind) {
    const Cells cells = problem.people.cells();
    std::map<std::vector<std::string>, std::vector<CellCode>> strata;
    for (CellCode c = 0; c < cells.names.size(); ++c) {
      std::vector<std::string> key;
      for (const std::string& name : criterion.roles.within) {
        key.push_back(cells.names.values(c)[cells.names.attribute(name)]);
      }
      strata[key].push_back(c);
    }
    for (auto& [key, list] : strata) out.alike.push_back(std::move(list));
  }
  add_atoms(out, problem);
  if (!criterion.roles.sensitive.empty()) add_comparisons(out, criterion);
  add_demands(out);
  return out;
}

bool comparable(const Model& model, const Criterion& criterion) {
  return criterion.roles.sensitive.empty() || !model.compared.empty();
}

}  // namespace evenhand::testing::many
