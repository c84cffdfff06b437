#include "soft/whiten.h"

#include <cmath>

namespace evenhand::soft {

using Eigen::Index;
using Eigen::VectorXd;

Whitened whiten(const Priced& priced) {
  const Atoms& atoms = priced.atoms;
  const std::size_t prices = priced.prices.size();
  const auto rows = static_cast<Index>(atoms.size());
  Whitened out;
  out.problem.h = atoms.h;
  for (const double n : atoms.n) out.problem.n.push_back(n / atoms.weight);
  const Eigen::Map<const VectorXd> n(out.problem.n.data(), rows);
  const auto dot = [&n](const VectorXd& a, const VectorXd& b) {
    return (n.array() * a.array() * b.array()).sum();
  };
  std::vector<VectorXd> found;
  std::vector<VectorXd> combination;  // of the columns, for each one found
  for (std::size_t j = 0; j < prices; ++j) {
    if (!priced.compared[j]) continue;
    VectorXd w(rows);
    for (Index i = 0; i < rows; ++i) w[i] = priced.of(static_cast<std::size_t>(i), j);
    VectorXd from = VectorXd::Unit(static_cast<Index>(prices), static_cast<Index>(j));
    const double before = std::sqrt(dot(w, w));
    for (int round = 0; round < 2; ++round) {  // Gram and Schmidt; twice is enough
      for (std::size_t k = 0; k < found.size(); ++k) {
        const double part = dot(w, found[k]);
        w -= part * found[k];
        from -= part * combination[k];
      }
    }
    const double left = std::sqrt(dot(w, w));
    constexpr double dependent = 1e-10;
    if (!(left > dependent * before)) continue;
    found.emplace_back(w / left);
    combination.emplace_back(from / left);
  }
  out.problem.columns = found.size();
  out.problem.bound = VectorXd::Zero(static_cast<Index>(found.size()));
  out.basis.resize(static_cast<Index>(prices), static_cast<Index>(found.size()));
  out.problem.w.resize(atoms.size() * found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    out.basis.col(static_cast<Index>(k)) = combination[k];
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      out.problem.w[i * found.size() + k] = found[k][static_cast<Index>(i)];
    }
  }
  return out;
}

}  // namespace evenhand::soft
