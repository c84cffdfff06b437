// fit --solver sgd: the paper's stochastic gradient descent, over a tally or over rows as they
// come.
#pragma once

#include <evenhand/sgd.h>

#include <cstdint>
#include <optional>
#include <string>

#include "command.h"
#include "data/prepared.h"
#include "output/figures.h"

namespace evenhand::cli {

struct StochasticOptions {
  std::string solver = "exact";
  std::string projection;  // these: empty or none means the default
  std::optional<double> learning_rate;
  std::optional<double> epochs;
  std::optional<std::uint64_t> steps;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> record_every;
  std::string trace;  // a file
  bool stream = false;
  bool compare = false;

  bool wanted() const noexcept { return solver == "sgd"; }
  // Throws UserError for what is wrong whatever the data.
  void check(const RowOptions& rows, const std::string& output) const;
  void refuse_overwriting(const InputOptions& input, const std::vector<std::string>& files) const;
};
void add_stochastic_options(Command& command, StochasticOptions& options);

inline constexpr double usual_sgd_gamma = 0.01;

// `solving` is what the exact solver would be told. Reads the rows again, if they are to stream by.
SgdResult solve_stochastic(const Prepared& data, const DatabaseOptions& database,
                           const Criterion& criterion, const SolveOptions& solving,
                           const StochasticOptions& options);

void write_trace(const SgdTrace& trace, const std::string& file);

// Beside the exact optimum of the same problem.
std::string table_of(const SgdResult& sgd, const SgdComparison& compared);

}  // namespace evenhand::cli
