#include "sql/write.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "support/dyadic.h"

namespace evenhand {
namespace {

std::string line(std::size_t depth) {
  return "\n" + std::string(2 * depth, ' ');
}

// "shop.people" into its parts; a part may stand in double quotes.
std::vector<std::string> parts_of(std::string_view table) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const char c = table[i];
    if (quoted && c == '"' && i + 1 < table.size() && table[i + 1] == '"') {
      out.back() += table[++i];
    } else if (c == '"' && (quoted || out.back().empty())) {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  if (quoted) throw std::invalid_argument("a double quote in the table's name is not closed");
  if (std::any_of(out.begin(), out.end(), [](const std::string& part) { return part.empty(); })) {
    throw std::invalid_argument("a part of the table's name is empty");
  }
  return out;
}

bool bounded(const Reading& reading) {
  return reading.highest() <= 1;
}

}  // namespace

std::string sql_case(const std::string& of, std::span<const SqlBranch> branches,
                     const std::string& otherwise, std::size_t depth) {
  if (branches.empty()) return otherwise;
  std::string out = of.empty() ? "CASE" : "CASE " + of;
  for (const SqlBranch& branch : branches) {
    out += fmt::format("{}WHEN {} THEN {}", line(depth + 1), branch.when, branch.then);
  }
  return out + fmt::format("{}ELSE {}{}END", line(depth + 1), otherwise, line(depth));
}

std::string sql_message(const SqlDialect& sql, std::span<const std::string> texts,
                        std::span<const std::string> values) {
  std::string out = sql.text("evenhand: " + texts[0]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format(" || COALESCE({}, 'NULL')", values[i]);
    if (!texts[i + 1].empty()) out += " || " + sql.text(texts[i + 1]);
  }
  return out;
}

std::string sql_from(const SqlDialect& sql, const SqlSource& source) {
  if (source.table.empty() == source.select.empty()) {
    throw std::invalid_argument("say where the rows are: a table, or a SELECT");
  }
  // A line of its own: it may end in a comment.
  if (!source.select.empty()) return fmt::format("(\n{}\n) AS {}", source.select, sql_rows);
  std::string out;
  for (const std::string& part : parts_of(source.table)) {
    out += (out.empty() ? "" : ".") + sql.name(part);
  }
  return fmt::format("{} AS {}", out, sql_rows);
}

std::string sql_column(const SqlDialect& sql, std::string_view name, std::string_view of) {
  return of.empty() ? sql.name(name) : sql.column_of(of, name);
}

std::string sql_is_valid(const SqlDialect& sql, const std::string& score, const Reading& reading) {
  const double one_end = reading.turn(reading.lowest());
  const double other_end = reading.turn(reading.highest());
  return fmt::format("{0} >= {1} AND {0} <= {2}", score, sql.number(std::min(one_end, other_end)),
                     sql.number(std::max(one_end, other_end)));
}

std::string sql_turned(const std::string& score, const Reading& reading) {
  return reading.favorable == Favorable::low ? fmt::format("(-{})", score) : score;
}

// By ranges in which no operation can overflow or vanish, since some engines raise errors then.
// Where |x 2^level| is 2^52 or more it is a whole number, and x stands for itself.
std::string sql_cut(const SqlDialect& sql, const std::string& x, int level,
                    const Reading& reading) {
  const double unit = std::ldexp(1.0, -level);
  const auto cut_at = [&](double value) { return sql.number(cut(value, level, reading)); };
  std::string middle =
      fmt::format("({} + {}) * {}",
                  sql.as_real(fmt::format("FLOOR({} * {})", x, sql.number(std::ldexp(1.0, level)))),
                  sql.number(0.5), sql.number(unit));
  if (bounded(reading)) {
    middle = fmt::format("LEAST(GREATEST({}, {}), {})", middle, sql.number(reading.lowest()),
                         sql.number(reading.highest()));
  }
  std::vector<std::string> inside;
  const double most = std::ldexp(1.0, 52 - level);
  const double least = std::ldexp(-0x1p52 + 1, -level);
  if (std::isfinite(least)) inside.push_back(fmt::format("{} >= {}", x, sql.number(least)));
  if (std::isfinite(most)) inside.push_back(fmt::format("{} < {}", x, sql.number(most)));
  std::string out = fmt::format(
      "CASE WHEN {0} >= {1} AND {0} < {2} THEN {3} WHEN {0} < {1} AND {0} >= {4} THEN {5}", x,
      sql.number(0), sql.number(unit), cut_at(0), sql.number(-unit),
      cut_at(-std::numeric_limits<double>::denorm_min()));
  if (inside.empty()) return fmt::format("{} ELSE {} END", out, middle);
  out += fmt::format(" WHEN {} THEN {}", fmt::join(inside, " AND "), middle);
  if (std::isfinite(most)) {
    out +=
        fmt::format(" WHEN {0} < {1} AND {0} > {2} THEN {2}", x, sql.number(0), sql.number(-most));
  }
  return fmt::format("{} ELSE {} END", out, x);
}

}  // namespace evenhand
