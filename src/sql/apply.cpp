#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "sql/decide.h"
#include "sql/soft.h"
#include "sql/write.h"

namespace evenhand {
namespace {

std::string expression(const Rule& rule, const SqlApplyOptions& options, std::string_view of,
                       SqlWanted wanted) {
  const SqlDecider decider(options, of, wanted);
  const RuleParts& parts = rule.parts();
  bool lines = false;
  std::set<double> chances;
  const auto of_cell = [&](CellCode cell, std::size_t depth) {
    const auto segments = segments_of(rule, cell, decider.sql().traps_underflow());
    for (const Segment& segment : segments) {
      lines = lines || segment.is_line();
      if (segment.p > 0 && segment.p < 1) chances.insert(segment.p);
    }
    return decider.of_segments(segments, parts.reading, parts.level, depth);
  };
  const std::vector<Segment> otherwise = unseen_segments(rule, options.unseen);
  const auto of_unseen = [&](std::size_t depth) {
    return options.unseen == Unseen::error
               ? decider.unseen_error(parts.cells)
               : decider.of_segments(otherwise, parts.reading, {}, depth);
  };
  const std::string decided = decider.of_cells(parts.cells, of_cell, of_unseen);
  const bool coins = lines || !chances.empty();
  if (wanted == SqlWanted::probability) return decider.checked(parts.reading, "", decided, coins);
  if (coins && options.id.empty()) {
    throw std::invalid_argument(
        "the rule decides about some people by a coin: name the column with their ids");
  }
  if (!decider.sql().decides_by_column()) {
    return decider.checked(parts.reading, "", decided, coins);
  }
  if (lines) chances.clear();
  return decider.of_probability(std::vector(chances.begin(), chances.end()), coins);
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
  if (options.probability == options.decision) {
    throw std::invalid_argument("the probability and the decision cannot have the same name");
  }
  const std::string probability = sql.name(options.probability);
  const std::string decided = sql.name(options.decision);
  if (sql.decides_by_column()) {
    // By a name of its own inside: the rows may have a column of that name, the score perhaps.
    SqlApplyOptions inner = options;
    inner.probability = "evenhand_probability";
    const SqlDecision made = decision(rule, inner, sql_rows);
    const std::string column = sql.name(inner.probability);
    return fmt::format(
        "SELECT\n  {0}.* EXCEPT ({1}),\n  {0}.{1} AS {2},\n  {3} AS {4}\nFROM (\nSELECT\n  {0}.*,\n"
        "  {5} AS {1}\nFROM {6}\n) AS {0}\n",
        sql_rows, column, probability, made.decision, decided, made.probability, from);
  }
  const SqlDecision made = decision(rule, options, sql_rows);
  const std::string key = sql.key_table();
  const bool joined = !key.empty() && made.decision.find(sql.key()) != std::string::npos;
  return fmt::format("SELECT\n  {}.*,\n  {} AS {},\n  {} AS {}\nFROM {}{}\n", sql_rows,
                     made.probability, probability, made.decision, decided, from,
                     joined ? key : "");
}

}  // namespace evenhand
