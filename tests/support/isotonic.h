// Textbook pieces of the dual bound, for all recomputations.
#pragma once

#include <cmath>
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

// The sum of all benefits, whatever their sign; over pooled labels where they come from labels.
template <class Atom>
double magnitude_of(const std::vector<std::vector<Atom>>& cells, bool from_labels) {
  double out = 0;
  for (const std::vector<Atom>& cell : cells) {
    std::vector<double> h;
    std::vector<double> n;
    for (const Atom& atom : cell) {
      h.push_back(atom.nh / atom.n);
      n.push_back(atom.n);
    }
    if (from_labels) h = isotonic(h, n);
    for (std::size_t i = 0; i < cell.size(); ++i) out += n[i] * std::abs(h[i]);
  }
  return out;
}

// The largest z q - gamma / 2 q^2 over q in [0, 1].
inline double xi(double z, double gamma) {
  if (z <= 0) return 0;
  if (z >= gamma) return z - gamma / 2;
  return z * z / (2 * gamma);
}

}  // namespace evenhand::testing
