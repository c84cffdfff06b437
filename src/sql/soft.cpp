#include "sql/soft.h"

#include <stdexcept>

#include <fmt/format.h>

#include "sql/write.h"

namespace evenhand {
namespace {

// The same operations in the same order as SoftRule::probability.
class SoftWriter {
 public:
  SoftWriter(const SoftRule& rule, const SqlDecider& decider)
      : parts_(rule.parts()), decider_(decider), sql_(decider.sql()) {
    for (const std::string& name : parts_.columns) columns_.push_back(decider.number_in(name));
  }

  std::string valid() const {
    std::string out;
    for (const std::string& column : columns_) {
      out += fmt::format("{0}{1} >= {2} AND {1} <= {3}", out.empty() ? "" : " AND ", column,
                         sql_.number(0), sql_.number(1));
    }
    return out;
  }

  std::string benefit() const {
    const std::string x = sql_turned(decider_.score(), parts_.reading);
    std::string p = x;
    if (parts_.reading.scale == Scale::signed_) {
      p = sql_.over(fmt::format("({} + {})", sql_.number(1), x), 2);
    } else if (parts_.reading.favorable == Favorable::low) {
      p = fmt::format("({} + {})", sql_.number(1), x);
    }
    return fmt::format(
        "({} - {})", sql_.times(p, parts_.costs.false_negative),
        sql_.times(fmt::format("({} - {})", sql_.number(1), p), parts_.costs.false_positive));
  }

  std::string of_stratum(CellCode c, std::size_t depth) const {
    const SoftStratum& stratum = parts_.of[c];
    std::string z = benefit();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      z = fmt::format("({} - {})", z, weighted(stratum.multipliers[j], j, stratum));
    }
    const auto above = [&](const std::string& value, double bound, std::string_view sense) {
      return fmt::format("{} {} {}", value, sense, sql_.number(bound));
    };
    const auto clipped = [&](const std::string& q) {
      const std::vector<SqlBranch> ends = {{above(q, 0, "<"), decider_.outcome(0)},
                                           {above(q, 1, ">"), decider_.outcome(1)}};
      return sql_case("", ends, decider_.outcome(q), depth);
    };
    if (parts_.gamma > 0) {
      // The quotient is at least 1 just where z is at least gamma; where it is far more, it might
      // overflow.
      const std::vector<SqlBranch> ends = {{above(z, 0, "<"), decider_.outcome(0)},
                                           {above(z, parts_.gamma, ">="), decider_.outcome(1)}};
      return sql_case("", ends, decider_.outcome(sql_.over(z, parts_.gamma)), depth);
    }
    std::string tie = sql_.number(0);
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      tie = fmt::format("({} + {})", tie, weighted(stratum.tie_slopes[j], j, stratum));
    }
    const std::vector<SqlBranch> ends = {{above(z, stratum.tie_width, ">"), decider_.outcome(1)},
                                         {above(z, -stratum.tie_width, "<"), decider_.outcome(0)}};
    return sql_case("", ends, clipped(tie), depth);
  }

  std::string unseen(Unseen unseen, std::size_t depth) const {
    if (unseen == Unseen::error) return decider_.unseen_error(parts_.strata);
    if (unseen == Unseen::reject) return decider_.outcome(0);
    const SqlBranch yes{fmt::format("{} > {}", benefit(), sql_.number(0)), decider_.outcome(1)};
    return sql_case("", {&yes, 1}, decider_.outcome(0), depth);
  }

 private:
  std::string weighted(double weight, std::size_t j, const SoftStratum& stratum) const {
    return sql_.times(fmt::format("({} - {})", columns_[j], sql_.number(stratum.means[j])), weight);
  }

  const SoftRuleParts& parts_;
  const SqlDecider& decider_;
  const SqlDialect& sql_;
  std::vector<std::string> columns_;
};

}  // namespace

std::string soft_expression(const SoftRule& rule, const SqlApplyOptions& options,
                            std::string_view of, SqlWanted wanted) {
  const SoftRuleParts& parts = rule.parts();
  if (parts.reading.scale == Scale::logit) {
    throw std::invalid_argument(
        "a rule for soft groups on the logit scale needs exp, which differs between engines: fit "
        "it on probabilities");
  }
  if (!parts.prices.empty()) {
    throw std::invalid_argument(
        "there is no SQL yet for rules of soft groups by rates given the outcome or by a ratio: "
        "apply them with the tool or the library");
  }
  if (options.id.empty()) {
    throw std::invalid_argument(
        "the rule decides about some people by a coin: name the column with their ids");
  }
  const SqlDecider decider(options, of, wanted);
  if (wanted == SqlWanted::decision && decider.sql().decides_by_column()) {
    return decider.of_probability({}, true);
  }
  const SoftWriter writer(rule, decider);
  const std::string decided = decider.of_cells(
      parts.strata, [&](CellCode c, std::size_t depth) { return writer.of_stratum(c, depth); },
      [&](std::size_t depth) { return writer.unseen(options.unseen, depth); });
  return decider.checked(parts.reading, writer.valid(), decided, true);
}

}  // namespace evenhand
