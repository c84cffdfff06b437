#include <evenhand/blind.h>
#include <evenhand/calibrate.h>
#include <evenhand/fit_record.h>
#include <evenhand/sgd.h>
#include <evenhand/solve.h>
#include <evenhand/theory.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "columns.h"
#include "options.h"
#include "records.h"

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
  if (!name.empty()) options.roles = {std::move(sensitive), std::move(within), asked};
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

Solution solved(const Tally& tally, const Criterion& criterion, double gamma, double cost_fp,
                double cost_fn, const std::string& calibrate, const std::string& calibrate_by,
                std::optional<Calibrator> calibrator, std::optional<double> base_threshold,
                unsigned threads, bool blind) {
  const SolveOptions options{.gamma = gamma,
                             .costs = {cost_fp, cost_fn},
                             .calibrate = calibration_from(calibrate),
                             .calibrate_by = calibrate_by_from(calibrate_by),
                             .calibrator = std::move(calibrator),
                             .base_threshold = base_threshold,
                             .blind = blind,
                             .threads = threads};
  const nb::gil_scoped_release released;
  return solve(tally, criterion, options);
}

SgdOptions sgd_options(double gamma, double cost_fp, double cost_fn, const std::string& calibrate,
                       const std::string& calibrate_by, std::optional<Calibrator> calibrator,
                       std::optional<double> base_threshold, const std::string& projection,
                       std::optional<double> learning_rate,
                       std::optional<std::uint64_t> record_every, unsigned threads) {
  return {.gamma = gamma,
          .costs = {cost_fp, cost_fn},
          .calibrate = calibration_from(calibrate),
          .calibrate_by = calibrate_by_from(calibrate_by),
          .calibrator = std::move(calibrator),
          .projection = projection_from(projection),
          .learning_rate = learning_rate,
          .record_every = record_every,
          .base_threshold = base_threshold,
          .threads = threads};
}

// `rows`, if they are known, are what an epoch has of steps; a weighted tally cannot tell.
SgdResult solved_by_sgd(const Tally& tally, const Criterion& criterion, double gamma,
                        double cost_fp, double cost_fn, const std::string& calibrate,
                        const std::string& calibrate_by, std::optional<Calibrator> calibrator,
                        std::optional<double> base_threshold, const std::string& projection,
                        std::optional<double> learning_rate,
                        std::optional<std::uint64_t> record_every, unsigned threads, double epochs,
                        std::optional<std::uint64_t> steps, std::uint64_t seed,
                        std::optional<double> rows) {
  SgdOptions options =
      sgd_options(gamma, cost_fp, cost_fn, calibrate, calibrate_by, std::move(calibrator),
                  base_threshold, projection, learning_rate, record_every, threads);
  options.epochs = epochs;
  options.steps = steps;
  options.seed = seed;
  if (!steps && rows && epochs > 0) {
    options.steps = static_cast<std::uint64_t>(std::max(1.0, std::round(epochs * *rows)));
  }
  const nb::gil_scoped_release released;
  SgdResult out = solve_sgd(tally, criterion, options);
  if (rows) out.trace.rows = *rows;
  return out;
}

