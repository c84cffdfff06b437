#include "calibrate/logistic.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/parallel.h"

namespace evenhand {
namespace {

constexpr double tolerance = 1e-10;  // of the gradient, relative to the terms it is made of
constexpr int most_steps = 200;

// Of the negative log-likelihood at one pair of parameters.
struct Slopes {
  double loss = 0;
  double by_slope = 0, by_offset = 0;
  double by_slope_slope = 0, by_slope_offset = 0, by_offset_offset = 0;

  void operator+=(const Slopes& other) {
    loss += other.loss;
    by_slope += other.by_slope;
    by_offset += other.by_offset;
    by_slope_slope += other.by_slope_slope;
    by_slope_offset += other.by_slope_offset;
    by_offset_offset += other.by_offset_offset;
  }
};

class Logistic {
 public:
  Logistic(const std::vector<LogisticRow>& rows, bool with_offset, unsigned threads)
      : rows_(rows), with_offset_(with_offset), threads_(threads) {
    double target = 0;
    for (const LogisticRow& row : rows) {
      weight_ += row.n;
      target += row.target;
    }
    const double p = with_offset ? target / weight_ : 0.5;
    start_.offset = std::log(p / (1 - p));
    for (const LogisticRow& row : rows) {
      const double error = row.target * (1 - p) + (row.n - row.target) * p;
      by_slope_unit_ += error * std::abs(row.z);
      by_offset_unit_ += error;
    }
  }

  // Newton's steps, each halved until the loss falls as its slope promises. The loss is convex, so
  // that they end at its least value.
  LogisticFit run() const {
    LogisticFit at = start_;
    Slopes slopes = slopes_at(at);
    for (int step = 0; step < most_steps; ++step) {
      if (converged(slopes)) {
        const LogisticFit last = plus(at, direction(slopes), 1);  // from 1e-10 to rounding
        return steepness(slopes_at(last)) <= steepness(slopes) ? last : at;
      }
      const LogisticFit way = direction(slopes);
      const double promised = slopes.by_slope * way.slope + slopes.by_offset * way.offset;
      const double rounding = 1e-14 * (std::abs(slopes.loss) + weight_);
      double length = 1;
      LogisticFit next = plus(at, way, length);
      Slopes there = slopes_at(next);
      while (!(there.loss <= slopes.loss + 1e-4 * length * promised + rounding) && length > 1e-9) {
        length /= 2;
        next = plus(at, way, length);
        there = slopes_at(next);
      }
      at = next;
      slopes = there;
    }
    throw std::invalid_argument(
        "the labels determine no calibration curve within reach; use isotonic");
  }

 private:
  static LogisticFit plus(const LogisticFit& at, const LogisticFit& way, double length) {
    return {at.slope + length * way.slope, at.offset + length * way.offset};
  }

  double steepness(const Slopes& slopes) const {
    return std::max(std::abs(slopes.by_slope) / by_slope_unit_,
                    std::abs(slopes.by_offset) / by_offset_unit_);
  }
  bool converged(const Slopes& slopes) const { return steepness(slopes) <= tolerance; }

  LogisticFit direction(const Slopes& s) const {
    if (!with_offset_) return {-s.by_slope / s.by_slope_slope, 0};
    const double determinant =
        s.by_slope_slope * s.by_offset_offset - s.by_slope_offset * s.by_slope_offset;
    return {(s.by_slope_offset * s.by_offset - s.by_offset_offset * s.by_slope) / determinant,
            (s.by_slope_offset * s.by_slope - s.by_slope_slope * s.by_offset) / determinant};
  }

  Slopes slopes_of(std::size_t begin, std::size_t end, const LogisticFit& at) const {
    Slopes sum;
    for (std::size_t i = begin; i < end; ++i) {
      const LogisticRow& row = rows_[i];
      const double f = at.slope * row.z + at.offset;
      // Of the two exponentials the one that cannot overflow; 1 + it loses no digits that count.
      const double tail = std::exp(-std::abs(f));
      const double small = tail / (1 + tail);  // the smaller of p and 1 - p
      const double p = f < 0 ? small : 1 - small;
      const double error = row.n * p - row.target;
      const double curvature = row.n * small * (1 - small);
      sum.loss += row.n * (std::max(f, 0.0) + std::log1p(tail)) - row.target * f;
      sum.by_slope += error * row.z;
      sum.by_offset += error;
      sum.by_slope_slope += curvature * row.z * row.z;
      sum.by_slope_offset += curvature * row.z;
      sum.by_offset_offset += curvature;
    }
    return sum;
  }

  // Always the same parts, added up in the same order.
  Slopes slopes_at(const LogisticFit& at) const {
    constexpr std::size_t rows_per_part = std::size_t{1} << 15U;
    std::vector<Slopes> parts((rows_.size() + rows_per_part - 1) / rows_per_part);
    parallel(parts.size(), threads_, [&](std::size_t k) {
      parts[k] = slopes_of(k * rows_per_part, std::min(rows_.size(), (k + 1) * rows_per_part), at);
    });
    Slopes sum;
    for (const Slopes& part : parts) sum += part;
    if (!with_offset_) sum.by_offset = 0;
    return sum;
  }

  const std::vector<LogisticRow>& rows_;
  bool with_offset_;
  unsigned threads_;
  double weight_ = 0;
  LogisticFit start_;  // the best constant
  // What the gradient there is made of, without the signs.
  double by_slope_unit_ = 0;
  double by_offset_unit_ = 0;
};

}  // namespace

LogisticFit fit_logistic(const std::vector<LogisticRow>& rows, bool with_offset, unsigned threads) {
  return Logistic(rows, with_offset, threads).run();
}

}  // namespace evenhand
