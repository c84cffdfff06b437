// The paper's stochastic gradient method: to reproduce it, and for rows that stream by. `solve` is
// exact and faster; what this finds is close, never `optimal`.
//
// One step looks at one row and moves the multipliers of its stratum (docs/method.md):
//
//   q = clip((h - w mu) / gamma, 0, 1)      mu <- project(mu - rate * (b - w q))
//
// It serves statistical parity (the paper's Definition 1; one multiplier for each group of a
// stratum but the last) and equal rates (Definition 2; one for each cell), without tolerance and
// without requirements, benefits from the scores or from a calibrator.
#pragma once

#include <evenhand/calibrator.h>
#include <evenhand/criterion.h>
#include <evenhand/rule.h>
#include <evenhand/scale.h>
#include <evenhand/solve.h>
#include <evenhand/tally.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// Who finds the rule: solve (solve.h) or solve_sgd.
enum class Solver { exact, sgd };
std::string_view to_string(Solver solver) noexcept;
Solver solver_from(std::string_view name);  // throws std::invalid_argument

// The box that multipliers are kept in.
enum class Projection {
  corrected,  // holds an optimum always
  paper,  // [-(1 + gamma), 1 + gamma] at unit costs, as printed; for Definition 1 that may leave
          // every optimum outside
};
std::string_view to_string(Projection projection) noexcept;
Projection projection_from(std::string_view name);  // throws std::invalid_argument

struct SgdOptions {
  double gamma = 0.01;  // width of randomization, > 0
  Costs costs = {};
  // As in SolveOptions. A stream has no labels: give it the calibrator.
  Calibration calibrate = Calibration::none;
  CalibrateBy calibrate_by = CalibrateBy::cell;
  std::optional<Calibrator> calibrator = {};
  Projection projection = Projection::corrected;
  // > 0; none: that of the paper's Proposition 4, (1 + gamma) / (1 + b) * sqrt(K / T) at unit
  // costs, with K multipliers, T steps, and b = rho for equal rates, else 0.
  std::optional<double> learning_rate = {};
  double epochs = 25;                       // > 0; an epoch has as many steps as there are rows
  std::optional<double> rows = {};          // > 0; none: those of the tally, which weights may hide
  std::optional<std::uint64_t> steps = {};  // > 0; instead of epochs
  std::uint64_t seed = 0;
  // Steps between two points of the trace; 0: no trace; none: a hundred points (of a stream: none).
  std::optional<std::uint64_t> record_every = {};
  std::optional<double> base_threshold = {};  // as in SolveOptions
  unsigned threads = 0;  // 0: as many as there are cores. The result does not depend on it.

  static SgdOptions of(const SolveOptions& options);  // what both solvers take
};

// The paper's mu_k. In a stratum with several groups the price of a positive decision in group s is
// mu_s - sum of mu_g * share_g, with 0 for the last group; for equal rates it is mu itself.
struct SgdMultiplier {
  CellCode cell = 0;        // its stratum and group
  double mean = 0;          // of all its iterates: what the rule is made of
  double last = 0;          // iterate
  double lowest = 0;        // the box that it
  double highest = 0;       // was kept in
  std::uint64_t steps = 0;  // of its stratum
};

// The course of a run (the paper's Figure 1b).
struct SgdTrace {
  struct Point {
    std::uint64_t step = 0;    // of all strata together
    std::vector<double> mean;  // of each multiplier's iterates so far
    std::vector<double> last;
    double dual = 0;       // at the means: the objective that is minimised, an upper bound
    double violation = 0;  // of the rule that the means would make
  };
  std::vector<std::string> names;  // of the multipliers' cells
  double rows = 1;                 // steps of an epoch
  std::vector<Point> points;

  // A header, then a line for each point: step, epoch, dual, violation, and mean and last of each
  // multiplier, "mean of sex=F". RFC 4180, with LF.
  std::string to_csv() const;
  // {"rows": ..., "multipliers": [names], "points": [{"step": ..., "epoch": ..., ...}]}
  std::string to_json() const;
};

struct SgdResult {
  Solution solution;  // status `approximate`; figures recomputed from the tally as for any other
  std::vector<SgdMultiplier> multipliers;
  std::uint64_t steps = 0;
  double learning_rate = 0;  // of the last step
  Projection projection = Projection::corrected;
  std::uint64_t seed = 0;
  SgdTrace trace;

  // The rule's file, as Solution::to_json, with a member "sgd" in the record of the fit.
  std::string to_json() const;
};

// Draws rows from the tally at random by their weight, with replacement, as Proposition 4 asks.
// Strata run one by one, each with its own random numbers and its share of the steps, so that the
// same seed gives the same bits on any number of threads. Throws std::invalid_argument for options
// out of range and criteria that it does not serve.
SgdResult solve_sgd(const Tally& tally, const Criterion& criterion, const SgdOptions& options = {});

struct SgdStreamOptions {
  Reading reading = {};
  // Weight of each cell's rows, as from SELECT cell, count(*). Without, shares of groups are those
  // of the rows seen so far, and the first steps are a little off.
  std::vector<double> cell_weights = {};
  SgdOptions sgd = {};  // `epochs` and `seed` play no part
};

// The same, fed with rows in an order of the caller's choice, once or several times over. Random
// order matters: the method takes each row for a draw. If `sgd.steps` is given the learning rate is
// that of Proposition 4 for so many steps in all, else at each step the one for the steps so far.
class SgdStream {
 public:
  // Throws std::invalid_argument as solve_sgd does, and for Rho::base, which takes all rows.
  SgdStream(const CellNames& cells, Criterion criterion, SgdStreamOptions options = {});
  // For the rows of a tally, so many times over: weights of cells, steps and calibration are
  // settled, and the trace has a hundred points unless told otherwise.
  static SgdStream over(const Tally& tally, Criterion criterion, SgdOptions options,
                        std::uint64_t passes);
  SgdStream(SgdStream&&) noexcept;
  SgdStream& operator=(SgdStream&&) noexcept;
  ~SgdStream();

  // One step; rows of cells that nothing is compared with, and of weight 0, are none. A row counts
  // by its weight relative to the mean so far. Throws std::out_of_range for a cell that does not
  // exist, std::invalid_argument for a score or weight out of range.
  void add(CellCode cell, double score, double weight = 1);
  void add(std::span<const CellCode> cells, std::span<const double> scores,
           std::span<const double> weights = {});

  std::uint64_t steps() const noexcept;
  std::vector<SgdMultiplier> multipliers() const;

  // The rule as it stands. On the logit scale and with a calibrator, where a ramp runs through the
  // fitted scores, it needs a tally: throws std::invalid_argument.
  Rule rule() const;

  // With all figures, from a tally of the rows (or of others in the same cells).
  SgdResult finish(const Tally& tally) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// How far a run stayed from the optimum.
struct SgdDistance {
  double dual = 0;        // SGD's dual - the exact objective, >= 0: what it still could descend
  double primal = 0;      // the exact objective - SGD's; negative where unfairness pays
  double multiplier = 0;  // largest difference of a cell's price of a positive decision
  double violation = 0;   // SGD's
};

// Of a run and the exact solution of the same tally, criterion, gamma, costs and calibration;
// throws std::invalid_argument if these differ.
SgdDistance distance(const SgdResult& sgd, const Solution& exact, const Tally& tally);

struct SgdComparison {
  Solution exact;
  SgdDistance distance;
};
// Solves the same problem exactly.
SgdComparison compare(const SgdResult& sgd, const Tally& tally);

}  // namespace evenhand
