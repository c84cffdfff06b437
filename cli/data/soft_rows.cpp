#include "data/soft_rows.h"

#include <evenhand/text.h>

#include <algorithm>

#include <fmt/format.h>

#include "data/sql.h"
#include "data/unseen.h"
#include "error.h"

namespace evenhand::cli {
namespace {

// Throws UserError that names the first row whose columns do not add up to 1.
void check_sums(Database& database, const Source& source, const std::vector<std::string>& soft) {
  std::vector<std::string> terms;
  for (const std::string& name : soft) {
    terms.push_back(as_number(source.column(name, "--soft"), false));
  }
  constexpr double most = 1e-6;
  const Row found = database.query(fmt::format(
      "SELECT CAST(min(r) AS VARCHAR), CAST(arg_min(d, r) AS VARCHAR) FROM (SELECT row_number() "
      "OVER () AS r, {} AS d FROM {}) WHERE abs(d - 1) > {}",
      joined(terms, " + "), source.relation(), double_literal(most)))[0];
  if (found[0]) {
    throw UserError(
        fmt::format("{}, row {}: the columns of --soft add up to {}, not 1; drop "
                    "--exhaustive if there are other groups",
                    source.name(), with_commas(std::stoull(*found[0])), found[1].value_or("")));
  }
}

void add_missing(std::vector<std::string>& names, const std::vector<std::string>& also) {
  for (const std::string& name : also) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
}

}  // namespace

void add_soft_columns(Command& command, SoftColumnOptions& options, const std::string& help) {
  command.add_option("--soft", options.any, "COLUMNS", help);
  command.add_option(
      "--soft-favorable", options.favorable, "COLUMNS",
      "Instead of --soft, for true-positive rates: the probability of belonging given "
      "the favourable outcome");
  command.add_option(
      "--soft-unfavorable", options.unfavorable, "COLUMNS",
      "Instead of --soft, for false-positive rates: the same given the other outcome, "
      "for the same groups in the same order");
}

void refuse_beside_soft(const RowOptions& rows, const ObjectiveOptions& objective,
                        std::initializer_list<std::pair<bool, const char*>> others) {
  std::vector<std::pair<bool, const char*>> all = {
      {!rows.sensitive.empty(), "--sensitive"},
      {!rows.tally.empty(), "--tally"},
      {!rows.resolution.empty(), "--resolution"},
      {objective.base_threshold.has_value(), "--base-threshold"}};
  all.insert(all.end(), others);
  for (const auto& [given, option] : all) {
    if (given)
      throw UserError(fmt::format(
          "soft groups (--soft, or a rule fitted with it) cannot be combined with {}", option));
  }
}

void SoftTable::choose_columns(const Source& source, const SoftWanted& wanted) {
  if (wanted.columns.given()) {
    const std::array<std::pair<const std::string*, const char*>, 3> asked = {
        {{&wanted.columns.any, "--soft"},
         {&wanted.columns.favorable, "--soft-favorable"},
         {&wanted.columns.unfavorable, "--soft-unfavorable"}}};
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (!asked[k].first->empty()) lists_[k] = source.names(*asked[k].first, asked[k].second);
    }
  } else {
    const RecordedColumns& known = wanted.recorded;
    lists_[1] = known.soft_favorable;
    lists_[2] = known.soft_unfavorable;
    if (lists_[1].empty() && lists_[2].empty()) {
      for (const std::string& name : known.soft.value_or(std::vector<std::string>())) {
        if (source.has(name)) add_missing(lists_[0], {name});
      }
      if (wanted.rule) add_missing(lists_[0], wanted.rule->parts().columns);
    }
  }
  for (const auto& list : lists_) add_missing(soft_, list);
}

