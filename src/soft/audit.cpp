#include <evenhand/bad_row.h>
#include <evenhand/soft_audit.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/check_costs.h"
#include "rule/soft_columns.h"

namespace evenhand {
namespace {

class SoftAuditor {
 public:
  SoftAuditor(const SoftRows& rows, const SoftAuditOptions& options)
      : rows_(rows), options_(options), reading_{options.scale, options.favorable} {
    if (rows.size() == 0) throw std::invalid_argument("there are no rows");
    check_costs(options.costs);
    check_soft_reading(reading_);
    list_pairs();
    SoftRows all{rows.score, {}, rows.within};
    std::vector<std::string> names;
    for (const auto& [column, rate] : pairs_) {
      if (std::find(names.begin(), names.end(), column->name) != names.end()) continue;
      names.push_back(column->name);
      all.columns.push_back(*column);
    }
    check_soft_names(names);
    check_soft_rows(all, reading_);
    check_soft_weights(options.weight, rows.size());
    check_zero_or_one();
  }

  std::vector<double> base_decisions() const {
    std::vector<double> q(rows_.size());
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (options_.decisions && rows_.score[i] != 0 && rows_.score[i] != 1) {
        throw std::invalid_argument(
            fmt::format("row {}: the decision {} is neither 0 nor 1", i, shortest(rows_.score[i])));
      }
      q[i] =
          options_.decisions ? rows_.score[i] : (benefit(promised(i), options_.costs) > 0 ? 1 : 0);
    }
    return q;
  }

  SoftAudit run(std::span<const double> q) {
    check_probabilities(q);
    SoftAudit out;
    out.rates = options_.rates;
    const bool knows_outcomes = !options_.label.empty() || !options_.decisions;
    out.expected = options_.label.empty() && knows_outcomes;
    prepare(out);
    double right = 0;
    double cost = 0;
    std::vector<std::vector<Chosen>> chosen(out.strata.size(), std::vector<Chosen>(pairs_.size()));
    std::vector<double> selected(out.strata.size());
    for (const std::size_t i : in_settled_order(q)) {
      const double n = options_.weight.empty() ? 1 : options_.weight[i];
      const double p = outcome(i);
      right += n * (q[i] * p + (1 - q[i]) * (1 - p));
      cost += n * (q[i] * (1 - p) * options_.costs.false_positive +
                   (1 - q[i]) * p * options_.costs.false_negative);
      out.strata[stratum(i)].weight += n;
      selected[stratum(i)] += n * q[i];
      for (std::size_t j = 0; j < pairs_.size(); ++j) {
        const double weight = pairs_[j].rate == Rate::selection       ? n
                              : pairs_[j].rate == Rate::true_positive ? n * p
                                                                      : n * (1 - p);
        chosen[stratum(i)][j].see(pairs_[j].column->values[i], weight, q[i]);
      }
    }
    for (std::size_t k = 0; k < out.strata.size(); ++k) {
      SoftAuditedStratum& at = out.strata[k];
      out.weight += at.weight;
      out.selection_rate += selected[k];
      if (at.weight > 0) at.selection_rate = selected[k] / at.weight;
      for (std::size_t j = 0; j < pairs_.size(); ++j) {
        at.columns[j] = chosen[k][j].pair(pairs_[j].column->name, pairs_[j].rate, at.weight);
      }
    }
    out.selection_rate /= out.weight;
    if (knows_outcomes) {
      out.accuracy = right / out.weight;
      out.cost = cost / out.weight;
    }
    return out;
  }

 private:
  // Expected numbers of those who belong and of the others, and how many of them are selected.
  struct Chosen {
    double belong = 0, belong_selected = 0, others = 0, others_selected = 0;

    void see(double g, double n, double q) {
      belong += n * g;
      belong_selected += n * g * q;
      others += n * (1 - g);
      others_selected += n * (1 - g) * q;
    }
    SoftPair pair(const std::string& column, Rate rate, double weight) const {
      if (rate != Rate::selection) weight = belong + others;
      SoftPair out{column, weight > 0 ? belong / weight : 0, {}, {}, rate};
      if (belong > 0) out.rate = belong_selected / belong;
      if (others > 0) out.others = others_selected / others;
      return out;
    }
  };

  // A column, and the rate of those whom it says to belong.
  struct Paired {
    const SoftColumn* column;
    Rate rate;
  };

  void list_pairs() {
    for (const SoftColumn& column : rows_.columns) pairs_.push_back({&column, Rate::selection});
    for (const Rate rate : options_.rates) {
      if (rate == Rate::selection) continue;
      if (options_.decisions && options_.label.empty()) {
        throw std::invalid_argument(
            "rates given the outcome need labels: of decisions alone nothing is known about it");
      }
      const auto& given = rate == Rate::true_positive ? rows_.favorable : rows_.unfavorable;
      for (const SoftColumn& column : given.empty() ? rows_.columns : given) {
        pairs_.push_back({&column, rate});
      }
    }
    if (!pairs_.empty()) return;
    throw std::invalid_argument(
        rows_.favorable.empty() && rows_.unfavorable.empty()
            ? "there are no soft columns"
            : "these soft columns are given the outcome, and say nothing of selection rates: "
              "compare "
              "rates given the outcome (criterion equalized-odds, equal-opportunity or "
              "false-positive-parity)");
  }

