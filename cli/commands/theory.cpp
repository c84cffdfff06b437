#include <evenhand/text.h>
#include <evenhand/theory.h>

#include <array>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/impossibility.h"
#include "error.h"
#include "help.h"
#include "options.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {
namespace {

std::string words_if_vacuous(const RiskBound& bound) {
  return bound.vacuous ? "vacuous: no error is above 1" : "";
}

double needed(const std::optional<double>& value, const char* option, const char* what) {
  if (!value) throw UserError(fmt::format("{} is missing: {}", option, what));
  return *value;
}

// A number, or the schedule's.
double gamma_for(const std::string& text, double rows) {
  return text == "auto" ? gamma_schedule(rows) : number_from(text, "--gamma (unless auto)");
}

struct ExcessRiskArguments {
  std::optional<double> rows;
  std::string gamma = "auto";
  double strata = 1, delta = 0.05, regressor_error = 0;
  bool json = false;
};

int run_excess_risk(const ExcessRiskArguments& options) {
  const double rows = needed(options.rows, "--rows", "how many people the rule was fitted on");
  const ExcessRiskOptions asked{.rows = rows,
                                .gamma = gamma_for(options.gamma, rows),
                                .strata = options.strata,
                                .delta = options.delta,
                                .regressor_error = options.regressor_error};
  const ExcessRisk risk = excess_risk(asked);
  if (options.json) {
    const auto bound = [](const RiskBound& of) {
      return Json{{"value", of.value}, {"vacuous", of.vacuous}};
    };
    const Json out = {{"rows", asked.rows},
                      {"gamma", asked.gamma},
                      {"strata", asked.strata},
                      {"delta", asked.delta},
                      {"regressor_error", asked.regressor_error},
                      {"printed", bound(risk.printed)},
                      {"corrected", bound(risk.corrected)},
                      {"proof_gap", theorem_3_gap}};
    print(out.dump(2) + "\n");
    return exit_done;
  }
  print_for_people(noted_table(
      "Theorem 3: by how much the error exceeds that of the best fair rule, at most",
      {{"rows", rounded(rows, 15), ""},
       {"gamma", rounded(asked.gamma, 6), options.gamma == "auto" ? "rows^(-1/6)" : ""},
       {"strata", rounded(asked.strata, 15), ""},
       {"holds with probability", rounded(1 - asked.delta, 6), ""},
       {"as printed", rounded(risk.printed.value, 6), words_if_vacuous(risk.printed)},
       {"corrected", rounded(risk.corrected.value, 6), words_if_vacuous(risk.corrected)}}));
  print_for_people(fmt::format("  {}\n", theorem_3_gap));
  return exit_done;
}

void add_excess_risk(Command& command, int& status) {
  command.footer("Example:\n  evenhand theory excess-risk --rows 1000000 --strata 5");
  ExcessRiskArguments& options = command.runs(run_excess_risk, status);
  add_number(command, "--rows", options.rows, "Rows the rule is fitted on");
  command
      .add_option("--gamma", options.gamma, "X|auto", "Width of randomization; auto is rows^(-1/6)")
      ->capture_default_str();
  add_number(command, "--strata", options.strata, "Strata that are fair each on its own");
  add_number(command, "--delta", options.delta, "The bound fails with at most this probability");
  add_number(command, "--regressor-error", options.regressor_error,
             "Mean absolute error of the scores on the scale of -1 to 1");
  command.add_flag("--json", options.json, "Print the result as JSON");
}

struct SgdErrorArguments {
  std::optional<double> steps;
  double gamma = 0.01, strata = 1, b = 0;
  std::optional<double> learning_rate;
  bool json = false;
};

int run_sgd_error(const SgdErrorArguments& options) {
  const SgdErrorOptions asked{
      .steps = needed(options.steps, "--steps", "how many steps, epochs times rows"),
      .gamma = options.gamma,
      .strata = options.strata,
      .b = options.b};
  const SgdError error = sgd_error(asked);
  std::optional<double> at_rate;
  if (options.learning_rate) {
    at_rate = sgd_error_at(asked, *options.learning_rate, 2 + options.gamma);
  }
  if (options.json) {
    Json out;
    out["steps"] = asked.steps;
    out["gamma"] = asked.gamma;
    out["strata"] = asked.strata;
    out["b"] = asked.b;
    out["learning_rate"] = error.learning_rate;
    out["printed"] = error.printed;
    out["corrected"] = error.corrected;
    out["wider_box"] = error.wider_box;
    out["wider_learning_rate"] = error.wider_learning_rate;
    out["wider_box_at_its_rate"] = error.wider_box_at_its_rate;
    if (at_rate) out["at_learning_rate"] = *at_rate;
    print(out.dump(2) + "\n");
    return exit_done;
  }
  std::vector<std::array<std::string, 3>> rows = {
      {"learning rate", rounded(error.learning_rate, 6), ""},
      {"as printed", rounded(error.printed, 6), ""},
      {"corrected", rounded(error.corrected, 6), "in the paper's box, if it holds the optimum"},
      {"in the wider box", rounded(error.wider_box, 6), "|mu| <= 2 + gamma, which always holds it"},
      {"there, at its own rate", rounded(error.wider_box_at_its_rate, 6),
       "at a learning rate of " + rounded(error.wider_learning_rate, 6)}};
  if (at_rate) {
    rows.push_back({"at the given learning rate", rounded(*at_rate, 6), "in the wider box"});
  }
  print_for_people(
      noted_table("Proposition 4: expected excess of the mean dual objective, at most", rows));
  return exit_done;
}

void add_sgd_error(Command& command, int& status) {
  command.footer("Example:\n  evenhand theory sgd-error --steps 250000 --gamma 0.01 --strata 5");
  SgdErrorArguments& options = command.runs(run_sgd_error, status);
  add_number(command, "--steps", options.steps, "Steps in all");
  add_number(command, "--gamma", options.gamma, "Width of randomization");
  add_number(command, "--strata", options.strata, "Multipliers: strata, if there are two groups");
  add_number(command, "--b", options.b,
             "The constant of the dual: 0, or for equal rates rho, from 0 to 1");
  add_number(command, "--learning-rate", options.learning_rate,
             "The bound for this learning rate, too");
  command.add_flag("--json", options.json, "Print the result as JSON");
}

struct ScheduleArguments {
  std::optional<double> rows;
  bool json = false;
};

int run_schedule(const ScheduleArguments& options) {
  const double gamma = gamma_schedule(needed(options.rows, "--rows", "how many there are"));
  if (options.json) {
    print(Json{{"rows", *options.rows}, {"gamma", gamma}}.dump(2) + "\n");
  } else {
    print_for_people(shortest(gamma) + "\n");
  }
  return exit_done;
}

void add_schedule(Command& command, int& status) {
  command.footer("Example:\n  evenhand theory gamma --rows 16281");
  ScheduleArguments& options = command.runs(run_schedule, status);
  add_number(command, "--rows", options.rows, "Rows the rule is fitted on");
  command.add_flag("--json", options.json, "Print the result as JSON");
}

}  // namespace

void add_theory(Command& command, int& status) {
  command.require_one_of(
      "evenhand theory impossibility",
      {
          {"impossibility",
           "Theorem 2: whatever the decisions, some split of the people makes them unfair",
           add_impossibility},
          {"excess-risk",
           "Theorem 3: how far a fitted rule is from the best fair one, on new people",
           add_excess_risk},
          {"sgd-error", "Proposition 4: how far stochastic gradient descent stays from the optimum",
           add_sgd_error},
          {"gamma", "The paper's schedule, rows^(-1/6): what --gamma auto takes", add_schedule},
      },
      status);
}

}  // namespace evenhand::cli
