#include <evenhand/audit_json.h>
#include <evenhand/fit_record.h>
#include <evenhand/fit_words.h>
#include <evenhand/soft.h>
#include <evenhand/soft_audit.h>
#include <evenhand/soft_check.h>
#include <evenhand/soft_report.h>
#include <evenhand/solve_json.h>
#include <evenhand/verify.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include "arrays.h"
#include "columns.h"
#include "options.h"
#include "records.h"
#include "rule_file.h"
#include "soft_rows.h"

namespace evenhand::python {
namespace {

SoftSolution solved_soft(const NumberColumn& score, const NumberColumns& columns,
                         const AttributeColumns& within, const NumberColumn* weight,
                         const std::string& scale, const std::string& favorable, double cost_fp,
                         double cost_fn, double gamma, bool exhaustive, unsigned threads,
                         const std::string& criterion, double tolerance, double ratio,
                         const SoftRoles& roles) {
  std::vector<double> weights;
  SoftOptions options{.scale = scale_from(scale),
                      .favorable = favorable_from(favorable),
                      .costs = {cost_fp, cost_fn},
                      .gamma = gamma,
                      .exhaustive = exhaustive,
                      .threads = threads,
                      .criterion = criterion,
                      .tolerance = tolerance,
                      .ratio = ratio};
  if (weight) {
    weight->refuse_missing();
    options.weight = weight->doubles(weights);
  }
  return with_rows(
      score, columns, within, [&](const SoftRows& rows) { return solve_soft(rows, options); },
      &roles);
}

std::vector<Rate> soft_rates_of(const std::string& criterion) {
  const auto& rates = find_criterion(criterion).rates;
  return {rates.begin(), rates.end()};
}

// With `first`, the decisions of the first of several rules: those of q beside them.
nb::object audited(const NumberColumn& score, const NumberColumns& columns,
                   const AttributeColumns& within, const NumberColumn* q,
                   const NumberColumn* weight, const NumberColumn* label, const std::string& scale,
                   const std::string& favorable, double cost_fp, double cost_fn, bool decisions,
                   const std::string& criterion, const SoftRoles& roles,
                   const NumberColumn* first) {
  std::vector<double> weights, labels, probabilities, others;
  SoftAuditOptions options{.scale = scale_from(scale),
                           .favorable = favorable_from(favorable),
                           .costs = {cost_fp, cost_fn},
                           .decisions = decisions,
                           .rates = soft_rates_of(criterion)};
  for (const NumberColumn* column : {weight, label}) {
    if (column) column->refuse_missing();
  }
  if (weight) options.weight = weight->doubles(weights);
  if (label) options.label = label->doubles(labels);
  std::vector<std::string> names;
  for (const AttributeColumn* attribute : within) names.push_back(attribute->name);
  const nlohmann::ordered_json audit = with_rows(
      score, columns, within,
      [&](const SoftRows& rows) {
        if (!q) return to_json(audit_soft(rows, options), names);
        const auto by = q->doubles(probabilities);
        if (!first) return to_json(audit_soft(rows, by, options), names);
        return to_json(audit_soft_beside(rows, first->doubles(others), by, options), names);
      },
      &roles);
  return to_python(audit);
}

auto probability_by_soft_rule(const SoftRule& rule, const NumberColumn& score,
                              const NumberColumns& columns, const AttributeColumns& within,
                              const std::string& unseen) {
  const Unseen policy = unseen_from(unseen);
  return array_of(with_rows(score, columns, within,
                            [&](const SoftRows& rows) { return rule.probability(rows, policy); }));
}

auto soft_decide_by_key(const SoftRule& rule, const NumberColumn& score,
                        const NumberColumns& columns, const AttributeColumns& within,
                        const TextColumn& ids, const nb::bytes& key, const std::string& unseen) {
  const Unseen policy = unseen_from(unseen);
  const Coin coin = Coin::keyed({key.c_str(), key.size()});
  return array_of(with_rows(score, columns, within, [&](const SoftRows& rows) {
    return rule.decide(rows, ids.views(), coin, policy);
  }));
}

auto soft_decide_by_seed(const SoftRule& rule, const NumberColumn& score,
                         const NumberColumns& columns, const AttributeColumns& within,
                         std::uint64_t seed, const std::string& unseen) {
  const Unseen policy = unseen_from(unseen);
  const Coin coin = Coin::seeded(seed);
  return array_of(with_rows(score, columns, within,
                            [&](const SoftRows& rows) { return rule.decide(rows, coin, policy); }));
}

nb::dict record_of_rate(const SoftRate& rate) {
  nb::dict out;
  out["column"] = rate.column;
  out["mean"] = rate.mean;
  out["compared"] = rate.compared;
  out["rate"] = rate.rate;
  out["others"] = rate.others;
  out["multiplier"] = rate.multiplier;
  if (rate.of != Rate::selection) out["of"] = std::string(rate_of(rate.of).name);
  return out;
}

nb::dict record_of_soft(const SoftSolution& fit) {
  nb::dict out = proof_record(fit);
  const std::vector<std::string>& within = fit.rule.parts().strata.attributes();
  nb::list strata;
  for (const SoftStratumOutcome& stratum : fit.strata) {
    nb::dict record;
    record["stratum"] = values_record(within, stratum.values);
    record["weight"] = stratum.weight;
    record["distinct"] = stratum.distinct;
    nb::list columns;
    for (const SoftRate& rate : stratum.columns) columns.append(record_of_rate(rate));
    record["columns"] = columns;
    record["lottery_share"] = stratum.lottery_share;
    strata.append(record);
  }
  out["strata"] = strata;
  out["tolerance"] = fit.tolerance;
  if (fit.ratio) out["ratio"] = *fit.ratio;
  return out;
}

// The columns against the true groups, as a record and in words.
nb::tuple checked(const SoftRule& rule, const NumberColumn& score, const NumberColumns& columns,
                  const AttributeColumns& within, const AttributeColumn& truth,
                  const NumberColumn* weight, const NumberColumn* label,
                  const std::string& criterion) {
  std::vector<double> weights, labels;
  const auto counts = weight ? weight->doubles(weights) : std::span<const double>();
  const std::vector<Rate> rates = soft_rates_of(criterion);
  const SoftOutcomes outcomes{label ? label->doubles(labels) : std::span<const double>(),
                              rule.parts().reading.favorable, rates};
  const SoftCheck found = with_rows(score, columns, within, [&](const SoftRows& rows) {
    std::vector<std::string> groups;
    for (const std::uint32_t code : truth.codes) {
      groups.push_back(code == missing_code ? std::string() : truth.dictionary[code]);
    }
    return check_soft(rows, groups, rule.probability(rows), counts, outcomes);
  });
  return nb::make_tuple(to_python(to_json(found)), in_words(found, truth.name));
}

std::string verified_soft(const NumberColumn& score, const NumberColumns& columns,
                          const AttributeColumns& within, const NumberColumn* weight,
                          const std::string& rule) {
  std::vector<double> weights;
  if (weight) weight->refuse_missing();
  const auto counts = weight ? weight->doubles(weights) : std::span<const double>();
  return with_rows(score, columns, within, [&](const SoftRows& rows) {
    const RecordedRule read = RecordedRule::from_json(rule);
    Verification found = verify(rows, counts, std::get<SoftRule>(read.rule), read.fit);
    check_members(rule, found);
    return found.to_json();
  });
}

// All of the first, then those of the second that are new.
std::vector<std::string> in_turn(std::vector<std::string> first,
                                 const std::vector<std::string>& second) {
  for (const std::string& name : second) {
    if (std::find(first.begin(), first.end(), name) == first.end()) first.push_back(name);
  }
  return first;
}

// Selection rate, accuracy, cost and largest difference.
using Summary = std::tuple<double, double, double, std::optional<double>>;

SoftSummary summary_of(const Summary& summary) {
  const auto& [selection_rate, accuracy, cost, largest_difference] = summary;
  return {selection_rate, accuracy, cost, largest_difference};
}

nb::list strata_of(const SoftRule& rule) {
  nb::list out;
  const SoftRuleParts& parts = rule.parts();
  for (CellCode c = 0; c < parts.strata.size(); ++c) {
    nb::dict record;
    record["stratum"] = values_record(parts.strata.attributes(), parts.strata.values(c));
    record["means"] = nb::cast(parts.of[c].means);
    record["multipliers"] = nb::cast(parts.of[c].multipliers);
    record["tie_width"] = parts.of[c].tie_width;
    record["tie_slopes"] = nb::cast(parts.of[c].tie_slopes);
    out.append(record);
  }
  return out;
}

}  // namespace

void bind_soft(nb::module_& m) {
  nb::class_<SoftRule> bound(m, "SoftRule");
  bind_rule_file(bound);
  bound
      .def("probability", &probability_by_soft_rule, nb::arg("score"), nb::arg("columns"),
           nb::arg("within"), nb::arg("unseen"))
      .def("decide_by_key", &soft_decide_by_key, nb::arg("score"), nb::arg("columns"),
           nb::arg("within"), nb::arg("ids"), nb::arg("key"), nb::arg("unseen"))
      .def("decide_by_seed", &soft_decide_by_seed, nb::arg("score"), nb::arg("columns"),
           nb::arg("within"), nb::arg("seed"), nb::arg("unseen"))
      .def_prop_ro("columns", [](const SoftRule& rule) { return rule.parts().columns; })
      .def_prop_ro("within", [](const SoftRule& rule) { return rule.parts().strata.attributes(); })
      .def_prop_ro("gamma", [](const SoftRule& rule) { return rule.parts().gamma; })
      .def_prop_ro("strata", &strata_of, nb::sig("def strata(self) -> list[dict[str, typing.Any]]"))
      .def("describe", &SoftRule::describe);
  nb::class_<SoftSolution>(m, "SoftSolution")
      .def_ro("rule", &SoftSolution::rule)
      .def("proof_in_words",
           [](const SoftSolution& fit) {
             return proof_in_words(fit.status, fit.gap, fit.violation);
           })
      .def(
          "fit_record",
          [](const SoftSolution& fit, const TallySource& source, const SoftRoles& roles,
             bool labelled, const Summary& before, const Summary& after) {
            const auto& [soft, favorable, unfavorable] = roles;
            FitRecord record = FitRecord::of(fit);
            record.add(source, soft.empty() ? in_turn(favorable, unfavorable) : soft, fit);
            record.columns->soft_favorable = favorable;
            record.columns->soft_unfavorable = unfavorable;
            record.labelled = labelled;
            record.before = summary_of(before);
            record.after = summary_of(after);
            return record.to_json();
          },
          nb::arg("source"), nb::arg("roles"), nb::arg("labelled"), nb::arg("before"),
          nb::arg("after"))
      .def("record", &record_of_soft, nb::sig("def record(self) -> dict[str, typing.Any]"));
  m.def(
      "soft_assumption",
      [](const std::string& criterion, bool given_outcome) {
        return std::string(soft_assumption(soft_rates_of(criterion), given_outcome));
      },
      nb::arg("criterion"), nb::arg("given_outcome"));
  m.def("check_soft", &checked, nb::arg("rule"), nb::arg("score"), nb::arg("columns"),
        nb::arg("within"), nb::arg("truth"), nb::arg("weight").none(), nb::arg("label").none(),
        nb::arg("criterion"),
        nb::sig("def check_soft(rule: SoftRule, score: Numbers, columns: "
                "collections.abc.Sequence[Numbers], within: collections.abc.Sequence[Attribute], "
                "truth: Attribute, weight: Numbers | None, label: Numbers | None, criterion: str) "
                "-> tuple[dict[str, typing.Any], list[str]]"));
  m.def("verify_soft", &verified_soft, nb::arg("score"), nb::arg("columns"), nb::arg("within"),
        nb::arg("weight").none(), nb::arg("rule"));
  m.def("solve_soft", &solved_soft, nb::arg("score"), nb::arg("columns"), nb::arg("within"),
        nb::arg("weight").none(), nb::arg("scale"), nb::arg("favorable"), nb::arg("cost_fp"),
        nb::arg("cost_fn"), nb::arg("gamma"), nb::arg("exhaustive"), nb::arg("threads"),
        nb::arg("criterion"), nb::arg("tolerance"), nb::arg("ratio"), nb::arg("roles"));
  m.def("audit_soft", &audited, nb::arg("score"), nb::arg("columns"), nb::arg("within"),
        nb::arg("q").none(), nb::arg("weight").none(), nb::arg("label").none(), nb::arg("scale"),
        nb::arg("favorable"), nb::arg("cost_fp"), nb::arg("cost_fn"), nb::arg("decisions"),
        nb::arg("criterion"), nb::arg("roles"), nb::arg("first").none() = nb::none(),
        nb::sig(
            "def audit_soft(score: Numbers, columns: collections.abc.Sequence[Numbers], within: "
            "collections.abc.Sequence[Attribute], q: Numbers | None, weight: Numbers | None, "
            "label: Numbers | "
            "None, scale: str, favorable: str, cost_fp: float, cost_fn: float, decisions: "
            "bool, criterion: str, roles: tuple[collections.abc.Sequence[str], "
            "collections.abc.Sequence[str], collections.abc.Sequence[str]], first: Numbers | None "
            "= None) -> dict[str, typing.Any]"));
  m.def(
      "asks_for_group",
      [](const std::string& rule, const std::vector<std::string>& within) {
        const RecordedRule read = RecordedRule::from_json(rule);
        return asks_for_group(read.rule, read.fit, within);
      },
      nb::arg("rule"), nb::arg("within"));
  m.def(
      "compared_by",
      [](const std::string& rule) { return compared_by(RecordedRule::from_json(rule).fit); },
      nb::arg("rule"));
  m.def(
      "is_soft_rule", [](const std::string& json) { return is_soft_rule(json); }, nb::arg("json"));
}

}  // namespace evenhand::python
