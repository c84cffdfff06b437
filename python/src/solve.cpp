#include <evenhand/blind.h>
#include <evenhand/fit_words.h>

#include <optional>
#include <utility>
#include <variant>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "options.h"
#include "solution.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

Criterion make_criterion(const std::string& name, std::vector<std::string> sensitive,
                         std::vector<std::string> within, const std::string& across,
                         std::optional<double> tolerance, std::optional<double> ratio,
                         const std::optional<std::variant<double, std::string>>& rho,
                         std::vector<std::string> require) {
  CriterionOptions options{.roles = {},
                           .tolerance = tolerance,
                           .ratio = ratio,
                           .rho = {},
                           .require = std::move(require)};
  const Across asked = across_from(across);
  // Requirements alone compare no groups: they name their own.
  options.roles.within = std::move(within);
  if (!name.empty()) {
    options.roles.sensitive = std::move(sensitive);
    options.roles.across = asked;
  }
  if (rho) {
    const auto* const word = std::get_if<std::string>(&*rho);
    if (!word) {
      options.rho = Rho::given(std::get<double>(*rho));
    } else if (*word == "base") {
      options.rho = Rho::base();
    } else if (*word == "best") {
      options.rho = Rho::best();
    } else {
      throw std::invalid_argument("rho is a number, 'base' or 'best'");
    }
  }
  return criterion_from(name, options);
}

nb::list rates_of(const Criterion& criterion) {
  nb::list out;
  for (const Rate rate : criterion.rates) {
    out.append(rate == Rate::selection       ? "selection_rate"
               : rate == Rate::true_positive ? "true_positive_rate"
                                             : "false_positive_rate");
  }
  return out;
}

nb::dict record_of_criterion(const Criterion& criterion) {
  nb::dict out;
  out["name"] = criterion.rates.empty() ? std::string("requirements") : criterion.name;
  if (!criterion.rates.empty()) {
    out["sensitive"] = nb::cast(criterion.roles.sensitive);
    out["within"] = nb::cast(criterion.roles.within);
    if (criterion.roles.across != Across::intersection) {
      out["across"] = criterion.roles.across == Across::marginal ? "marginal" : "both";
    }
    if (criterion.relation == Relation::ratio) {
      out["ratio"] = criterion.ratio;
    } else {
      out["tolerance"] = criterion.tolerance;
    }
    if (criterion.all_cells) {
      out["rho"] = criterion.rho.kind == Rho::Kind::given  ? nb::cast(criterion.rho.value)
                   : criterion.rho.kind == Rho::Kind::base ? nb::cast("base")
                                                           : nb::cast("best");
    }
  }
  if (!criterion.require.empty()) out["require"] = nb::cast(criterion.require);
  return out;
}

Solution solved(const Tally& tally, const Criterion& criterion, const SolveOptions& options) {
  const nb::gil_scoped_release released;
  return solve(tally, criterion, options);
}

nb::list cell_records(const Solution& fit, const CellNames& names) {
  nb::list out;
  for (CellCode c = 0; c < fit.cells.size(); ++c) {
    const CellOutcome& cell = fit.cells[c];
    nb::dict record;
    record["cell"] = values_record(names.attributes(), names.values(c));
    record["name"] = names.name(c);
    record["compared"] = cell.compared;
    record["reason"] = cell.reason;
    record["rate"] = cell.rate;
    record["multiplier"] = cell.multiplier;
    record["bound"] = std::string(to_string(cell.bound));
    record["lottery_share"] = cell.lottery_share;
    record["benefits"] = std::string(to_string(cell.benefits));
    out.append(record);
  }
  return out;
}

nb::list stratum_records(const Solution& fit) {
  nb::list out;
  for (const StratumOutcome& stratum : fit.strata) {
    nb::dict record;
    record["stratum"] = stratum.values.size() == fit.criterion.roles.within.size()
                            ? values_record(fit.criterion.roles.within, stratum.values)
                            : nb::dict();
    record["compared"] = nb::cast(stratum.compared);
    record["lowest"] = stratum.lowest;
    record["highest"] = stratum.highest;
    out.append(record);
  }
  return out;
}

}  // namespace

