// A rule for soft attributes: where it is not known which group somebody belongs to, but columns
// say with what probability, P(S = s | x). Whoever uses it needs these columns and no group.
//
//   z = h - sum of multiplier * (column - mean)        the benefit h, less the price of fairness
//   gamma > 0:   q = clip(z / gamma, 0, 1)
//   gamma = 0:   q = 1 if z > tie_width; 0 if z < -tie_width; else a tie:
//                q = clip(sum of tie_slope * (column - mean), 0, 1)
//
// Criteria of true- and false-positive rates put prices on p * (column - mean) and
// (1 - p) * (column - mean) instead, p being the probability of the favourable outcome (SoftPrice).
//
// The last line is the limit of the ramps as gamma vanishes (docs/method.md): with it the criterion
// holds exactly where people with different columns have the same z.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/coin.h>
#include <evenhand/column.h>
#include <evenhand/rule.h>
#include <evenhand/scale.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// P(S = s | x) of every row, for one s: finite, in [0, 1].
struct SoftColumn {
  std::string name;
  std::span<const double> values;
};

// Rows as they come; nothing is copied.
struct SoftRows {
  std::span<const double> score;
  std::vector<SoftColumn> columns;
  const Cells* within = nullptr;  // the stratum of each row; none: one stratum for all
  // Instead of `columns`, for criteria of true- and false-positive rates: P(S = s | x, outcome),
  // given the favourable outcome and given the other one, for the same s in the same order.
  std::vector<SoftColumn> favorable = {};
  std::vector<SoftColumn> unfavorable = {};

  std::size_t size() const noexcept { return score.size(); }
};

// Whose share a price is about: everybody's, or that of people with one outcome, p or 1 - p.
enum class Given { everyone, favorable, unfavorable };
std::string_view to_string(Given given) noexcept;

// What has a price: factor * (column - mean), the factor being 1, p or 1 - p.
struct SoftPrice {
  std::size_t column = 0;  // of SoftRuleParts::columns
  Given given = Given::everyone;
  bool operator==(const SoftPrice&) const = default;
};

struct SoftStratum {
  std::vector<double> means;        // of each price, over the rows that were fitted
  std::vector<double> multipliers;  // of each price
  double tie_width = 0;             // gamma = 0 only
  std::vector<double> tie_slopes;   // of each price; gamma = 0 only, else empty
  bool operator==(const SoftStratum&) const = default;
};

struct SoftRuleParts {
  std::vector<std::string> columns;  // names, distinct, at least one
  CellNames strata;                  // without attributes: one stratum, "everyone"
  std::vector<SoftStratum> of;       // one for each stratum
  Reading reading;
  Costs costs;
  double gamma = 0;
  std::vector<SoftPrice> prices = {};  // empty: one for each column, of everybody
  bool operator==(const SoftRuleParts&) const = default;
};

class SoftRule {
 public:
  SoftRule() = default;                    // no strata: everybody is unseen
  explicit SoftRule(SoftRuleParts parts);  // throws std::invalid_argument that says what is wrong

  const SoftRuleParts& parts() const noexcept { return parts_; }

  // For one person; columns in the order of parts().columns. NaN for anything out of range.
  double probability(CellCode stratum, double score,
                     std::span<const double> columns) const noexcept;

  // The same for somebody whose benefit is h; nothing is checked. p = (h + cost_fp) / (cost_fn +
  // cost_fp).
  double response(CellCode stratum, double h, std::span<const double> columns) const noexcept;
  double reduced(CellCode stratum, double h, std::span<const double> columns) const noexcept;  // z

  // What has a price, those of each column included.
  const std::vector<SoftPrice>& prices() const noexcept { return prices_; }

  // For many; columns and attributes are found by name, further ones are ignored. Throws
  // std::invalid_argument for a bad score or column value (with its row) or columns of different
  // lengths, std::out_of_range for a column or attribute that is missing and, unless told
  // otherwise, for unseen strata. Unseen::score decides positively when the benefit is above 0.
  std::vector<double> probability(const SoftRows& rows, Unseen unseen = Unseen::error) const;

  // Decisions, 1 or 0, by the same coins as Rule::decide.
  bool decide(CellCode stratum, double score, std::span<const double> columns, std::string_view id,
              const Coin& coin) const;
  std::vector<std::uint8_t> decide(const SoftRows& rows, const Texts& ids, const Coin& coin,
                                   Unseen unseen = Unseen::error) const;
  std::vector<std::uint8_t> decide(const SoftRows& rows, const Coin& coin,
                                   Unseen unseen = Unseen::error) const;

  // In plain words: a line about the benefit, then one for each stratum.
  std::string describe() const;

  // The JSON of docs/formats.md, as Rule::to_json; fit_record reads its `fit`.
  std::string to_json(std::string_view fit = {}) const;
  static SoftRule from_json(std::string_view json);  // throws std::invalid_argument

  bool operator==(const SoftRule&) const = default;

 private:
  SoftRuleParts parts_;
  std::vector<SoftPrice> prices_;
};

// Whether the file is of a SoftRule (then Rule::from_json refuses it). Throws std::invalid_argument
// if it is no rule's file at all.
bool is_soft_rule(std::string_view json);

}  // namespace evenhand
