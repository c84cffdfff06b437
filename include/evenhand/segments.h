// A response as segments of the turned score: in each the probability is a constant, or a line.
#pragma once

#include <evenhand/rule.h>

#include <limits>
#include <vector>

namespace evenhand {

struct Segment {
  // The first turned score of it, before any cutting; of the first segment, minus infinity.
  double from = -std::numeric_limits<double>::infinity();
  // p, or if rise is not 0, min(p + rise * ((x - a) / width), most), where x is cut and, with
  // `halves`, all of x, a and width are half of what they are, since the width would overflow.
  double p = 0;
  double rise = 0;
  double a = 0;
  double width = 1;
  double most = 1;
  bool halves = false;

  bool is_line() const noexcept { return rise != 0; }
};

// Bit for bit what the rule answers in that cell. With `traps_underflow`, no operation on a line is
// rounded to 0.
std::vector<Segment> segments_of(const Rule& rule, CellCode cell, bool traps_underflow);
// The same for cells that the rule has never seen; nothing for Unseen::error.
std::vector<Segment> unseen_segments(const Rule& rule, Unseen unseen);

}  // namespace evenhand