std::string record_text(FitRecord record, const Solution& fit, const Tally& tally,
                        const TallySource& source, const ConfidenceBound& bound) {
  const nb::gil_scoped_release released;
  record.bound = bound;
  record.add({tally, source}, fit);
  return record.to_json();
}

nb::dict solution_record(const Solution& fit, const Tally& tally) {
  nb::dict out = proof_record(fit);
  out["cells"] = cell_records(fit, tally.cells());
  out["strata"] = stratum_records(fit);
  out["constraints"] = record_of(fit.constraints);
  if (fit.infeasibility) out["infeasibility"] = record_of(*fit.infeasibility, fit.criterion);
  return out;
}

nb::dict words_of(const Solution& fit, const Tally& tally) {
  std::vector<std::string> coins;
  std::optional<Promise> promise;
  {
    const nb::gil_scoped_release released;
    if (fit.status != Status::approximate) coins = coins_in_words(tally, fit);
    promise = promise_of(tally, fit);
  }
  nb::dict out;
  out["criterion"] = in_words(fit.criterion);
  out["proof"] = proof_in_words(fit.status, fit.gap, fit.violation);
  out["not_compared"] = nb::cast(not_compared_in_words(fit, tally.cells()));
  out["coins"] = nb::cast(coins);
  out["promise"] = promise ? nb::cast(in_words(*promise, fit.options.costs)) : nb::none();
  return out;
}

void bind_solve(nb::module_& m) {
  nb::class_<Criterion>(m, "Criterion")
      .def_ro("name", &Criterion::name)
      .def_prop_ro("rates", &rates_of, nb::sig("def rates(self) -> list[str]"))
      .def_prop_ro("sensitive", [](const Criterion& c) { return c.roles.sensitive; })
      .def_prop_ro("within", [](const Criterion& c) { return c.roles.within; })
      .def_ro("all_cells", &Criterion::all_cells)
      .def_prop_ro("is_ratio", [](const Criterion& c) { return c.relation == Relation::ratio; })
      .def("record", &record_of_criterion, nb::sig("def record(self) -> dict[str, typing.Any]"));
  m.def("criterion", &make_criterion, nb::arg("name"), nb::arg("sensitive"), nb::arg("within"),
        nb::arg("across"), nb::arg("tolerance").none(), nb::arg("ratio").none(),
        nb::arg("rho").none(), nb::arg("require"));
  m.def(
      "no_worse",
      [](const std::string& measure, std::vector<std::string> sensitive,
         std::vector<std::string> within) {
        return no_worse(measure, {std::move(sensitive), std::move(within)});
      },
      nb::arg("measure"), nb::arg("sensitive"), nb::arg("within"));
  nb::class_<Solution> solution(m, "Solution");
  bind_in_words(solution, &words_of, &solution_record);
  solution.def_ro("rule", &Solution::rule)
      .def_ro("notes", &Solution::notes)
      .def_prop_ro("infeasible",
                   [](const Solution& fit) { return fit.status == Status::infeasible; })
      .def(
          "fit_record",
          [](const Solution& fit, const Tally& tally, const TallySource& source,
             const ConfidenceBound& bound) {
            return record_text(FitRecord::of(fit), fit, tally, source, bound);
          },
          nb::arg("tally"), nb::arg("source"), nb::arg("bound"))
      .def(
          "constant_in_words",
          [](const Solution& fit, const Tally& tally) {
            const nb::gil_scoped_release released;
            return constant_rule_in_words(tally, fit);
          },
          nb::arg("tally"));
  m.def("solve", &solved, nb::arg("tally"), nb::arg("criterion"), nb::arg("options"));
  m.def(
      "blind_in_words",
      [](const Tally& tally, std::vector<std::string> sensitive, std::vector<std::string> within,
         const Solution& blind) {
        const nb::gil_scoped_release released;
        return in_words(blind_price(tally, {std::move(sensitive), std::move(within)}, blind),
                        blind.options.costs);
      },
      nb::arg("tally"), nb::arg("sensitive"), nb::arg("within"), nb::arg("blind"));
}

}  // namespace evenhand::python
