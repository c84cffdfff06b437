#include "support/recompute.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/borrowed.h"
#include "support/isotonic.h"
#include "support/linear_program.h"

namespace evenhand::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

double Atoms::share(CellCode, const Atom& atom, Rate rate) const {
  return rate == Rate::selection       ? atom.n
         : rate == Rate::true_positive ? atom.n1
                                       : atom.n - atom.n1;
}

double Atoms::denominator(CellCode c, Rate rate) const {
  double sum = 0;
  for (const Atom& atom : of[c]) sum += share(c, atom, rate);
  return sum;
}

Atoms atoms_of(const Rows& rows, const Criterion& criterion, const SolveOptions& options) {
  Atoms out;
  out.cells = rows.cells();
  out.from_labels =
      criterion.rates.front() != Rate::selection || options.calibrate == Calibration::isotonic;
  const bool low = rows.favorable == Favorable::low;
  std::vector<std::map<double, Atom>> cells(out.cells.names.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double x = low ? -rows.score[i] : rows.score[i];
    const double n = rows.weight.empty() ? 1 : rows.weight[i];
    if (n == 0) continue;
    Atom& atom = cells[out.cells.codes[i]].try_emplace(x, Atom{x}).first->second;
    atom.n += n;
    if ((rows.label[i] == 1) != low) atom.n1 += n;
  }
  for (auto& cell : cells) {
    std::vector<Atom> list;
    for (auto& [x, atom] : cell) {
      double p = rows.scale == Scale::probability ? (low ? 1 + x : x)
                 : rows.scale == Scale::signed_   ? (1 + x) / 2
                                                  : 1 / (1 + std::exp(-x));
      if (out.from_labels) p = atom.n1 / atom.n;
      atom.nh =
          atom.n * (p * options.costs.false_negative - (1 - p) * options.costs.false_positive);
      list.push_back(atom);
    }
    out.of.push_back(std::move(list));
  }
  std::vector<std::string> stratum;
  for (CellCode c = 0; c < out.cells.names.size(); ++c) {
    const bool alone = criterion.roles.within.empty();
    stratum.push_back(alone ? "" : out.cells.names.values(c)[out.cells.names.attribute("race")]);
  }
  borrow(out.of, stratum,
         {criterion.rates.front() == Rate::true_positive,
          criterion.rates.front() == Rate::false_positive},
         options.costs);
  out.magnitude = magnitude_of(out.of, out.from_labels);
  return out;
}

std::vector<std::vector<CellCode>> compared_cells(const Atoms& atoms, const Criterion& criterion) {
  const CellNames& names = atoms.cells.names;
  std::map<std::string, std::vector<CellCode>> strata;
  for (CellCode c = 0; c < names.size(); ++c) {
    if (atoms.denominator(c, criterion.rates.front()) == 0) continue;
    const bool together = criterion.name == "equal-rates" || criterion.roles.within.empty();
    strata[together ? "" : names.values(c)[names.attribute("race")]].push_back(c);
  }
  std::vector<std::vector<CellCode>> out;
  for (auto& [name, cells] : strata) {
    if (cells.size() > 1 || criterion.relation == Relation::target) out.push_back(cells);
  }
  return out;
}

double best_objective(const Atoms& atoms, const Criterion& criterion, double rho) {
  LinearProgram program;
  std::vector<std::vector<int>> q(atoms.of.size());
  for (CellCode c = 0; c < atoms.of.size(); ++c) {
    // In units of the whole, since the linear program's tolerances are absolute.
    for (const Atom& atom : atoms.of[c]) {
      q[c].push_back(program.add_variable(atom.nh / atoms.magnitude, 0, 1));
    }
    if (!atoms.from_labels) continue;
    for (std::size_t i = 1; i < q[c].size(); ++i) {
      program.add_row(0, infinity, {{q[c][i], 1}, {q[c][i - 1], -1}});
    }
  }
  for (const auto& stratum : compared_cells(atoms, criterion)) {
    const int common = program.add_variable(0, 0, 1);
    for (const CellCode c : stratum) {
      std::vector<std::pair<int, double>> rate;
      const double total = atoms.denominator(c, criterion.rates.front());
      for (std::size_t i = 0; i < q[c].size(); ++i) {
        const double a = atoms.share(c, atoms.of[c][i], criterion.rates.front());
        if (a > 0) rate.emplace_back(q[c][i], a / total);
      }
      if (criterion.relation == Relation::target) {
        program.add_row(rho - criterion.tolerance, rho + criterion.tolerance, rate);
        continue;
      }
      auto above =
          rate;  // rate - common >= 0 and <= tolerance; or ratio x common <= rate <= common
      above.emplace_back(common, -1);
      if (criterion.relation == Relation::difference) {
        program.add_row(0, criterion.tolerance, above);
      } else {
        program.add_row(-infinity, 0, above);
        above.back().second = -criterion.ratio;
        program.add_row(0, infinity, above);
      }
    }
  }
  const LinearAnswer answer = maximise(program);
  return answer.optimal ? answer.objective * atoms.magnitude
                        : std::numeric_limits<double>::quiet_NaN();
}