// The rows of the tally in their order, `passes` times.
SgdResult solved_by_stream(const Tally& tally, const Criterion& criterion, double gamma,
                           double cost_fp, double cost_fn, const std::string& calibration,
                           const std::string& calibrate_by, std::optional<Calibrator> calibrator,
                           std::optional<double> base_threshold, const std::string& projection,
                           std::optional<double> learning_rate,
                           std::optional<std::uint64_t> record_every, unsigned threads,
                           std::uint64_t passes, const NumberColumn& score,
                           const std::vector<const AttributeColumn*>& attributes,
                           const NumberColumn* weight) {
  SgdOptions options =
      sgd_options(gamma, cost_fp, cost_fn, calibration, calibrate_by, std::move(calibrator),
                  base_threshold, projection, learning_rate, record_every, threads);
  const std::size_t rows = score.values.size();
  const nb::gil_scoped_release released;
  if (options.calibrate != Calibration::none) {
    options.calibrator = calibrate(tally, options.calibrate,
                                   {.by = options.calibrate_by, .threads = options.threads});
    options.calibrate = Calibration::none;
    options.calibrate_by = CalibrateBy::cell;
  }
  options.steps = passes * rows;
  if (!options.record_every) {
    options.record_every = std::max<std::uint64_t>(1, *options.steps / 100);
  }
  std::vector<double> weights;
  for (CellCode c = 0; c < tally.cells().size(); ++c) weights.push_back(tally.total(c).n);
  SgdStream stream(
      tally.cells(), criterion,
      {.reading = tally.reading(), .cell_weights = std::move(weights), .sgd = options});
  Cells cells = cells_of(attributes, rows);
  const std::vector<CellCode> to = translate(cells.names, tally.cells());
  for (CellCode& code : cells.codes) code = to[code];
  std::vector<double> score_room;
  std::vector<double> weight_room;
  const auto scores = score.doubles(score_room);
  const auto counts = weight ? weight->doubles(weight_room) : std::span<const double>();
  for (std::uint64_t pass = 0; pass < passes; ++pass) stream.add(cells.codes, scores, counts);
  SgdResult out = stream.finish(tally);
  out.trace.rows = static_cast<double>(rows);
  return out;
}

nb::dict compared(const SgdResult& sgd, const Tally& tally) {
  const auto [exact, distance] = [&] {
    const nb::gil_scoped_release released;
    Solution found = solve(tally, sgd.solution.criterion, sgd.solution.options);
    const SgdDistance between = evenhand::distance(sgd, found, tally);
    return std::pair(std::move(found), between);
  }();
  nb::dict out;
  out["exact_objective"] = exact.primal;
  out["exact_violation"] = exact.violation;
  out["dual"] = distance.dual;
  out["primal"] = distance.primal;
  out["multiplier"] = distance.multiplier;
  out["violation"] = distance.violation;
  return out;
}

using TracePoint =
    std::tuple<std::uint64_t, double, double, std::vector<double>, std::vector<double>>;

SgdTrace trace_of(std::vector<std::string> names, double rows,
                  const std::vector<TracePoint>& points) {
  SgdTrace out{.names = std::move(names), .rows = rows, .points = {}};
  for (const auto& [step, dual, violation, mean, last] : points) {
    out.points.push_back(
        {.step = step, .mean = mean, .last = last, .dual = dual, .violation = violation});
  }
  return out;
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
    out.append(record);
  }
  return out;
}

