#include "solve/chain.h"

#include <algorithm>
#include <cmath>

namespace evenhand {
namespace {

void add_up(Chain& chain, const std::vector<double>& n) {
  chain.s0.assign(1, 0);
  chain.s1.assign(1, 0);
  chain.s2.assign(1, 0);
  for (std::vector<double>* sums : {&chain.s0, &chain.s1, &chain.s2}) sums->reserve(n.size() + 1);
  for (std::size_t i = 0; i < n.size(); ++i) {
    chain.s0.push_back(chain.s0.back() + n[i]);
    chain.s1.push_back(chain.s1.back() + n[i] * chain.x[i]);
    chain.s2.push_back(chain.s2.back() + n[i] * chain.x[i] * chain.x[i]);
  }
}

Chain chain_of_labels(const Tally::Data& data, CellCode cell, bool falling, unsigned threads) {
  return chain_of_blocks(pool(data.sorted(), cell, data.integer_weights, falling, threads));
}

// The same sums of benefits as from bins (binned_curve.h), whatever the order of additions.
void add_up_exactly(const Tally::Data& data, CellCode cell, const Outlook& outlook,
                    const Costs& costs, Chain& chain) {
  const Sorted& sorted = data.sorted();
  Wide chances = 0;
  for (std::size_t k = 1; k < chain.s1.size(); ++k) {
    const std::size_t i = sorted.start[cell + 1] - k;
    chances += Wide{chance_units(outlook.probability(cell, sorted.score[i]))} *
               static_cast<std::int64_t>(sorted.n(i));
    chain.s1[k] = benefit_of_sums(chain.s0[k], chances, costs);
  }
}

Chain chain_of_scores(const Tally::Data& data, CellCode cell, const Outlook& outlook,
                      const Costs& costs) {
  Chain chain;
  const Sorted& sorted = data.sorted();
  std::vector<double> n;
  const std::size_t count = sorted.start[cell + 1] - sorted.start[cell];
  n.reserve(count);
  chain.x.reserve(count);
  for (std::size_t i = sorted.start[cell + 1]; i-- > sorted.start[cell];) {
    chain.x.push_back(benefit(outlook.probability(cell, sorted.score[i]), costs));
    n.push_back(sorted.n(i));
  }
  add_up(chain, n);
  if (data.integer_weights && outlook.known()) add_up_exactly(data, cell, outlook, costs, chain);
  return chain;
}

// Everybody as one block.
Chain chord_of(const Chain& chain) {
  Chain out;
  if (chain.size() == 0) {
    add_up(out, {});
    return out;
  }
  out.x = {chain.s1.back() / chain.s0.back()};
  add_up(out, {chain.s0.back()});
  out.s1.back() = chain.s1.back();
  return out;
}

}  // namespace

Chain chain_of_blocks(std::vector<Block> blocks) {
  Chain chain;
  chain.blocks = std::move(blocks);
  std::reverse(chain.blocks.begin(), chain.blocks.end());
  std::vector<double> n;
  n.reserve(chain.blocks.size());
  chain.x.reserve(chain.blocks.size());
  for (const Block& block : chain.blocks) {
    n.push_back(block.n);
    chain.x.push_back(block.n1 / block.n);
  }
  add_up(chain, n);
  double n1 = 0;  // these sums are exact, n x is not
  for (std::size_t i = 0; i < chain.blocks.size(); ++i) {
    chain.s1[i + 1] = n1 += chain.blocks[i].n1;
  }
  return chain;
}

std::size_t count_above(const Chain& chain, const PricedLine& line, double bar) {
  const auto end = std::partition_point(chain.x.begin(), chain.x.end(),
                                        [&](double x) { return line.kappa * x - line.tau > bar; });
  return static_cast<std::size_t>(end - chain.x.begin());
}

CellCurve::CellCurve(const Tally::Data& data, CellCode cell, bool from_labels,
                     const Outlook& outlook, const Costs& costs, unsigned threads)
    : data_(data),
      cell_(cell),
      from_labels_(from_labels),
      costs_(costs),
      threads_(threads),
      upper_(from_labels ? chain_of_labels(data, cell, false, threads)
                         : chain_of_scores(data, cell, outlook, costs)) {}

const Chain& CellCurve::lower() const {
  std::call_once(once_, [&] {
    lower_ = from_labels_ ? chain_of_labels(data_, cell_, true, threads_) : chord_of(upper_);
  });
  return lower_;
}

double benefit_of_sums(double n, Wide chances, const Costs& costs) {
  const double n1 = std::ldexp(static_cast<double>(chances), -52);
  return costs.false_negative * n1 - costs.false_positive * (n - n1);
}

Reach reach_of_scores(double n, double benefit, const Costs& costs) {
  // h = cost_fn p - cost_fp (1 - p), solved for p.
  const double sum = costs.false_negative + costs.false_positive;
  return {n, (benefit + costs.false_positive * n) / sum, benefit};
}

Reach reach_of_labels(double n, double n1, const Costs& costs) {
  return {n, n1, costs.false_negative * n1 - costs.false_positive * (n - n1)};
}

Reach CellCurve::reach(double s0, double s1) const {
  return from_labels_ ? reach_of_labels(s0, s1, costs_) : reach_of_scores(s0, s1, costs_);
}

Reach CellCurve::total() const {
  return reach(upper_.s0.back(), upper_.s1.back());
}

double magnitude_of_vertices(const CellVertices& cell) {
  return 2 * cell.best(1, {}).value - cell.total().benefit;
}

double CellCurve::magnitude() const {
  return magnitude_of_vertices(*this);
}

double CellCurve::most_benefit(double n) const {
  const std::vector<double>& s0 = upper_.s0;
  const auto after =
      static_cast<std::size_t>(std::lower_bound(s0.begin(), s0.end(), n) - s0.begin());
  if (after == 0) return 0;
  return upper_.s1[after - 1] + (n - s0[after - 1]) * upper_.x[after - 1];
}

PricedLine priced_line(bool from_labels, const Costs& costs, double benefit_weight,
                       const CellPrice& price) {
  const double sum = costs.false_negative + costs.false_positive;
  if (from_labels) {
    const double kappa = benefit_weight * sum - price.n1;
    return {kappa, benefit_weight * costs.false_positive + price.n, kappa >= 0};
  }
  if (price.n1 == 0) return {benefit_weight, price.n, true};
  const double kappa = benefit_weight - price.n1 / sum;
  return {kappa, price.n + price.n1 * costs.false_positive / sum, kappa >= 0};
}

CellCurve::Line CellCurve::line(double benefit_weight, const CellPrice& price) const {
  return priced_line(from_labels_, costs_, benefit_weight, price);
}

CellVertices::Best everybody_or_nobody(const CellVertices& cell, const PricedLine& z) {
  const Reach all = cell.total();
  const double worth = z.kappa * all.benefit - z.tau * all.n;
  return worth > 0 ? CellVertices::Best{all, worth} : CellVertices::Best{};
}

CellCurve::Best CellCurve::best(double benefit_weight, const CellPrice& price) const {
  const Line z = line(benefit_weight, price);
  if (!from_labels_ && !(z.kappa > 0)) return everybody_or_nobody(*this, z);
  const Chain& chain = this->chain(z.upper);
  const Line bar = from_labels_ ? z : Line{1, z.tau / z.kappa, true};
  const std::size_t k = count_above(chain, bar, 0);
  return {reach(chain.s0[k], chain.s1[k]), z.kappa * chain.s1[k] - z.tau * chain.s0[k]};
}

CellCurve::Smooth CellCurve::smooth(const CellPrice& price, double gamma) const {
  const Line z = line(1, price);
  const Chain& chain = this->chain(z.upper);
  const std::size_t full = count_above(chain, z, gamma);
  const std::size_t some = count_above(chain, z, 0);
  // On the ramp q = z / gamma; above it q = 1.
  const double d0 = chain.s0[some] - chain.s0[full];
  const double d1 = chain.s1[some] - chain.s1[full];
  const double d2 = chain.s2[some] - chain.s2[full];
  const double q0 = (z.kappa * d1 - z.tau * d0) / gamma;  // sum n q on the ramp
  const double q1 = (z.kappa * d2 - z.tau * d1) / gamma;  // sum n x q
  Smooth out;
  out.value = z.kappa * chain.s1[full] - (z.tau + gamma / 2) * chain.s0[full] +
              (z.kappa * q1 - z.tau * q0) / 2;
  out.reach = reach(chain.s0[full] + q0, chain.s1[full] + q1);
  out.by_n_n = d0 / gamma;
  if (from_labels_) {
    out.by_n_n1 = d1 / gamma;
    out.by_n1_n1 = d2 / gamma;
  } else {  // p = (x + cost_fp) / (cost_fn + cost_fp)
    const double fp = costs_.false_positive;
    const double sum = costs_.false_negative + fp;
    out.by_n_n1 = (d1 + fp * d0) / (sum * gamma);
    out.by_n1_n1 = (d2 + 2 * fp * d1 + fp * fp * d0) / (sum * sum * gamma);
  }
  return out;
}

}  // namespace evenhand
