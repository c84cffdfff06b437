#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "sql/decide.h"
#include "sql/soft.h"
#include "sql/write.h"

namespace evenhand {
namespace {

bool is_fraction(const Segment& segment) {
  return segment.is_line() || (segment.p > 0 && segment.p < 1);
}

std::string expression(const Rule& rule, const SqlApplyOptions& options, std::string_view of,
                       SqlWanted wanted) {
  const SqlDecider decider(options, of, wanted);
  const RuleParts& parts = rule.parts();
  bool coins = false;
  const auto of_cell = [&](CellCode cell, std::size_t depth) {
    const auto segments = segments_of(rule, cell, decider.sql().traps_underflow());
    coins = coins || std::any_of(segments.begin(), segments.end(), is_fraction);
    return decider.of_segments(segments, parts.reading, parts.level, depth);
  };
  const std::vector<Segment> otherwise = unseen_segments(rule, options.unseen);
  const auto of_unseen = [&](std::size_t depth) {
    return options.unseen == Unseen::error
               ? decider.unseen_error(parts.cells)
               : decider.of_segments(otherwise, parts.reading, {}, depth);
  };
  const std::string decided = decider.of_cells(parts.cells, of_cell, of_unseen);
  if (coins && options.id.empty() && wanted == SqlWanted::decision) {
    throw std::invalid_argument(
        "the rule decides about some people by a coin: name the column with their ids");
  }
  return decider.checked(parts.reading, "", decided, coins);
}

SqlDecision decision(const AnyRule& rule, const SqlApplyOptions& options, std::string_view of) {
  if (options.score.empty()) throw std::invalid_argument("name the column with the score");
  const auto written = [&](SqlWanted wanted) {
    if (const auto* hard = std::get_if<Rule>(&rule)) return expression(*hard, options, of, wanted);
    return soft_expression(std::get<SoftRule>(rule), options, of, wanted);
  };
  return {written(SqlWanted::probability), written(SqlWanted::decision)};
}

}  // namespace

SqlDecision sql_decision(const AnyRule& rule, const SqlApplyOptions& options) {
  return decision(rule, options, "");
}

std::string sql_apply(const AnyRule& rule, const SqlApplyOptions& options) {
  const SqlDialect& sql = dialect_of(options.dialect);
  const std::string from = sql_from(sql, options.source);
  const SqlDecision made = decision(rule, options, sql_rows);
  if (options.probability == options.decision) {
    throw std::invalid_argument("the probability and the decision cannot have the same name");
  }
  const std::string key = sql.key_table();
  const bool joined = !key.empty() && made.decision.find(sql.key()) != std::string::npos;
  return fmt::format("SELECT\n  {}.*,\n  {} AS {},\n  {} AS {}\nFROM {}{}\n", sql_rows,
                     made.probability, sql.name(options.probability), made.decision,
                     sql.name(options.decision), from, joined ? key : "");
}

}  // namespace evenhand
