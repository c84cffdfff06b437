// bootstrap: the fit again, on rows drawn with replacement, judged by those that were not drawn. A
// picture of how much a fit depends on its rows, beside the bound (confidence_bound.h), which is a
// promise.
#pragma once

#include <evenhand/solve.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace evenhand {

struct BootstrapOptions {
  std::size_t times = 200;  // 1 to 100,000
  std::uint64_t seed = 0;
  unsigned threads = 0;  // 0: as many as there are cores. The result does not depend on it.
};

struct Refit {
  // Among the people who were not drawn: the largest difference of a compared rate (for four-fifths
  // the smallest ratio), and the accuracy, expected without labels. None where nothing can be
  // compared or known.
  std::optional<double> difference;
  std::optional<double> accuracy;
  // Share of all people whom the refitted rule decides unlike the fit's, in expectation over coins
  // that both share. None: no rule met the requirements.
  std::optional<double> changed;
};

// Throws std::invalid_argument for options out of range, for weighted rows, and for fits of the
// stochastic solver.
std::vector<Refit> bootstrap(const Tally& tally, const Solution& fit,
                             const BootstrapOptions& options = {});

}  // namespace evenhand
