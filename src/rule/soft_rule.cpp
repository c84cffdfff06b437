#include <evenhand/bad_row.h>
#include <evenhand/soft_rule.h>
#include <evenhand/text.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/check_costs.h"
#include "rule/soft_columns.h"

namespace evenhand {
namespace {

void check_stratum(const SoftStratum& stratum, std::size_t count, std::string_view counted,
                   bool steps, const std::string& name) {
  const auto fail = [&](std::string_view what) {
    throw std::invalid_argument(fmt::format("stratum {}: {}", name, what));
  };
  const auto check = [&](const std::vector<double>& values, std::size_t size,
                         std::string_view what) {
    if (values.size() != size) {
      fail(fmt::format("{} {} for {} {}", values.size(), what, count, counted));
    }
    constexpr double most = 1e100;  // sums of these stay finite
    for (const double value : values) {
      if (!(std::abs(value) <= most)) {
        fail(fmt::format("one of the {} is not a number within reason", what));
      }
    }
  };
  check(stratum.means, count, "means");
  check(stratum.multipliers, count, "multipliers");
  check(stratum.tie_slopes, steps ? count : 0, "slopes at ties");
  for (const double mean : stratum.means) {
    if (!(mean >= 0 && mean <= 1)) fail("a mean is not in [0, 1]");
  }
  if (!(stratum.tie_width >= 0) || std::isinf(stratum.tie_width)) {
    fail("the width of ties is not a finite number >= 0");
  }
  if (!steps && stratum.tie_width != 0) fail("a ramp has no ties");
}

// "0.35 * (female - 0.48) - 0.1 * (black - 0.2)"; "0" if all multipliers are.
std::string price_in_words(const SoftRuleParts& parts, const std::vector<SoftPrice>& prices,
                           const SoftStratum& stratum) {
  std::string out;
  for (std::size_t j = 0; j < prices.size(); ++j) {
    const double mu = stratum.multipliers[j];
    if (mu == 0) continue;
    const char* const sign = out.empty() ? (mu < 0 ? "-" : "") : (mu < 0 ? " - " : " + ");
    const char* const factor = prices[j].given == Given::everyone    ? ""
                               : prices[j].given == Given::favorable ? " * p"
                                                                     : " * (1 - p)";
    out += fmt::format("{}{}{} * ({} - {})", sign, rounded(std::abs(mu), 4), factor,
                       quoted_if_needed(parts.columns[prices[j].column]),
                       rounded(stratum.means[j], 4));
  }
  return out.empty() ? "0" : out;
}

}  // namespace

std::string_view to_string(Given given) noexcept {
  switch (given) {
    case Given::favorable:
      return "favorable";
    case Given::unfavorable:
      return "unfavorable";
    case Given::everyone:
      break;
  }
  return "everyone";
}

SoftRule::SoftRule(SoftRuleParts parts) : parts_(std::move(parts)) {
  if (parts_.columns.empty()) throw std::invalid_argument("the rule has no columns");
  check_soft_names(parts_.columns);
  if (parts_.of.size() != parts_.strata.size()) {
    throw std::invalid_argument(fmt::format("the rule has {} strata but prices for {}",
                                            parts_.strata.size(), parts_.of.size()));
  }
  if (!(parts_.gamma >= 0) || std::isinf(parts_.gamma)) {
    throw std::invalid_argument("the rule's gamma is not a finite number >= 0");
  }
  check_soft_reading(parts_.reading);
  check_costs(parts_.costs);
  parts_.gamma += 0.0;  // -0 would not survive a text, here and below
  parts_.costs.false_positive += 0.0;
  parts_.costs.false_negative += 0.0;
  std::vector<SoftPrice> plain;
  for (std::size_t j = 0; j < parts_.columns.size(); ++j) plain.push_back({j, Given::everyone});
  for (const SoftPrice& price : parts_.prices) {
    if (price.column >= parts_.columns.size()) {
      throw std::invalid_argument("the rule has a price for a column that it does not have");
    }
  }
  prices_ = parts_.prices.empty() ? plain : parts_.prices;
  if (prices_ == plain) parts_.prices.clear();  // one way to say the same
  for (CellCode c = 0; c < parts_.of.size(); ++c) {
    SoftStratum& stratum = parts_.of[c];
    check_stratum(stratum, prices_.size(), parts_.prices.empty() ? "columns" : "prices",
                  parts_.gamma == 0, parts_.strata.name(c));
    stratum.tie_width += 0.0;
    for (auto* list : {&stratum.means, &stratum.multipliers, &stratum.tie_slopes}) {
      for (double& value : *list) value += 0.0;
    }
  }
}

namespace {

// factor * (column - mean), p being the probability of the favourable outcome.
double priced(const SoftPrice& price, double mean, double p,
              std::span<const double> columns) noexcept {
  const double away = columns[price.column] - mean;
  if (price.given == Given::everyone) return away;
  return (price.given == Given::favorable ? p : 1 - p) * away;
}

}  // namespace

double SoftRule::reduced(CellCode c, double h, std::span<const double> columns) const noexcept {
  const SoftStratum& stratum = parts_.of[c];
  const double p = chance_of(h, parts_.costs);
  double z = h;
  for (std::size_t j = 0; j < prices_.size(); ++j) {
    z -= stratum.multipliers[j] * priced(prices_[j], stratum.means[j], p, columns);
  }
  return z;
}

double SoftRule::response(CellCode c, double h, std::span<const double> columns) const noexcept {
  const SoftStratum& stratum = parts_.of[c];
  const double z = reduced(c, h, columns);
  if (parts_.gamma > 0) return std::clamp(z / parts_.gamma, 0.0, 1.0);
  if (z > stratum.tie_width) return 1;
  if (z < -stratum.tie_width) return 0;
  const double p = chance_of(h, parts_.costs);
  double q = 0;
  for (std::size_t j = 0; j < prices_.size(); ++j) {
    q += stratum.tie_slopes[j] * priced(prices_[j], stratum.means[j], p, columns);
  }
  return std::clamp(q, 0.0, 1.0);
}

double SoftRule::probability(CellCode stratum, double score,
                             std::span<const double> columns) const noexcept {
  const double x = parts_.reading.turn(score);
  const bool valid =
      stratum < parts_.of.size() && parts_.reading.valid(x) &&
      columns.size() == parts_.columns.size() &&
      std::all_of(columns.begin(), columns.end(), [](double g) { return g >= 0 && g <= 1; });
  if (!valid) return std::numeric_limits<double>::quiet_NaN();
  return response(stratum, benefit(parts_.reading.probability(x), parts_.costs), columns);
}

std::vector<double> SoftRule::probability(const SoftRows& rows, Unseen unseen) const {
  SoftRows ours{rows.score, {}, rows.within};
  for (const std::string& name : parts_.columns) ours.columns.push_back(find_column(rows, name));
  check_soft_rows(ours, parts_.reading);
  std::vector<CellCode> known = {parts_.strata.size() == 1 ? CellCode{0} : unseen_cell};
  if (!parts_.strata.attributes().empty()) {
    if (!rows.within) throw std::out_of_range("the rule decides within strata; the rows have none");
    known = translate(rows.within->names, parts_.strata);
  }
  std::vector<double> out(rows.size());
  std::vector<double> columns(ours.columns.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const CellCode theirs = parts_.strata.attributes().empty() ? 0 : rows.within->codes[i];
    const CellCode stratum = known[theirs];
    const double h =
        benefit(parts_.reading.probability(parts_.reading.turn(rows.score[i])), parts_.costs);
    if (stratum == unseen_cell) {
      if (unseen == Unseen::error) {
        throw std::out_of_range(fmt::format(
            "row {}: the rule has never seen the stratum {}; refit with such rows, or choose what "
            "to do with them: by score, or reject",
            i, rows.within ? rows.within->names.name(theirs) : "everyone"));
      }
      out[i] = unseen == Unseen::score && h > 0 ? 1 : 0;
      continue;
    }
    for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = ours.columns[j].values[i];
    out[i] = response(stratum, h, columns);
  }
  return out;
}

bool SoftRule::decide(CellCode stratum, double score, std::span<const double> columns,
                      std::string_view id, const Coin& coin) const {
  if (stratum >= parts_.of.size()) {
    throw std::out_of_range(
        fmt::format("the rule has no stratum with code {}, only {}", stratum, parts_.of.size()));
  }
  if (id.empty()) throw std::invalid_argument("the id is missing");
  const double q = probability(stratum, score, columns);
  if (std::isnan(q)) {
    throw std::invalid_argument(fmt::format(
        "the score {} is not valid on the {} scale, or the columns are not {} numbers in [0, 1]",
        shortest(score), to_string(parts_.reading.scale), parts_.columns.size()));
  }
  return q > 0 && q < 1 ? coin(id) < q : q == 1;
}

std::vector<std::uint8_t> SoftRule::decide(const SoftRows& rows, const Texts& ids, const Coin& coin,
                                           Unseen unseen) const {
  if (ids.size() != rows.size()) {
    throw std::invalid_argument(fmt::format("{} scores but {} ids", rows.size(), ids.size()));
  }
  const std::vector<double> q = probability(rows, unseen);
  std::vector<std::uint8_t> out(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (ids[i].empty()) throw BadRow(i, "the id is missing");
    out[i] = q[i] > 0 && q[i] < 1 ? coin(ids[i]) < q[i] : q[i] == 1;
  }
  return out;
}

std::vector<std::uint8_t> SoftRule::decide(const SoftRows& rows, const Coin& coin,
                                           Unseen unseen) const {
  const std::vector<double> q = probability(rows, unseen);
  std::vector<std::uint8_t> out(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    out[i] = q[i] > 0 && q[i] < 1 ? coin(std::uint64_t{i}) < q[i] : q[i] == 1;
  }
  return out;
}

std::string SoftRule::describe() const {
  const Costs& costs = parts_.costs;
  std::string out = costs == Costs{} ? "the benefit is 2p - 1"
                                     : fmt::format("the benefit is {} * p - {} * (1 - p)",
                                                   rounded(costs.false_negative, 4),
                                                   rounded(costs.false_positive, 4));
  out += ", where p is the probability of the favourable outcome\n";
  for (CellCode c = 0; c < parts_.of.size(); ++c) {
    const SoftStratum& stratum = parts_.of[c];
    const std::string price = price_in_words(parts_, prices_, stratum);
    out += fmt::format("{}: ", parts_.strata.name(c));
    if (parts_.gamma > 0) {
      out += fmt::format(
          "yes if the benefit is {} or more above {}; no if it is not above it; "
          "gradually more often in between\n",
          rounded(parts_.gamma, 4), price);
      continue;
    }
    const bool coin = std::any_of(stratum.tie_slopes.begin(), stratum.tie_slopes.end(),
                                  [](double slope) { return slope != 0; });
    out += fmt::format("yes if the benefit is above {}{}\n", price,
                       coin ? "; if it is just that, in some cases" : "");
  }
  return out;
}

}  // namespace evenhand
