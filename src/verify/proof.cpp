#include "verify/proof.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "verify/claims.h"

namespace evenhand::verifying {
namespace {

class Prices {
 public:
  explicit Prices(const Model& model)
      : model_(model), comparisons_(comparisons_of(model)), of_cells_(model.cells.size()) {
    for (std::size_t k = 0; k < comparisons_.size(); ++k) {
      const std::vector<Group>& members = comparisons_[k].members;
      of_members_.emplace_back(members.size());
      for (std::size_t m = 0; m < members.size(); ++m) place_[members[m]].emplace(k, m);
    }
    for (const Limit& limit : limits_of(model)) limits_.emplace(limit.text, limit);
  }

  // The price of the rate that the criterion compares.
  void add(CellCode cell, double multiplier) {
    const auto rate =
        model_.criterion.rates.empty() ? Rate::selection : model_.criterion.rates.front();
    const Measure measure = rate == Rate::selection       ? Measure::rate
                            : rate == Rate::true_positive ? Measure::tpr
                                                          : Measure::fpr;
    add({{1, {measure, {cell}, {}}}}, multiplier);
  }

  void add(const RecordedConstraint& recorded) {
    if (!std::isfinite(recorded.multiplier)) refuse(recorded.text, "has no multiplier");
    if (recorded.multiplier == 0) return;
    const auto [from, to] = limits_.equal_range(recorded.text);
    for (auto at = from; at != to; ++at) {
      const Limit& limit = at->second;
      const bool right_sign = limit.sense == Sense::equal ||
                              (limit.sense == Sense::at_most) == (recorded.multiplier > 0);
      if (!right_sign) continue;
      const Row row = row_of(model_, limit);
      bound_ += recorded.multiplier * row.bound;
      for (CellCode c = 0; c < of_cells_.size(); ++c) {
        of_cells_[c].n += recorded.multiplier * row.prices[c].n;
        of_cells_[c].good += recorded.multiplier * row.prices[c].good;
      }
      return;
    }
    if (from != to) refuse(recorded.text, "has a multiplier of the wrong sign");
    try {
      add(limit_in(model_, recorded.text).parts, recorded.multiplier);
    } catch (const std::logic_error&) {  // does not parse, or names what is not there
      refuse(recorded.text, "is not asked for by the criterion");
    }
  }

  double bound() {
    double sum = bound_;
    for (std::size_t k = 0; k < comparisons_.size(); ++k) {
      sum += support(model_, of_members_[k]);
      for (std::size_t m = 0; m < of_members_[k].size(); ++m) {
        if (of_members_[k][m] == 0) continue;
        add_price(model_, comparisons_[k].members[m], of_members_[k][m], of_cells_);
      }
    }
    for (const std::vector<CellCode>& family : model_.families) {
      sum += largest(together(model_, family, of_cells_), model_.gamma);
    }
    return sum;
  }

 private:
  [[noreturn]] static void refuse(const std::string& text, const char* what) {
    throw std::runtime_error(fmt::format("{} {}", printable(quoted_if_needed(text, 120)), what));
  }

  // A comparison has all of them. Groups of two attributes may be the same cells, so that each
  // alone may be in several.
  void add(const std::vector<Limit::Part>& parts, double multiplier) {
    for (const auto& [k, first] : place_[parts.front().of]) {
      const std::size_t comparison = k;
      const bool all = std::all_of(parts.begin(), parts.end(), [&](const Limit::Part& part) {
        return place_[part.of].contains(comparison);
      });
      if (!all) continue;
      for (const Limit::Part& part : parts) {
        of_members_[k][place_[part.of][k]] += part.factor * multiplier;
      }
      return;
    }
    throw std::invalid_argument("a rate that is not compared has a multiplier");
  }

  const Model& model_;
  std::vector<Comparison> comparisons_;
  std::map<Group, std::map<std::size_t, std::size_t>> place_;  // in comparisons, as which member
  std::vector<std::vector<double>> of_members_;
  std::multimap<std::string, Limit> limits_;
  std::vector<Price> of_cells_;
  double bound_ = 0;
};

}  // namespace

Proof proof_by(const Model& model, const FitRecord& record) {
  Proof out;
  std::map<std::string, CellCode> codes;
  for (CellCode c = 0; c < model.names.size(); ++c) codes.emplace(model.names.name(c), c);
  try {
    Prices prices(model);
    for (const RecordedCell& cell : record.cells.value_or(std::vector<RecordedCell>())) {
      if (!cell.multiplier) continue;
      out.known = true;
      if (*cell.multiplier == 0) continue;
      if (!codes.contains(cell.cell)) throw std::runtime_error("a multiplier is of no cell");
      prices.add(codes[cell.cell], *cell.multiplier);
    }
    for (const RecordedConstraint& constraint : record.constraints) {
      out.known = true;
      prices.add(constraint);
    }
    out.bound = prices.bound();
  } catch (const std::exception& error) {
    out.known = true;
    out.trouble = error.what();
  }
  return out;
}

}  // namespace evenhand::verifying
