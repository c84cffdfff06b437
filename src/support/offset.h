// Ways between points of a cell's polygon: people, and positives or benefit among them.
#pragma once

namespace evenhand {

struct Offset {
  double n, y;

  friend Offset operator-(const Offset& a, const Offset& b) { return {a.n - b.n, a.y - b.y}; }
};

// Twice the area between them, positive where `b` is to the left of `a`.
inline double cross(const Offset& a, const Offset& b) {
  return a.n * b.y - a.y * b.n;
}

}  // namespace evenhand
