#include "verify/model.h"

#include <evenhand/requirement.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rule/grouping.h"
#include "verify/borrowed.h"

namespace evenhand::verifying {
namespace {

bool speaks_of_outcomes(const Criterion& criterion) {
  for (const std::string& text : criterion.require) {
    for (const RequirementTerm& term : parse_requirement(text).terms) {
      if (term.measure != Measure::rate && term.measure != Measure::selected &&
          term.measure != Measure::share) {
        return true;
      }
    }
  }
  return false;
}

// Pooled labels of a cell need no curve, except where the scale says nothing of probabilities.
bool pools_labels(const Tally& tally, const Rule& rule, const FitRecord& record,
                  const Criterion& criterion) {
  if (criterion.uses_labels() || (tally.labelled() && speaks_of_outcomes(criterion))) return true;
  if (record.calibrate != Calibration::isotonic ||
      record.calibrate_by.value_or(CalibrateBy::cell) != CalibrateBy::cell) {
    return false;
  }
  const bool given = record.calibrator_given || tally.reading().has_probability();
  return !(rule.parts().calibrator && given);
}

}  // namespace

void Sums::add(const Atom& atom) {
  n += atom.n;
  good += atom.good;
  selected += atom.n * atom.q;
  selected_good += atom.good * atom.q;
  if (atom.base) {
    base_selected += atom.n;
    base_good += atom.good;
  }
}

void Sums::add(const Sums& other) {
  n += other.n;
  good += other.good;
  selected += other.selected;
  selected_good += other.selected_good;
  base_selected += other.base_selected;
  base_good += other.base_good;
}

Sums Model::everybody() const {
  Sums out;
  for (const Cell& cell : cells) out.add(cell.sums);
  return out;
}

double Model::objective() const {
  double sum = 0;
  for (const Cell& cell : cells) {
    for (const Atom& atom : cell.atoms) {
      sum += atom.benefit * atom.q - gamma / 2 * atom.n * atom.q * atom.q;
    }
  }
  return sum;
}

double Model::magnitude() const {
  double sum = 0;
  for (const std::vector<CellCode>& family : families) {
    const Joint all = together(*this, family, std::vector<Price>(cells.size()));
    if (from_labels && !blind) {
      const std::vector<double> means = pooled_means(all.value, all.n);
      for (std::size_t i = 0; i < means.size(); ++i) sum += all.n[i] * std::abs(means[i]);
    } else {
      for (const double value : all.value) sum += std::abs(value);
    }
  }
  return sum;
}

double Model::base() const {
  double sum = 0;
  for (const Cell& cell : cells) {
    for (const Atom& atom : cell.atoms) sum += atom.base ? atom.benefit : 0;
  }
  return sum;
}

Model model_of(const Tally& tally, const Rule& rule, const FitRecord& record) {
  if (!record.criterion || record.criterion->name.empty() || !record.proof) {
    throw std::invalid_argument(
        "the rule has no record of its fit: there is nothing to verify it by");
  }
  Model out;
  out.criterion = record.criterion->criterion();
  out.costs = {record.cost_fp.value_or(1), record.cost_fn.value_or(1)};
  out.gamma = record.gamma.value_or(0);
  out.labelled = tally.labelled();
  out.names = tally.cells();
  out.blind = record.blind.value_or(false);
  if (out.criterion.uses_labels() && !tally.labelled()) {
    throw std::invalid_argument(
        "the rule was fitted for rates given the outcome: the data must have labels");
  }
  out.from_labels = pools_labels(tally, rule, record, out.criterion);
  const Reading& reading = tally.reading();
  std::optional<Calibrator> calibrator = rule.parts().calibrator;
  if (calibrator) calibrator = calibrator->for_cells(tally.cells());
  const auto probability = [&](CellCode c, double x) {
    return calibrator ? calibrator->at(c, x) : reading.probability(x);
  };
  const auto selected_before = [&](double x) {
    if (record.base_threshold) return x >= reading.turn(*record.base_threshold);
    return benefit(probability(unseen_cell, x), out.costs) > 0;
  };
  const std::vector<CellCode> in_rule = translate(tally.cells(), rule.cells());
  for (CellCode c = 0; c < tally.cells().size(); ++c) {
    Cell& cell = out.cells.emplace_back();
    for (const Entry& entry : tally.entries(c)) {
      Atom atom{.x = entry.score, .n = entry.n};
      const double expected = entry.n * probability(c, entry.score);
      atom.good = out.from_labels ? entry.n1 : expected;
      atom.seen = out.labelled ? entry.n1 : expected;
      atom.benefit =
          out.costs.false_negative * atom.good - out.costs.false_positive * (entry.n - atom.good);
      atom.base = selected_before(entry.score);
      if (in_rule[c] != unseen_cell) {
        atom.q = rule.probability(in_rule[c], reading.turn(entry.score));
      }
      cell.sums.add(atom);
      if (atom.q > 0 && atom.q < 1) cell.by_lot += atom.n;
      cell.atoms.push_back(atom);
    }
    if (in_rule[c] == unseen_cell && !cell.atoms.empty()) out.unknown.push_back(c);
  }
  borrow_benefits(record, out);
  if (out.blind) {
    for (const CellGroup& group : group_cells(tally.cells(), out.criterion.roles.within)) {
      out.families.push_back(group.cells);
    }
  } else {
    for (CellCode c = 0; c < out.cells.size(); ++c) out.families.push_back({c});
  }
  const Sums all = out.everybody();
  out.rho = out.criterion.rho.kind == Rho::Kind::base ? all.base_selected / all.n
                                                      : out.criterion.rho.value;
  return out;
}

std::vector<double> pooled_means(const std::vector<double>& value,
                                 const std::vector<double>& weight) {
  struct Block {
    double value, weight;
    std::size_t count;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < value.size(); ++i) {
    Block block{value[i], weight[i], 1};
    while (!blocks.empty() &&
           blocks.back().value / blocks.back().weight >= block.value / block.weight) {
      block.value += blocks.back().value;
      block.weight += blocks.back().weight;
      block.count += blocks.back().count;
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<double> out;
  for (const Block& block : blocks) out.insert(out.end(), block.count, block.value / block.weight);
  return out;
}

Joint together(const Model& model, const std::vector<CellCode>& family,
               const std::vector<Price>& prices) {
  struct One {
    double x, n, value;
  };
  std::vector<One> list;
  for (const CellCode c : family) {
    for (const Atom& atom : model.cells[c].atoms) {
      list.push_back(
          {atom.x, atom.n, atom.benefit - prices[c].n * atom.n - prices[c].good * atom.good});
    }
  }
  if (family.size() > 1) {
    std::stable_sort(list.begin(), list.end(),
                     [](const One& a, const One& b) { return a.x < b.x; });
  }
  Joint out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == 0 || list[i].x != list[i - 1].x) {
      out.n.push_back(0);
      out.value.push_back(0);
    }
    out.n.back() += list[i].n;
    out.value.back() += list[i].value;
  }
  return out;
}

// Among q that do not fall, isotonic regression of the values leads to the same optimum as
// these themselves.
double largest(const Joint& joint, double gamma) {
  const std::vector<double>& n = joint.n;
  const std::vector<double> means = pooled_means(joint.value, n);
  double sum = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    const double mean = means[i];
    if (mean <= 0) continue;
    sum += n[i] * (mean >= gamma ? mean - gamma / 2 : mean * mean / (2 * gamma));
  }
  return sum;
}

}  // namespace evenhand::verifying