// The member `fit` of the rule's file, as the tool writes it.
std::string record_text(FitRecord record, const Solution& fit, const Tally& tally,
                        const TallySource& source) {
  const nb::gil_scoped_release released;
  record.add({tally, source}, fit);
  return record.to_json();
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

nb::dict solution_record(const Solution& fit, const Tally& tally) {
  nb::dict out = proof_record(fit);
  out["cells"] = cell_records(fit, tally.cells());
  out["strata"] = stratum_records(fit);
  out["constraints"] = record_of(fit.constraints);
  if (fit.infeasibility) out["infeasibility"] = record_of(*fit.infeasibility);
  return out;
}

nb::dict sgd_record(const SgdResult& fit, const Tally& tally) {
  nb::dict out = solution_record(fit.solution, tally);
  nb::list multipliers;
  for (const SgdMultiplier& multiplier : fit.multipliers) {
    nb::dict record;
    record["cell"] =
        values_record(tally.cells().attributes(), tally.cells().values(multiplier.cell));
    record["mean"] = multiplier.mean;
    record["last"] = multiplier.last;
    record["lowest"] = multiplier.lowest;
    record["highest"] = multiplier.highest;
    record["steps"] = multiplier.steps;
    multipliers.append(record);
  }
  out["multipliers"] = multipliers;
  out["steps"] = fit.steps;
  out["learning_rate"] = fit.learning_rate;
  nb::list points;
  for (const SgdTrace::Point& point : fit.trace.points) {
    points.append(nb::make_tuple(point.step, point.dual, point.violation, point.mean, point.last));
  }
  out["trace"] = nb::make_tuple(fit.trace.names, fit.trace.rows, points);
  return out;
}

}  // namespace

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
  nb::class_<Solution>(m, "Solution")
      .def_ro("rule", &Solution::rule)
      .def_ro("notes", &Solution::notes)
      .def_prop_ro("infeasible",
                   [](const Solution& fit) { return fit.status == Status::infeasible; })
      .def(
          "fit_record",
          [](const Solution& fit, const Tally& tally, const TallySource& source) {
            return record_text(FitRecord::of(fit), fit, tally, source);
          },
          nb::arg("tally"), nb::arg("source"))
      .def("record", &solution_record, nb::arg("tally"),
           nb::sig("def record(self, tally: Tally) -> dict[str, typing.Any]"));
  nb::class_<SgdResult>(m, "SgdResult")
      .def_prop_ro("rule", [](const SgdResult& fit) { return fit.solution.rule; })
      .def_prop_ro("notes", [](const SgdResult& fit) { return fit.solution.notes; })
      .def_prop_ro("infeasible",
                   [](const SgdResult& fit) { return fit.solution.status == Status::infeasible; })
      .def(
          "fit_record",
          [](const SgdResult& fit, const Tally& tally, const TallySource& source) {
            return record_text(FitRecord::of(fit), fit.solution, tally, source);
          },
          nb::arg("tally"), nb::arg("source"))
      .def("record", &sgd_record, nb::arg("tally"),
           nb::sig("def record(self, tally: Tally) -> dict[str, typing.Any]"));
  m.def("solve", &solved, nb::arg("tally"), nb::arg("criterion"), nb::arg("gamma"),
        nb::arg("cost_fp"), nb::arg("cost_fn"), nb::arg("calibrate"), nb::arg("calibrate_by"),
        nb::arg("calibrator").none(), nb::arg("base_threshold").none(), nb::arg("threads"),
        nb::arg("blind"));
  m.def(
      "blind_in_words",
      [](const Tally& tally, std::vector<std::string> sensitive, std::vector<std::string> within,
         const Solution& blind) {
        const nb::gil_scoped_release released;
        return in_words(blind_price(tally, {std::move(sensitive), std::move(within)}, blind),
                        blind.options.costs);
      },
      nb::arg("tally"), nb::arg("sensitive"), nb::arg("within"), nb::arg("blind"));
  m.def("solve_sgd", &solved_by_sgd, nb::arg("tally"), nb::arg("criterion"), nb::arg("gamma"),
        nb::arg("cost_fp"), nb::arg("cost_fn"), nb::arg("calibrate"), nb::arg("calibrate_by"),
        nb::arg("calibrator").none(), nb::arg("base_threshold").none(), nb::arg("projection"),
        nb::arg("learning_rate").none(), nb::arg("record_every").none(), nb::arg("threads"),
        nb::arg("epochs"), nb::arg("steps").none(), nb::arg("seed"), nb::arg("rows").none());
  m.def("solve_stream", &solved_by_stream, nb::arg("tally"), nb::arg("criterion"), nb::arg("gamma"),
        nb::arg("cost_fp"), nb::arg("cost_fn"), nb::arg("calibrate"), nb::arg("calibrate_by"),
        nb::arg("calibrator").none(), nb::arg("base_threshold").none(), nb::arg("projection"),
        nb::arg("learning_rate").none(), nb::arg("record_every").none(), nb::arg("threads"),
        nb::arg("passes"), nb::arg("score"), nb::arg("attributes"), nb::arg("weight").none());
  m.def("compare", &compared, nb::arg("sgd"), nb::arg("tally"),
        nb::sig("def compare(sgd: SgdResult, tally: Tally) -> dict[str, float]"));
  m.def(
      "trace_csv",
      [](std::vector<std::string> names, double rows, const std::vector<TracePoint>& points) {
        return trace_of(std::move(names), rows, points).to_csv();
      },
      nb::arg("names"), nb::arg("rows"), nb::arg("points"));
}

}  // namespace evenhand::python
