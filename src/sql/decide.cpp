#include "sql/decide.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sql/write.h"

namespace evenhand {
namespace {

constexpr double highest_coin = 1 - 0x1p-52;

}  // namespace

SqlDecider::SqlDecider(const SqlApplyOptions& options, std::string_view of, SqlWanted wanted)
    : options_(options), sql_(dialect_of(options.dialect)), of_(of), wanted_(wanted) {
  score_ = number_in(options.score);
  if (options.id.empty()) return;
  const std::string id = sql_column(sql_, options.id, of_);
  id_ = sql_.as_text(id);
  no_id_ = options.whole_ids ? id + " IS NULL" : fmt::format("COALESCE({}, '') = ''", id_);
  const bool from_rows = !options.key_column.empty();
  const auto of_key = [&](const std::string& sql) { return from_rows ? sql : sql_.once(sql); };
  const std::string key = from_rows ? sql_column(sql_, options.key_column, of_) : sql_.key();
  no_key_ = of_key(fmt::format("{0} IS NULL OR LENGTH({0}) <> 64", key));
  const std::string prefix = of_key(fmt::format("{} || {}", key, sql_.character(31)));
  hashed_ = fmt::format("{} || {}", prefix, id_);
}

std::string SqlDecider::number_in(std::string_view column) const {
  return sql_.as_real(sql_column(sql_, column, of_));
}

std::string SqlDecider::outcome(double q) const {
  if (wanted_ == SqlWanted::probability) return sql_.number(q);
  if (q == 0 || q > highest_coin) return q == 0 ? "0" : "1";
  return by_coin(sql_.below(hashed_, q));
}

std::string SqlDecider::outcome(const std::string& q) const {
  if (wanted_ == SqlWanted::probability) return q;
  return by_coin(sql_.below_sql(hashed_, q));
}

std::string SqlDecider::by_coin(const std::string& below) {
  return fmt::format("CASE WHEN {} THEN 1 ELSE 0 END", below);
}

std::string SqlDecider::fail(const std::string& message) const {
  return sql_.fail(message,
                   wanted_ == SqlWanted::probability ? sql_.types().real : sql_.types().whole);
}

// p + rise * ((x - a) / width), in this order, as Response does it.
std::string SqlDecider::line(const Segment& segment, const Reading& reading,
                             std::optional<int> level) const {
  std::string x = sql_turned(score_, reading);
  if (level) x = sql_cut(sql_, x, *level, reading);
  if (segment.halves) {
    // The half of something tiny vanishes beside `a`, and may be an error by itself.
    constexpr double tiny = 1e-300;
    x = fmt::format("(CASE WHEN {0} > {1} AND {0} < {2} THEN {3} ELSE {0} END / {4})", x,
                    sql_.number(-tiny), sql_.number(tiny), sql_.number(0), sql_.number(2));
  }
  return fmt::format("LEAST({} + {} * (({} - {}) / {}), {})", sql_.number(segment.p),
                     sql_.number(segment.rise), x, sql_.number(segment.a),
                     sql_.number(segment.width), sql_.number(segment.most));
}

std::string SqlDecider::of_segments(std::span<const Segment> segments, const Reading& reading,
                                    std::optional<int> level, std::size_t depth) const {
  const auto reached = [&](const Segment& segment) {
    const bool low = reading.favorable == Favorable::low;
    return fmt::format("{} {} {}", score_,
                       low ? "<=" : ">=", sql_.number(reading.turn(segment.from)));
  };
  const auto leaf = [&](const Segment& segment) {
    return segment.is_line() ? outcome(line(segment, reading, level)) : outcome(segment.p);
  };
  constexpr std::size_t most_in_a_row = 4;
  if (segments.size() <= most_in_a_row) {
    std::vector<SqlBranch> branches;
    for (std::size_t i = segments.size(); i-- > 1;) {
      branches.push_back({reached(segments[i]), leaf(segments[i])});
    }
    return sql_case("", branches, leaf(segments[0]), depth);
  }
  const std::size_t half = segments.size() / 2;
  const SqlBranch upper{reached(segments[half]),
                        of_segments(segments.subspan(half), reading, level, depth + 1)};
  return sql_case("", {&upper, 1}, of_segments(segments.first(half), reading, level, depth + 1),
                  depth);
}

SqlDecider::Texts SqlDecider::texts_of(const CellNames& cells) const {
  Texts out;
  for (const std::string& attribute : cells.attributes()) {
    std::string text = sql_.as_text(sql_column(sql_, attribute, of_));
    if (!options_.null_name.empty()) {
      text = fmt::format("COALESCE({}, {})", text, sql_.text(options_.null_name));
    }
    out.values.push_back(text);
  }
  return out;
}

std::string SqlDecider::of_cells(const CellNames& cells, const OfCell& of_cell,
                                 const OfUnseen& unseen) const {
  return of_attribute(cells, texts_of(cells), 0, 0, static_cast<CellCode>(cells.size()), of_cell,
                      unseen);
}

std::string SqlDecider::of_attribute(const CellNames& cells, const Texts& texts,
                                     std::size_t attribute, CellCode begin, CellCode end,
                                     const OfCell& of_cell, const OfUnseen& unseen) const {
  const std::size_t depth = attribute + 2;
  if (begin == end) return unseen(depth);
  if (attribute == texts.values.size()) return of_cell(begin, depth);
  std::vector<SqlBranch> branches;
  for (CellCode c = begin; c < end;) {  // cells are sorted by their values
    const std::string& value = cells.values(c)[attribute];
    CellCode next = c + 1;
    while (next < end && cells.values(next)[attribute] == value) ++next;
    branches.push_back(
        {sql_.text(value), of_attribute(cells, texts, attribute + 1, c, next, of_cell, unseen)});
    c = next;
  }
  return sql_case(sql_.compared(texts.values[attribute]), branches, unseen(depth), depth);
}

std::string SqlDecider::unseen_error(const CellNames& cells) const {
  std::vector<std::string> texts;
  for (const std::string& attribute : cells.attributes()) {
    texts.push_back(
        fmt::format("{}{}=", texts.empty() ? "the rule has never seen " : ", ", attribute));
  }
  if (texts.empty()) texts.push_back("the rule knows nobody, not even the score ");
  texts.emplace_back();
  std::vector<std::string> values = texts_of(cells).values;
  if (values.empty()) values.push_back(sql_.as_text(score_));
  return fail(sql_message(sql_, texts, values));
}

std::vector<SqlBranch> SqlDecider::refusals(bool coins) const {
  std::vector<SqlBranch> out;
  if (wanted_ == SqlWanted::probability || id_.empty()) return out;
  const auto refuse = [&](const std::string& when, const std::string& what) {
    out.push_back(
        {when, fail(sql_message(sql_, std::vector<std::string>{what, ""}, std::vector{id_}))});
  };
  if (coins) {
    refuse(no_key_,
           "the secret is not set: it has the 64 digits that evenhand sql key prints; at id ");
  }
  refuse(no_id_, "a row has no id: ");
  return out;
}

std::string SqlDecider::of_probability(std::span<const double> chances, bool coins) const {
  const std::string p = sql_column(sql_, options_.probability, of_);
  std::vector<SqlBranch> branches = refusals(coins);
  branches.push_back({fmt::format("{} = {}", p, sql_.number(0)), "0"});
  if (!coins) return sql_case("", branches, "1", 1);
  branches.push_back({fmt::format("{} > {}", p, sql_.number(highest_coin)), "1"});
  branches.push_back({sql_.below_column(hashed_, p, chances), "1"});
  return sql_case("", branches, "0", 1);
}

std::string SqlDecider::checked(const Reading& reading, const std::string& also_valid,
                                const std::string& decided, bool coins) const {
  std::vector<SqlBranch> branches = refusals(coins);
  std::string valid = sql_is_valid(sql_, score_, reading);
  if (!also_valid.empty()) valid += " AND " + also_valid;
  branches.push_back({valid, decided});
  const std::vector<std::string> texts = {
      "the score ", fmt::format(" is not valid on the {} scale", to_string(reading.scale)) +
                        (also_valid.empty() ? "" : ", or a soft column is not in [0, 1]")};
  return sql_case("", branches, fail(sql_message(sql_, texts, std::vector{sql_.as_text(score_)})),
                  1);
}

}  // namespace evenhand
