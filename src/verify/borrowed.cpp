#include "verify/borrowed.h"

#include <algorithm>
#include <map>
#include <utility>

#include "rule/grouping.h"

namespace evenhand::verifying {
namespace {

struct Knot {
  double x, share;
};

// The share of favourable outcomes at each score of the lenders, which does not fall.
std::vector<Knot> shares(const Model& model, const std::vector<CellCode>& lenders) {
  std::map<double, std::pair<double, double>> at;
  for (const CellCode c : lenders) {
    for (const Atom& atom : model.cells[c].atoms) {
      at[atom.x].first += atom.n;
      at[atom.x].second += atom.good;
    }
  }
  std::vector<double> n;
  std::vector<double> good;
  for (const auto& [x, sums] : at) {
    n.push_back(sums.first);
    good.push_back(sums.second);
  }
  const std::vector<double> means = pooled_means(good, n);
  std::vector<Knot> out;
  for (const auto& [x, sums] : at) out.push_back({x, means[out.size()]});
  return out;
}

// Linear between scores of the lenders, constant beyond them.
double share_at(const std::vector<Knot>& knots, double x) {
  const auto above = std::lower_bound(knots.begin(), knots.end(), x,
                                      [](const Knot& knot, double at) { return knot.x < at; });
  if (above == knots.end()) return knots.back().share;
  if (above == knots.begin() || above->x == x) return above->share;
  const Knot& below = *(above - 1);
  return below.share + (x - below.x) / (above->x - below.x) * (above->share - below.share);
}

}  // namespace

void borrow_benefits(const FitRecord& record, Model& model) {
  std::map<std::string, Benefits> recorded;
  for (const RecordedCell& cell : record.cells.value_or(std::vector<RecordedCell>())) {
    if (cell.benefits != Benefits::own) recorded.emplace(cell.cell, cell.benefits);
  }
  if (recorded.empty()) return;
  std::vector<CellCode> everybody;
  for (CellCode c = 0; c < model.cells.size(); ++c) everybody.push_back(c);
  std::map<std::pair<std::vector<CellCode>, bool>, std::vector<Knot>> known;  // by lenders
  for (const CellGroup& stratum : group_cells(model.names, model.criterion.roles.within)) {
    for (const CellCode c : stratum.cells) {
      const auto found = recorded.find(model.names.name(c));
      const Sums& sums = model.cells[c].sums;
      if (found == recorded.end() || (sums.good > 0 && sums.good < sums.n)) continue;
      const bool favourable = sums.good == 0;  // is lacking
      const bool near = found->second == Benefits::stratum;
      std::vector<CellCode> lenders = near ? stratum.cells : everybody;
      std::erase_if(lenders, [&](CellCode other) {
        const Sums& theirs = model.cells[other].sums;
        return favourable ? theirs.good == 0 : theirs.good == theirs.n;
      });
      if (lenders.empty()) continue;
      const auto [knots, is_new] = known.try_emplace({lenders, favourable});
      if (is_new) knots->second = shares(model, lenders);
      for (Atom& atom : model.cells[c].atoms) {
        const double good = atom.n * share_at(knots->second, atom.x);
        atom.benefit =
            model.costs.false_negative * good - model.costs.false_positive * (atom.n - good);
      }
    }
  }
}

}  // namespace evenhand::verifying