SoftTable SoftTable::read(const DataOptions& data, const RowOptions& asked,
                          const SoftWanted& wanted) {
  if (asked.score.empty()) {
    throw UserError("--score is missing: name the column with the model's score");
  }
  SoftTable out;
  const Input input(data.input);
  Database database(data.database, input);
  const Source source(database, input);
  const Column& score = source.column(asked.score, wanted.decisions ? "--decision" : "--score");
  RowQuery query;
  query.numbers.push_back({score,
                           wanted.decisions,
                           {wanted.decisions ? zero_or_one_check("decision", score)
                                             : score_check(score, asked.reading())}});
  out.choose_columns(source, wanted);
  for (const auto& list : out.lists_) {
    if (wanted.exhaustive && !list.empty() && list.size() < 2) {
      throw UserError(
          "--exhaustive needs at least two columns in --soft: all the groups there are");
    }
  }
  out.probabilities_ = out.soft_;
  if (wanted.rule) add_missing(out.probabilities_, wanted.rule->parts().columns);
  for (const RuleFile* file : wanted.rules) add_missing(out.probabilities_, file->soft_columns());
  for (std::size_t i = 0; i < out.probabilities_.size(); ++i) {
    const Column& column = source.column(
        out.probabilities_[i],
        !wanted.columns.given() || i >= out.soft_.size() ? "a soft column of the rule" : "--soft");
    query.numbers.push_back({column, false, {probability_check(column)}});
  }
  out.columns_.score = score.name;
  out.columns_.label = named_or_there(source, asked.label, wanted.if_there.label, "--label");
  if (out.columns_.label) {
    const Column& label = source.column(*out.columns_.label, "--label");
    query.numbers.push_back({label, true, {zero_or_one_check("label", label)}});
  }
  out.columns_.weight = named_or_there(source, asked.weight, wanted.if_there.weight, "--weight");
  if (out.columns_.weight) {
    const Column& weight = source.column(*out.columns_.weight, "--weight");
    query.numbers.push_back({weight, false, weight_checks(weight)});
  }
  if (!asked.within.empty()) out.columns_.within = source.names(asked.within, "--within");
  out.attributes_ = out.columns_.within;
  if (wanted.rule) {
    const std::vector<std::string>& needed = wanted.rule->parts().strata.attributes();
    for (const std::string& name : needed) source.column(name, "an attribute of the rule");
    add_missing(out.attributes_, needed);
  }
  for (const RuleFile* file : wanted.rules) {
    for (const std::string& name : file->cells().attributes()) {
      source.column(name, "an attribute of the rule");
    }
    add_missing(out.attributes_, file->cells().attributes());
  }
  std::string truth;
  if (!wanted.truth.empty()) {
    truth = source.column(wanted.truth, "--check-with").name;
    add_missing(out.attributes_, {truth});
  }
  query.attributes = out.attributes_;
  query.nulls = NullPolicy::from(asked.null);
  out.name_ = source.name();
  out.files_ = input.files();
  Rows rows(database, source, std::move(query));
  out.table_ = all_rows(rows, "reading");
  out.excluded_ = rows.excluded();
  if (out.table_.size == 0) throw_no_rows(source, out.excluded_);
  rows.explain();
  for (const auto& list : out.lists_) {
    if (wanted.exhaustive && !list.empty()) check_sums(database, source, list);
  }
  if (!truth.empty()) {
    const auto at = static_cast<std::size_t>(
        std::find(out.attributes_.begin(), out.attributes_.end(), truth) - out.attributes_.begin());
    const std::string unknown = NullPolicy::from(asked.null).text();
    for (const std::uint32_t code : out.table_.codes[at]) {
      const std::string& value = rows.dictionary(at)[code];
      out.truth_.push_back(value == unknown ? "" : value);
    }
  }
  if (!out.columns_.within.empty()) out.strata_ = out.cells_of(out.columns_.within, rows);
  if (wanted.rule && !wanted.rule->parts().strata.attributes().empty()) {
    out.of_rule_ = out.cells_of(wanted.rule->parts().strata.attributes(), rows);
  }
  for (const RuleFile* file : wanted.rules) {
    const std::vector<std::string>& needed = file->cells().attributes();
    out.beside_.push_back(needed.empty() ? std::nullopt
                                         : std::optional(out.cells_of(needed, rows)));
  }
  return out;
}

Cells SoftTable::cells_of(const std::vector<std::string>& attributes, Rows& rows) const {
  std::vector<Attribute> columns;
  for (const std::string& name : attributes) {
    const auto at = static_cast<std::size_t>(
        std::find(attributes_.begin(), attributes_.end(), name) - attributes_.begin());
    columns.push_back({name, {}, table_.codes[at], rows.dictionary(at)});
  }
  return Cells::from(columns);
}

std::span<const double> SoftTable::label() const noexcept {
  if (!columns_.label) return {};
  return table_.numbers[1 + probabilities_.size()];
}

std::span<const double> SoftTable::weight() const noexcept {
  if (!columns_.weight) return {};
  return table_.numbers.back();
}

SoftRows SoftTable::rows() const {
  SoftRows out{score(), {}, strata_ ? &*strata_ : nullptr};
  std::vector<SoftColumn>* const lists[] = {&out.columns, &out.favorable, &out.unfavorable};
  for (std::size_t k = 0; k < lists_.size(); ++k) {
    for (const std::string& name : lists_[k]) {
      const auto at =
          static_cast<std::size_t>(std::find(soft_.begin(), soft_.end(), name) - soft_.begin());
      lists[k]->push_back({name, table_.numbers[1 + at]});
    }
  }
  return out;
}

void SoftTable::refuse_unknown(const Cells& cells, const CellNames& known) const {
  std::vector<std::uint64_t> counts(cells.names.size());
  for (const CellCode code : cells.codes) ++counts[code];
  refuse_unseen(name_, cells.names, counts, known,
                "refit it, or leave these people out with --sql");
}

std::vector<double> SoftTable::decided_by(const SoftRule& rule, const Cells* strata) const {
  if (strata) refuse_unknown(*strata, rule.parts().strata);
  SoftRows everything{score(), {}, strata};
  for (std::size_t j = 0; j < probabilities_.size(); ++j) {
    everything.columns.push_back({probabilities_[j], table_.numbers[1 + j]});
  }
  return rule.probability(everything);
}

std::vector<double> SoftTable::decided_by(const SoftRule& rule) const {
  return decided_by(rule, of_rule_ ? &*of_rule_ : nullptr);
}

std::vector<double> SoftTable::decided_by(const std::vector<const RuleFile*>& rules,
                                          std::size_t i) const {
  const Cells* const cells = beside_[i] ? &*beside_[i] : nullptr;
  if (rules[i]->soft()) return decided_by(std::get<SoftRule>(rules[i]->rule), cells);
  const Rule& rule = rules[i]->hard();
  if (!cells) return rule.probability(std::vector<CellCode>(size(), 0), score());
  refuse_unknown(*cells, rule.cells());
  return rule.probability(*cells, score());
}

}  // namespace evenhand::cli
