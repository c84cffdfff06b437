#include "sql.h"

#include <evenhand/segments.h>
#include <evenhand/sql.h>

#include <limits>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace evenhand::python {
namespace {

namespace nb = nanobind;

SqlApplyOptions deciding(const std::string& dialect, const std::string& table,
                         const std::string& select, const std::string& score, const std::string& id,
                         const std::string& unseen, const std::string& null_name,
                         const std::string& probability, const std::string& decision) {
  return {.dialect = dialect_from(dialect),
          .source = {table, select},
          .score = score,
          .id = id,
          .unseen = unseen_from(unseen),
          .null_name = null_name,
          .probability = probability,
          .decision = decision};
}

template <class AnyOfThem>
std::string apply(const AnyOfThem& rule, const std::string& dialect, const std::string& table,
                  const std::string& select, const std::string& score, const std::string& id,
                  const std::string& unseen, const std::string& null_name,
                  const std::string& probability, const std::string& decision) {
  return sql_apply(
      rule, deciding(dialect, table, select, score, id, unseen, null_name, probability, decision));
}

template <class AnyOfThem>
std::pair<std::string, std::string> expressions(const AnyOfThem& rule, const std::string& dialect,
                                                const std::string& score, const std::string& id,
                                                const std::string& unseen,
                                                const std::string& null_name,
                                                const std::string& key_column, bool whole_ids,
                                                const std::string& probability) {
  SqlApplyOptions options =
      deciding(dialect, "", "", score, id, unseen, null_name, probability, "");
  options.key_column = key_column;
  options.whole_ids = whole_ids;
  const SqlDecision made = sql_decision(rule, options);
  return {made.probability, made.decision};
}

std::string count(bool decisions, const std::string& dialect, const std::string& table,
                  const std::string& select, const std::string& score,
                  const std::vector<std::string>& attributes, const std::string& label,
                  const std::string& weight, const std::string& scale, const std::string& favorable,
                  const std::string& resolution, const std::string& null, bool numeric_label) {
  const SqlTallyOptions options{.dialect = dialect_from(dialect),
                                .source = {table, select},
                                .score = score,
                                .attributes = attributes,
                                .label = label,
                                .weight = weight,
                                .reading = {scale_from(scale), favorable_from(favorable)},
                                .resolution = resolution_from(resolution),
                                .null = null,
                                .numeric_label = numeric_label};
  return decisions ? sql_audit(options) : sql_tally(options);
}

// What a look-up needs: for each cell, and last for those never seen, its segments.
nb::dict segments(const Rule& rule, const std::string& unseen) {
  const RuleParts& parts = rule.parts();
  const auto listed = [](const std::vector<Segment>& all) {
    nb::list out;
    for (const Segment& one : all) {
      out.append(nb::make_tuple(one.from, one.p, one.rise, one.a, one.width, one.most,
                                one.halves ? 0.5 : 1.0));
    }
    return out;
  };
  nb::list cells;
  for (CellCode c = 0; c < parts.cells.size(); ++c) {
    cells.append(listed(segments_of(rule, c, false)));
  }
  const Unseen policy = unseen_from(unseen);
  cells.append(listed(policy == Unseen::error
                          ? std::vector<Segment>{{.p = std::numeric_limits<double>::quiet_NaN()}}
                          : unseen_segments(rule, policy)));
  nb::dict out;
  out["segments"] = cells;
  out["names"] = nb::make_tuple("from", "p", "rise", "a", "width", "most", "scale");
  out["level"] = parts.level;
  out["lowest"] = parts.reading.lowest();
  out["highest"] = parts.reading.highest();
  return out;
}

}  // namespace

void bind_sql(nb::module_& m) {
  const auto bind = [&](auto kind) {
    using Kind = decltype(kind);
    m.def("sql_apply", &apply<Kind>, nb::arg("rule"), nb::arg("dialect"), nb::arg("table"),
          nb::arg("select"), nb::arg("score"), nb::arg("id"), nb::arg("unseen"),
          nb::arg("null_name"), nb::arg("probability"), nb::arg("decision"));
    m.def("sql_decision", &expressions<Kind>, nb::arg("rule"), nb::arg("dialect"), nb::arg("score"),
          nb::arg("id"), nb::arg("unseen"), nb::arg("null_name"), nb::arg("key_column"),
          nb::arg("whole_ids"), nb::arg("probability"));
  };
  bind(Rule());
  bind(SoftRule());
  m.def("sql_count", &count, nb::arg("decisions"), nb::arg("dialect"), nb::arg("table"),
        nb::arg("select"), nb::arg("score"), nb::arg("attributes"), nb::arg("label"),
        nb::arg("weight"), nb::arg("scale"), nb::arg("favorable"), nb::arg("resolution"),
        nb::arg("null"), nb::arg("numeric_label"));
  m.def("rule_segments", &segments, nb::arg("rule"), nb::arg("unseen"),
        nb::sig("def rule_segments(rule: Rule, unseen: str) -> dict[str, typing.Any]"));
  m.def(
      "sql_key",
      [](const nb::bytes& key, const std::string& dialect) {
        const Coin coin = Coin::keyed({key.c_str(), key.size()});
        return dialect.empty() ? coin.prefix() : sql_key(dialect_from(dialect), coin);
      },
      nb::arg("key"), nb::arg("dialect"));
}

}  // namespace evenhand::python