double base_rate(const Atoms& atoms, const Rows& rows, const SolveOptions& options) {
  const double bar =
      options.costs.false_positive / (options.costs.false_positive + options.costs.false_negative);
  double selected = 0;
  double all = 0;
  for (CellCode c = 0; c < atoms.of.size(); ++c) {
    for (const Atom& atom : atoms.of[c]) {
      const Reading reading{rows.scale, rows.favorable};
      if (reading.probability(atom.x) > bar) selected += atom.n;
      all += atom.n;
    }
  }
  return selected / all;
}

double bound_from_multipliers(const Atoms& atoms, const Solution& solution, double rho) {
  const Criterion& criterion = solution.criterion;
  const double gamma = solution.options.gamma;
  double bound = 0;
  for (CellCode c = 0; c < atoms.of.size(); ++c) {
    const CellOutcome& outcome = solution.cells[c];
    const double total = outcome.compared ? atoms.denominator(c, criterion.rates.front()) : 1;
    const double mu = outcome.compared ? outcome.multiplier : 0;
    std::vector<double> z;
    std::vector<double> n;
    for (const Atom& atom : atoms.of[c]) {
      z.push_back((atom.nh - mu * atoms.share(c, atom, criterion.rates.front()) / total) / atom.n);
      n.push_back(atom.n);
    }
    // With labels only nondecreasing q count.
    if (atoms.from_labels) z = isotonic(z, n);
    for (std::size_t i = 0; i < z.size(); ++i) bound += n[i] * xi(z[i], gamma);
  }
  for (const auto& stratum : compared_cells(atoms, criterion)) {
    double up = 0;
    double down = 0;
    for (const CellCode c : stratum) {
      const double mu = solution.cells[c].multiplier;
      (mu > 0 ? up : down) += mu;
    }
    if (criterion.relation == Relation::difference) {
      bound += std::max(0.0, up + down) + criterion.tolerance * up;
    } else if (criterion.relation == Relation::ratio) {
      bound += std::max(0.0, up + criterion.ratio * down);
    } else {
      bound += rho * (up + down) + criterion.tolerance * (up - down);
    }
  }
  return bound;
}

Applied apply(const Rows& rows, const Atoms& atoms, const Solution& solution, double rho) {
  const Criterion& criterion = solution.criterion;
  const double gamma = solution.options.gamma;
  const bool low = rows.favorable == Favorable::low;
  Applied out;
  std::vector<double> rate(atoms.of.size());
  for (CellCode c = 0; c < atoms.of.size(); ++c) {
    double last = 0;
    for (const Atom& atom : atoms.of[c]) {
      const double q = solution.rule.probability(c, low ? -atom.x : atom.x);
      out.nondecreasing = out.nondecreasing && q >= last && q <= 1;
      last = q;
      out.objective += atom.nh * q - gamma / 2 * atom.n * q * q;
      rate[c] += q * atoms.share(c, atom, criterion.rates.front());
    }
  }
  for (const auto& stratum : compared_cells(atoms, criterion)) {
    double lowest = 1;
    double highest = 0;
    for (const CellCode c : stratum) {
      rate[c] /= atoms.denominator(c, criterion.rates.front());
      lowest = std::min(lowest, rate[c]);
      highest = std::max(highest, rate[c]);
    }
    const double violation = criterion.relation == Relation::difference
                                 ? highest - lowest - criterion.tolerance
                             : criterion.relation == Relation::ratio
                                 ? criterion.ratio * highest - lowest
                                 : std::max(highest - rho, rho - lowest) - criterion.tolerance;
    out.violation = std::max(out.violation, violation);
  }
  return out;
}

}  // namespace evenhand::testing
