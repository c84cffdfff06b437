#include <algorithm>
#include <cctype>
#include <stdexcept>

#include <fmt/format.h>

#include "sql/write.h"

namespace evenhand {
namespace {

constexpr std::string_view read_rows = "evenhand_read";        // values as texts and doubles
constexpr std::string_view checked_rows = "evenhand_checked";  // those that may be counted

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// A tally, or counts of decisions, while it is written: rows are read, checked and counted by one
// SELECT each, whose columns have names of our own until the last.
class Writer {
 public:
  Writer(const SqlTallyOptions& options, bool decisions)
      : options_(options), decisions_(decisions), sql_(dialect_of(options.dialect)) {
    check();
  }

  std::string statement() const {
    return fmt::format(
        "{}\nFROM (\n{}\n  FROM (\n{}\n  ) AS {}\n) AS {}{}{}\n", counted(), checked(), read(),
        read_rows, checked_rows, grouped(),
        options_.weight.empty() ? "" : fmt::format("\nHAVING SUM({}) > 0", of_checked("w")));
  }

 private:
  void check() const {
    if (options_.score.empty()) {
      throw std::invalid_argument(decisions_ ? "name the column with the decision"
                                             : "name the column with the score");
    }
    if (!decisions_ && options_.resolution.cap()) {
      throw std::invalid_argument(
          "a resolution of auto depends on all rows together: choose exact, or a number of bits");
    }
    for (std::size_t i = 0; i < options_.attributes.size(); ++i) {
      const std::string& attribute = options_.attributes[i];
      for (const std::string& taken : results()) {
        if (same_but_for_case(attribute, taken)) {
          throw std::invalid_argument(fmt::format(
              "the attribute {} is called like another column of a tally: rename it", attribute));
        }
      }
      if (std::find(options_.attributes.begin(),
                    options_.attributes.begin() + static_cast<std::ptrdiff_t>(i),
                    attribute) != options_.attributes.begin() + static_cast<std::ptrdiff_t>(i)) {
        throw std::invalid_argument(fmt::format("the column {} is given twice", attribute));
      }
    }
  }

  std::vector<std::string> results() const {
    const bool weighted = !options_.weight.empty();
    std::vector<std::string> out = {decisions_ ? "decision" : "score", weighted ? "weight" : "n"};
    if (!options_.label.empty()) out.emplace_back(weighted ? "weight1" : "n1");
    return out;
  }

  static std::string of_read(std::string_view column) {
    return fmt::format("{}.{}", read_rows, column);
  }
  static std::string of_checked(std::string_view column) {
    return fmt::format("{}.{}", checked_rows, column);
  }
  static std::string attribute_name(std::size_t i) { return fmt::format("a{}", i + 1); }

  // A column with 0 or 1, or a truth value, whose type we do not know.
  std::string truth(const std::string& column) const {
    return options_.numeric_label ? sql_.as_real(column) : sql_.as_text(column);
  }
  std::string checked_truth(std::string_view column, const std::string& what) const {
    const std::string value = of_read(column);
    const std::string bad =
        refuse("the " + what + " ", options_.numeric_label ? sql_.as_text(value) : value,
               " is neither 0 nor 1", sql_.types().whole);
    if (options_.numeric_label) {
      return fmt::format("CASE WHEN {0} = {1} THEN 1 WHEN {0} = {2} THEN 0 ELSE {3} END", value,
                         sql_.number(1), sql_.number(0), bad);
    }
    const std::string number = sql_.as_real(value);
    return fmt::format(
        "CASE WHEN LOWER({0}) IN ('1', 'true') THEN 1 WHEN LOWER({0}) IN ('0', 'false') THEN 0 "
        "WHEN {1} = {2} THEN 1 WHEN {1} = {3} THEN 0 ELSE {4} END",
        value, number, sql_.number(1), sql_.number(0), bad);
  }

  std::string refuse(const std::string& before, const std::string& value, const std::string& after,
                     std::string_view type) const {
    return sql_.fail(sql_message(sql_, std::vector<std::string>{before, after}, std::vector{value}),
                     type);
  }

  bool excludes() const { return options_.null == "exclude"; }
  bool names_missing() const { return !options_.null.empty() && options_.null != "error"; }

  std::string read() const {
    std::string out = "    SELECT";
    std::string where;
    const auto take = [&](const std::string& column, const std::string& sql, std::string_view as) {
      out += fmt::format("{}\n      {} AS {}", out.ends_with("SELECT") ? "" : ",", sql, as);
      if (excludes()) {
        where += fmt::format("{}{} IS NOT NULL", where.empty() ? "\n    WHERE " : " AND ", column);
      }
    };
    for (std::size_t i = 0; i < options_.attributes.size(); ++i) {
      const std::string column = sql_column(sql_, options_.attributes[i]);
      std::string text = sql_.as_text(column);
      if (names_missing() && !excludes()) {
        text = fmt::format("COALESCE({}, {})", text, sql_.text(options_.null));
      }
      take(column, text, attribute_name(i));
    }
    const std::string score = sql_column(sql_, options_.score);
    take(score, decisions_ ? truth(score) : sql_.as_real(score), "s");
    if (!options_.label.empty()) {
      const std::string label = sql_column(sql_, options_.label);
      take(label, truth(label), "y");
    }
    if (!options_.weight.empty()) {
      const std::string weight = sql_column(sql_, options_.weight);
      take(weight, sql_.as_real(weight), "w");
    }
    return fmt::format("{}\n    FROM {}{}", out, sql_from(sql_, options_.source), where);
  }

