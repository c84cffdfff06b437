#include <evenhand/explain.h>
#include <evenhand/names.h>
#include <evenhand/text.h>

#include <algorithm>

#include <fmt/format.h>

#include "commands/coin_options.h"
#include "commands/commands.h"
#include "data/rows.h"
#include "data/rule_file.h"
#include "data/unseen.h"
#include "data/values.h"
#include "error.h"
#include "options.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

struct ExplainArguments : DecidingOptions {  // its score: a number; with DATA a column
  DataOptions data;
  std::vector<std::string> group;
  std::vector<std::string> soft;
  CoinOptions coins;
  bool json = false;

  bool rows() const { return !data.input.data.empty() || !data.input.sql.empty(); }
};

// The values of these names, from texts such as "sex=F". Throws UserError unless each is given
// once.
std::vector<std::string> values_of(const std::vector<std::string>& names,
                                   const std::vector<std::string>& given, std::string_view option,
                                   std::string_view rule) {
  std::vector<std::optional<std::string>> found(names.size());
  for (const std::string& text : given) {
    // Names may contain "=": the longest that fits is meant.
    std::size_t at = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool fits = text.size() > names[i].size() && text.starts_with(names[i]) &&
                        text[names[i].size()] == '=';
      if (fits && (at == names.size() || names[i].size() > names[at].size())) at = i;
    }
    if (at == names.size()) {
      throw UserError(names.empty()
                          ? fmt::format("{} asks for nothing of the kind: leave out {} {}", rule,
                                        option, shown(text))
                          : fmt::format("{} {}: {} asks for {}, each as NAME=VALUE", option,
                                        shown(text), rule, shown(names)));
    }
    if (found[at]) throw UserError(fmt::format("{} {} is given twice", option, shown(names[at])));
    found[at] = text.substr(names[at].size() + 1);
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!found[i]) {
      throw UserError(fmt::format("{} asks for {}: give {} {}=VALUE", rule, shown(names[i]), option,
                                  shown(names[i])));
    }
    out.push_back(*found[i]);
  }
  return out;
}

using Values = std::vector<std::optional<std::string>>;  // of the attributes; none: missing

std::string group_in_words(const std::vector<std::string>& attributes, const Values& values) {
  if (attributes.empty()) return "everyone";
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("{}{}={}", i > 0 ? ", " : "", quoted_if_needed(attributes[i], 60),
                       values[i] ? quoted_if_needed(*values[i], 60) : "(missing)");
  }
  return out;
}

class Explainer {
 public:
  Explainer(const RuleFile& file, Unseen unseen) : file_(file), unseen_(unseen) {}

  Explanation operator()(const Values& values, double score, std::span<const double> columns,
                         std::optional<double> coin) const {
    const CellCode cell = cell_of(values);
    if (cell == unseen_cell && unseen_ == Unseen::error) {
      throw UserError(
          fmt::format("{} has never seen {}; refit it, or choose --unseen score or reject",
                      shown(file_.path), group_in_words(file_.cells().attributes(), values)));
    }
    if (file_.soft()) {
      return explain(std::get<SoftRule>(file_.rule), cell, score, columns, coin, unseen_);
    }
    return explain(file_.hard(), cell, score, coin, unseen_);
  }

 private:
  CellCode cell_of(const Values& values) const {
    std::vector<std::string_view> views;
    for (const std::optional<std::string>& value : values) {
      if (!value) return unseen_cell;
      views.emplace_back(*value);
    }
    return file_.cells().find(views).value_or(unseen_cell);
  }

  const RuleFile& file_;
  Unseen unseen_;
};

Json to_json(const Explanation& one, const std::vector<std::string>& attributes,
             const Values& values) {
  Json out;
  out["group"] = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i) {
    out["group"][attributes[i]] = values[i] ? Json(*values[i]) : Json(nullptr);
  }
  if (one.unseen) out["unseen"] = true;
  out["score"] = one.score;
  out["probability"] = one.probability;
  out["decision"] = one.positive ? Json(*one.positive ? 1 : 0) : Json(nullptr);
  out["coin"] = optional_json(one.coin);
  out["score_for_certain"] = optional_json(one.for_certain);
  out["score_for_a_chance"] = optional_json(one.for_a_chance);
  out["words"] = one.in_words();
  return out;
}

std::string person_in_words(const Explanation& one, const std::vector<std::string>& attributes,
                            const Values& values) {
  const std::string policy = one.unseen ? " (a group that the rule does not know)" : "";
  return fmt::format("{}{}: {}\n", group_in_words(attributes, values), policy, one.in_words());
}

int explain_person(const ExplainArguments& options, const RuleFile& file) {
  if (options.score.empty()) {
    throw UserError("give DATA, or one person: --score NUMBER and --group NAME=VALUE");
  }
  const double score = number_from(options.score, "--score");
  const std::string path = shown(file.path);
  const std::vector<std::string>& attributes = file.cells().attributes();
  const std::vector<std::string> given = values_of(attributes, options.group, "--group", path);
  const Values values(given.begin(), given.end());
  std::vector<double> columns;
  for (const std::string& text : values_of(file.soft_columns(), options.soft, "--soft", path)) {
    columns.push_back(number_from(text, "--soft"));
  }
  std::optional<double> coin;
  if (!options.coins.id.empty()) {
    coin = options.coins.coin()(options.coins.id);
  } else if (!options.coins.key_file.empty() || !options.coins.seed.empty()) {
    throw UserError("about one person, a coin needs --id, who it is, and --key-file");
  }
  const Explanation one =
      Explainer(file, unseen_from(options.unseen))(values, score, columns, coin);
  if (options.json) {
    print(to_json(one, attributes, values).dump(2) + "\n");
  } else {
    print_for_people(person_in_words(one, attributes, values));
  }
  return exit_done;
}

