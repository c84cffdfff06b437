// The relaxation in a node of the search: each cell may mix a range of its thresholds freely.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lottery/limits.h"

namespace evenhand {

// Points first ... last of a cell, and those among them that a linear objective can single out:
// the vertices of their hull.
struct VertexRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::vector<std::size_t> vertices;
};
std::shared_ptr<const VertexRange> make_range(const Points& points, std::size_t first,
                                              std::size_t last);
using Ranges = std::vector<std::shared_ptr<const VertexRange>>;

struct Relaxed {
  double value = 0;
  std::vector<At> at;         // of each cell
  std::vector<double> width;  // the weight between the thresholds that it mixes
};

// A linear program over weights of points, to which columns are added until none helps. It keeps
// its columns from node to node.
class NodeProgram {
 public:
  // `magnitude` is the size of the objective, for scaling.
  NodeProgram(const Limits& limits, const std::vector<Points>& points, double magnitude);
  ~NodeProgram();
  NodeProgram(const NodeProgram&) = delete;
  NodeProgram& operator=(const NodeProgram&) = delete;

  enum class Outcome { optimal, infeasible, failed };
  Outcome solve(const Ranges& ranges, Relaxed& out);

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace evenhand
