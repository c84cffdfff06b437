// Logistic regression on one number, by Newton's method.
#pragma once

#include <vector>

namespace evenhand {

// Rows with the same z: their weight, and how much of it should have the outcome.
struct LogisticRow {
  double z;
  double n;
  double target;  // in [0, n]
};

struct LogisticFit {
  double slope = 0;
  double offset = 0;
};

// The largest likelihood of sigmoid(slope * z + offset); without `with_offset` that stays 0. Wants
// a unique finite optimum: two distinct z, or one that is not 0, and targets that z does not
// separate. Bit for bit the same on any number of threads.
LogisticFit fit_logistic(const std::vector<LogisticRow>& rows, bool with_offset, unsigned threads);

}  // namespace evenhand