int explain_rows(const ExplainArguments& options, const RuleFile& file) {
  if (!options.group.empty() || !options.soft.empty()) {
    throw UserError("--group and --soft are about one person: leave them out, or DATA");
  }
  const std::string score_name = options.score.empty() ? file.columns().score : options.score;
  if (score_name.empty()) {
    throw UserError("the rule does not say which column has the score: give --score");
  }
  const Unseen unseen = unseen_from(options.unseen);
  const Coin coin = options.coins.coin();
  const bool keyed = !options.coins.id.empty();
  const Input input(options.data.input);
  if (input.is_sql() && !keyed && !options.coins.seed.empty()) {
    throw UserError("the order of a SELECT's rows is not fixed: give --id and --key-file");
  }
  Database database(options.data.database, input);
  const Source source(database, input);
  const Column& score = source.column(score_name, "--score");
  RowQuery query;
  query.numbers.push_back({score, false, {score_check(score, file.reading())}});
  for (const std::string& name : file.soft_columns()) {
    const Column& column = source.column(name, "a soft column of the rule");
    query.numbers.push_back({column, false, {probability_check(column)}});
  }
  const std::vector<std::string>& attributes = file.cells().attributes();
  for (const std::string& name : attributes) {
    query.attributes.push_back(source.column(name, "an attribute of the rule").name);
  }
  if (keyed) {
    query.attributes.push_back(source.column(options.coins.id, "--id").name);
    throw_if_missing(database, source, {query.attributes.back()}, "everybody needs an id");
  }
  refuse_bad_numbers(database, source, file, score);
  // Every row is explained. As in apply, missing groups that have no name are unknown to the rule.
  query.nulls = NullPolicy::from(options.null.empty() ? file.columns().null : options.null);
  if (query.nulls.kind != NullPolicy::Kind::name) {
    query.nulls = {};
    query.keeps_missing = true;
    if (unseen == Unseen::error) refuse_missing_groups(database, source, file.cells());
  }
  Rows rows(database, source, std::move(query));
  const RowTable table = all_rows(rows, "reading");
  if (table.size == 0) throw_no_rows(source, rows.excluded());
  rows.explain();
  const Explainer explained(file, unseen);
  // Without a key or a seed there is no coin to speak of.
  const bool draws = keyed || !options.coins.seed.empty();
  Json all = Json::array();
  std::string text;
  for (std::size_t i = 0; i < table.size; ++i) {
    Values values(attributes.size());
    for (std::size_t a = 0; a < attributes.size(); ++a) {
      const std::uint32_t code = table.codes[a][i];
      if (code != missing_text) values[a] = rows.dictionary(a)[code];
    }
    std::vector<double> columns;
    for (std::size_t j = 1; j < table.numbers.size(); ++j) columns.push_back(table.numbers[j][i]);
    std::string id;
    if (keyed) id = rows.dictionary(attributes.size())[table.codes[attributes.size()][i]];
    std::optional<double> drawn;
    if (draws) drawn = keyed ? coin(id) : coin(std::uint64_t{i});
    const Explanation one = explained(values, table.numbers[0][i], columns, drawn);
    if (options.json) {
      Json at;
      at["row"] = i + 1;
      if (keyed) at["id"] = id;
      at.update(to_json(one, attributes, values));
      all.push_back(std::move(at));
    } else {
      text += fmt::format("{}: {}", keyed ? shown(id) : fmt::format("row {}", with_commas(i + 1)),
                          person_in_words(one, attributes, values));
    }
  }
  if (options.json) {
    print(all.dump(2) + "\n");
  } else {
    print_for_people(text);
  }
  return exit_done;
}

int run_explain(const ExplainArguments& options) {
  const RuleFile file = read_rule(options.rule);
  return options.rows() ? explain_rows(options, file) : explain_person(options, file);
}

}  // namespace

void add_explain(Command& command, int& status) {
  command.footer(R"(Examples:
  evenhand explain --rule rule.json --score 0.42 --group sex=F
  evenhand explain --rule rule.json --score 0.42 --group sex=F --id p7 --key-file key
  evenhand explain --sql "FROM 'loans.csv' WHERE person = 7" --rule rule.json

Exit status: 0 done, 2 wrong input or options.)");
  ExplainArguments& options = command.runs(run_explain, status);
  add_data_options(command, options.data);
  add_deciding_options(command, options,
                       "The score of one person; with DATA, the column with the scores", "NUMBER");
  command
      .add_option("--group", options.group, "NAME=VALUE",
                  "One person: the group, such as sex=F; once for each attribute of the rule")
      ->one_at_a_time();
  command
      .add_option("--soft", options.soft, "NAME=VALUE",
                  "One person, for a rule of soft attributes: a probability, such as p_female=0.3")
      ->one_at_a_time();
  add_coin_options(command, options.coins,
                   "Who it is; with DATA, the column that identifies people");
  command.add_flag("--json", options.json, "Print the result as JSON");
}

}  // namespace evenhand::cli
