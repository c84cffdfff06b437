// Whether thresholds on either side of a target hold it between them: with slopes of the lines
// through it.
#pragma once

#include <algorithm>

#include "lottery/points.h"
#include "support/infinity.h"

namespace evenhand {

// Of points on one side of the target: the slopes that settle whether it is below a segment, and
// above one, turned so that less is better. `close` is rounding, which counts in favour: each
// condition is asked of a target that is a little lower, or higher.
struct SlopesAround {
  double over = infinity;
  double under = infinity;

  static SlopesAround from_left(const At& point, const At& target, double close) {
    const double per_dn = 1 / (target.n - point.n);
    const double dy = target.y - point.y;
    return {(dy - close) * per_dn, -(dy + close) * per_dn};
  }
  static SlopesAround to_right(const At& point, const At& target, double close) {
    const double per_dn = 1 / (point.n - target.n);
    const double dy = point.y - target.y;
    // Seen from the right, a point that is a little lower makes slopes larger.
    return {-(dy + close) * per_dn, (dy - close) * per_dn};
  }
  // At its own abscissa: whatever is on the other side will do, or nothing.
  static SlopesAround at_own(const At& point, const At& target, double close) {
    const double dy = target.y - point.y;
    return {dy <= close ? -infinity : infinity, dy >= -close ? -infinity : infinity};
  }

  void take(const SlopesAround& other) {
    over = std::min(over, other.over);
    under = std::min(under, other.under);
  }
  bool may_improve(const SlopesAround& other) const {
    return over <= other.over || under <= other.under;
  }
  // Right of the target the largest slope is at least the smallest on the left, and the smallest
  // there at most the largest here.
  bool meets(const SlopesAround& right) const {
    return -right.over >= over && right.under <= -under;
  }
};

}  // namespace evenhand
