#include "data/values.h"

#include <evenhand/text.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "data/sql.h"
#include "error.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

std::string described(std::uint64_t row, std::uint64_t count) {
  return count > 1 ? fmt::format("row {} and {} more", with_commas(row), with_commas(count - 1))
                   : fmt::format("row {}", with_commas(row));
}

}  // namespace

NullPolicy NullPolicy::from(std::string_view text) {
  if (text == "error" || text.empty()) return {};
  if (text == "exclude") return {Kind::exclude};
  return {Kind::name, std::string(text)};
}

std::string NullPolicy::text() const {
  return kind == Kind::error ? "error" : kind == Kind::exclude ? "exclude" : name;
}

std::string as_number(const Column& column, bool truth, std::string_view cast) {
  const std::string name = identifier(column.name);
  std::string number = fmt::format("{}({} AS DOUBLE)", cast, name);
  if (!truth || column.type != "VARCHAR") return number;
  return fmt::format("CASE lower({}) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 ELSE {} END", name,
                     number);
}

std::string as_text(std::string_view column, const NullPolicy& nulls) {
  const std::string text = fmt::format("CAST({} AS VARCHAR)", identifier(column));
  return nulls.kind == NullPolicy::Kind::name
             ? fmt::format("coalesce({}, {})", text, literal(nulls.name))
             : text;
}

ValueCheck score_check(const Column& column, const Reading& reading) {
  const double one_end = reading.turn(reading.lowest());
  const double other_end = reading.turn(reading.highest());
  const double low = std::min(one_end, other_end);
  const double high = std::max(one_end, other_end);
  if (reading.scale == Scale::logit || reading.scale == Scale::raw) {
    return {"score", column, false, "isnan(d) OR isinf(d)", "is not a finite number"};
  }
  return {"score",
          column,
          false,
          fmt::format("isnan(d) OR isinf(d) OR d < {} OR d > {}", low, high),
          fmt::format("is outside [{}, {}], the {} scale; see --scale", low, high,
                      to_string(reading.scale)),
          reading.scale == Scale::probability};
}

ValueCheck probability_check(const Column& column) {
  return {"probability",
          column,
          false,
          "isnan(d) OR d < 0 OR d > 1",
          fmt::format("in {} is not from 0 to 1", shown(column.name)),
          true};
}

ValueCheck zero_or_one_check(std::string what, const Column& column) {
  return {std::move(what), column, true, "d NOT IN (0, 1)", "is neither 0 nor 1"};
}

std::vector<ValueCheck> weight_checks(const Column& column) {
  return {{"weight", column, false, "d < 0", "is negative"},
          {"weight", column, false, "isnan(d) OR isinf(d)", "is not a finite number"}};
}

void throw_if_bad(Database& database, const Source& source, const ValueCheck& check) {
  const std::string name = identifier(check.column.name);
  const std::string number = as_number(check.column, check.truth, "TRY_CAST");
  const auto first_where = [&](const std::string& condition) {
    return database.query(fmt::format(
        "SELECT CAST(min(r) AS VARCHAR), arg_min(v, r), CAST(count(*) AS VARCHAR) FROM "
        "(SELECT row_number() OVER () AS r, CAST({} AS VARCHAR) AS v, {} AS d FROM {}) WHERE {}",
        name, number, source.relation(), condition))[0];
  };
  const auto complain = [&](const Row& found, std::string_view complaint) {
    if (!found[0]) return;
    throw UserError(fmt::format("{}, {}: the {} {} {}", source.name(),
                                described(std::stoull(*found[0]), std::stoull(*found[2])),
                                check.what, shown(found[1].value_or("")), complaint));
  };
  const Row no_number = first_where("v IS NOT NULL AND d IS NULL");
  const bool comma = no_number[1] && no_number[1]->find(',') != std::string::npos;
  std::string complaint = "is not a number";
  if (comma) complaint += "; write decimals with a point, not a comma";
  if (check.truth && !comma) {
    complaint += fmt::format(
        "; make it 0 or 1, for example with --sql \"SELECT * REPLACE "
        "(CAST({} = {} AS INTEGER) AS {}) FROM ...\"",
        name, literal(no_number[1].value_or("yes")), name);
  }
  complain(no_number, complaint);
  const Row bad = first_where(check.is_bad);
  complaint = check.complaint;
  const double value = bad[1] ? std::strtod(bad[1]->c_str(), nullptr) : 0;
  if (check.share && value > 1 && value <= 100) complaint += "; divide percentages by 100";
  complain(bad, complaint);
}

void throw_if_missing(Database& database, const Source& source,
                      const std::vector<std::string>& columns, std::string_view advice) {
  std::vector<std::string> counts;
  for (const std::string& column : columns) {
    counts.push_back(
        fmt::format("CAST(count(*) FILTER ({} IS NULL) AS VARCHAR)", identifier(column)));
  }
  const Row row =
      database.query(fmt::format("SELECT {} FROM {}", joined(counts), source.relation()))[0];
  std::string found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint64_t count = std::stoull(row[i].value_or("0"));
    if (count == 0) continue;
    found +=
        fmt::format("{}{} in {}", found.empty() ? "" : ", ", with_commas(count), shown(columns[i]));
  }
  if (!found.empty()) {
    throw UserError(fmt::format("{} has missing values: {}; {}", source.name(), found, advice));
  }
}

}  // namespace evenhand::cli
