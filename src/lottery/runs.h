// Fewest coins without looking at all of a cell: its points in runs of neighbouring ones, of which
// only those are opened that could make a difference.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lottery/points.h"

namespace evenhand {

class PointRuns {
 public:
  PointRuns() = default;
  PointRuns(const PointRuns&) = delete;
  PointRuns& operator=(const PointRuns&) = delete;
  virtual ~PointRuns() = default;

  // The points between runs, the best first: run i goes from ends()[i] to ends()[i + 1].
  virtual const std::vector<At>& ends() const = 0;
  virtual bool is_open(std::size_t run) const = 0;
  // Opens each of these, or makes shorter runs of it; whether all are open.
  virtual bool open(std::span<const std::size_t> runs) = 0;
  // All points of an open run but the first, which ends the run before: how many, and into which
  // places.
  virtual std::size_t points(std::size_t run) const = 0;
  virtual void put(std::size_t run, double* n, double* y) const = 0;
  // Between which scores the threshold with weight n above it is.
  virtual double boundary(double n) = 0;
};

// As fewest_coins and response_of for all points of the cell, to the last bit.
std::optional<Response> fewest_response(PointRuns& runs, const At& at, double snap,
                                        unsigned threads);

}  // namespace evenhand
