// Textbook pieces of the dual bound, for all recomputations.
#pragma once

#include <cstddef>
#include <vector>

namespace evenhand::testing {

// Isotonic regression of value with weights, the textbook way.
inline std::vector<double> isotonic(const std::vector<double>& value,
                                    const std::vector<double>& weight) {
  struct Block {
    double sum, weight;
    std::size_t count;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < value.size(); ++i) {
    blocks.push_back({value[i] * weight[i], weight[i], 1});
    while (blocks.size() > 1) {
      const Block& b = blocks.back();
      const Block& a = blocks[blocks.size() - 2];
      if (a.sum / a.weight < b.sum / b.weight) break;
      const Block both{a.sum + b.sum, a.weight + b.weight, a.count + b.count};
      blocks.pop_back();
      blocks.back() = both;
    }
  }
  std::vector<double> out;
  for (const Block& block : blocks) out.insert(out.end(), block.count, block.sum / block.weight);
  return out;
}

// The largest z q - gamma / 2 q^2 over q in [0, 1].
inline double xi(double z, double gamma) {
  if (z <= 0) return 0;
  if (z >= gamma) return z - gamma / 2;
  return z * z / (2 * gamma);
}

}  // namespace evenhand::testing