  // A missing value, in a CASE of the score: the first thing that every row is asked about.
  std::string missing() const {
    std::vector<std::pair<std::string, std::string>> columns;  // what it is called here, and there
    if (!names_missing()) {
      for (std::size_t i = 0; i < options_.attributes.size(); ++i) {
        columns.emplace_back(attribute_name(i), options_.attributes[i]);
      }
    }
    columns.emplace_back("s", options_.score);
    if (!options_.label.empty()) columns.emplace_back("y", options_.label);
    if (!options_.weight.empty()) columns.emplace_back("w", options_.weight);
    if (excludes()) return {};
    std::string out;
    for (const auto& [ours, theirs] : columns) {
      out += fmt::format(
          "WHEN {0} IS NULL THEN {1} ", of_read(ours),
          refuse(fmt::format("a value of {} is missing: ", theirs), sql_.as_text(of_read(ours)), "",
                 decisions_ ? sql_.types().whole : sql_.types().real));
    }
    return out;
  }

  std::string checked_score() const {
    if (decisions_) {
      const std::string decision = checked_truth("s", "decision");
      return missing().empty() ? decision : fmt::format("CASE {}ELSE {} END", missing(), decision);
    }
    const std::string score = of_read("s");
    std::string value = score;
    if (const auto level = options_.resolution.fixed_level()) {
      const std::string middle =
          sql_cut(sql_, sql_turned(score, options_.reading), *level, options_.reading);
      value = options_.reading.favorable == Favorable::low ? fmt::format("(-{})", middle) : middle;
    }
    return fmt::format(
        "CASE {}WHEN {} THEN {} ELSE {} END", missing(),
        sql_is_valid(sql_, score, options_.reading), value,
        refuse("the score ", sql_.as_text(score),
               fmt::format(" is not valid on the {} scale", to_string(options_.reading.scale)),
               sql_.types().real));
  }

  std::string checked() const {
    std::string out = "  SELECT";
    for (std::size_t i = 0; i < options_.attributes.size(); ++i) {
      out += fmt::format("\n    {} AS {},", of_read(attribute_name(i)), attribute_name(i));
    }
    out += fmt::format("\n    {} AS s", checked_score());
    if (!options_.label.empty()) out += fmt::format(",\n    {} AS y", checked_truth("y", "label"));
    if (!options_.weight.empty()) {
      const std::string weight = of_read("w");
      const std::string big = fmt::format("CAST({} AS {})", weight, big_type());
      out += fmt::format(
          ",\n    CASE WHEN {0} >= {1} AND {0} <= {2} AND {0} = FLOOR({0}) THEN {3} ELSE {4} END "
          "AS "
          "w",
          weight, sql_.number(0), sql_.number(0x1p53), big,
          refuse("the weight ", sql_.as_text(weight),
                 " is not a whole number: sums of fractions depend on their order", big_type()));
    }
    return out;
  }

  std::string_view big_type() const {
    return options_.dialect == Dialect::bigquery ? "INT64" : "BIGINT";
  }

  std::string counted() const {
    const std::vector<std::string> names = results();
    std::string out = "SELECT";
    for (std::size_t i = 0; i < options_.attributes.size(); ++i) {
      out += fmt::format("\n  {} AS {},", of_checked(attribute_name(i)),
                         sql_.name(options_.attributes[i]));
    }
    out += fmt::format("\n  {} AS {},", of_checked("s"), names[0]);
    const auto sum = [&](const std::string& of) {
      return fmt::format("CAST(SUM({}) AS {})", of, big_type());
    };
    const bool weighted = !options_.weight.empty();
    out += fmt::format("\n  {} AS {}", weighted ? sum(of_checked("w")) : "COUNT(*)", names[1]);
    if (names.size() > 2) {
      out += fmt::format(",\n  {} AS {}",
                         sum(weighted ? fmt::format("CASE WHEN {} = 1 THEN {} ELSE 0 END",
                                                    of_checked("y"), of_checked("w"))
                                      : of_checked("y")),
                         names[2]);
    }
    return out;
  }

  std::string grouped() const {
    std::string out = "\nGROUP BY ";
    for (std::size_t i = 0; i < options_.attributes.size(); ++i) {
      out += of_checked(attribute_name(i)) + ", ";
    }
    return out + of_checked("s");
  }

  const SqlTallyOptions& options_;
  bool decisions_;
  const SqlDialect& sql_;
};

}  // namespace

std::string sql_tally(const SqlTallyOptions& options) {
  return Writer(options, false).statement();
}

std::string sql_audit(const SqlTallyOptions& options) {
  return Writer(options, true).statement();
}

}  // namespace evenhand