  CellCode stratum(std::size_t i) const { return rows_.within ? rows_.within->codes[i] : 0; }

  // The chance of a favourable outcome, by the score; with labels, by what happened.
  double promised(std::size_t i) const {
    return reading_.probability(reading_.turn(rows_.score[i]));
  }
  double outcome(std::size_t i) const {
    if (options_.label.empty()) return promised(i);
    return options_.favorable == Favorable::low ? 1 - options_.label[i] : options_.label[i];
  }

  void check_zero_or_one() const {
    const std::span<const double> label = options_.label;
    if (label.empty()) return;
    if (label.size() != rows_.size()) {
      throw std::invalid_argument(
          fmt::format("there are {} scores but {} labels: columns differ in length", rows_.size(),
                      label.size()));
    }
    for (std::size_t i = 0; i < label.size(); ++i) {
      if (label[i] != 0 && label[i] != 1) {
        throw BadRow(i, fmt::format("the label {} is neither 0 nor 1", shortest(label[i])));
      }
    }
  }

  void check_probabilities(std::span<const double> q) const {
    if (q.size() != rows_.size()) {
      throw std::invalid_argument(
          fmt::format("there are {} scores but {} decisions: columns differ in length",
                      rows_.size(), q.size()));
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!(q[i] >= 0 && q[i] <= 1)) {
        throw BadRow(
            i, fmt::format("the probability of a decision is in [0, 1], not {}", shortest(q[i])));
      }
    }
  }

  void prepare(SoftAudit& out) const {
    out.strata.resize(rows_.within ? rows_.within->names.size() : 1);
    for (CellCode k = 0; k < out.strata.size(); ++k) {
      out.strata[k].columns.resize(pairs_.size());
      if (!rows_.within) continue;
      const auto values = rows_.within->names.values(k);
      out.strata[k].values.assign(values.begin(), values.end());
    }
  }

  // Sums are rounded, so rows are added in an order that does not depend on the one they came in.
  std::vector<std::size_t> in_settled_order(std::span<const double> q) const {
    struct Key {
      double score, q;
      std::size_t row;
    };
    std::vector<std::span<const double>> others;
    for (const auto* const list : {&rows_.columns, &rows_.favorable, &rows_.unfavorable}) {
      for (const SoftColumn& column : *list) others.push_back(column.values);
    }
    for (const auto& column : {options_.label, options_.weight}) {
      if (!column.empty()) others.push_back(column);
    }
    std::vector<Key> keys(rows_.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = {rows_.score[i], q[i], i};
    std::sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
      if (a.score != b.score) return a.score < b.score;
      if (a.q != b.q) return a.q < b.q;
      for (const auto& column : others) {
        if (column[a.row] != column[b.row]) return column[a.row] < column[b.row];
      }
      return stratum(a.row) < stratum(b.row);
    });
    std::vector<std::size_t> order;
    order.reserve(keys.size());
    for (const Key& key : keys) order.push_back(key.row);
    return order;
  }

  const SoftRows& rows_;
  const SoftAuditOptions& options_;
  Reading reading_;
  std::vector<Paired> pairs_;
};

// Calls see(rate, others) for what can be compared.
template <class See>
void for_each_comparison(const SoftAudit& audit, See see) {
  for (const SoftAuditedStratum& stratum : audit.strata) {
    for (const SoftPair& pair : stratum.columns) {
      const bool asked =
          std::find(audit.rates.begin(), audit.rates.end(), pair.of) != audit.rates.end();
      if (asked && pair.rate && pair.others) see(*pair.rate, *pair.others);
    }
  }
}

}  // namespace

std::optional<double> SoftAudit::largest_difference() const {
  std::optional<double> out;
  for_each_comparison(*this, [&](double rate, double others) {
    out = std::max(out.value_or(0), std::abs(rate - others));
  });
  return out;
}

std::optional<double> SoftAudit::smallest_ratio() const {
  std::optional<double> out;
  for_each_comparison(*this, [&](double rate, double others) {
    const double larger = std::max(rate, others);
    out = std::min(out.value_or(1), larger > 0 ? std::min(rate, others) / larger : 1);
  });
  return out;
}

SoftAudit audit_soft(const SoftRows& rows, std::span<const double> q,
                     const SoftAuditOptions& options) {
  return SoftAuditor(rows, options).run(q);
}

SoftAudit audit_soft(const SoftRows& rows, const SoftAuditOptions& options) {
  SoftAuditor auditor(rows, options);
  return auditor.run(auditor.base_decisions());
}

}  // namespace evenhand
