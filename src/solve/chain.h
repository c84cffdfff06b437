// A cell as the chain of points that threshold rules reach, with what all ways of solving ask of
// it.
//
// With benefits from labels, all rules that are nondecreasing in the score reach the polygon
// between two chains: the upper and the lower hull of the cell's ROC curve. With benefits from
// scores the lower one is the chord from nobody to everybody: the same chance for all. A chain is a
// list of blocks, best first; block i has weight n and a coordinate x (the share of favourable
// outcomes, or the benefit), and a decision on it is worth n (kappa x - tau) once the constraints'
// prices are in kappa and tau.
#pragma once

#include <evenhand/rule.h>
#include <evenhand/scale.h>

#include <mutex>
#include <optional>
#include <vector>

#include "calibrate/outlook.h"
#include "calibrate/pool.h"
#include "tally/data.h"

namespace evenhand {

struct Chain {
  std::vector<Block> blocks;       // of labels; empty where benefits come from scores
  std::vector<double> x;           // falling for the upper chain, rising for the lower one
  std::vector<double> s0, s1, s2;  // sums of n, n x and n x^2 over the first k blocks

  std::size_t size() const noexcept { return x.size(); }
};

// Of pooled labels, whose blocks ascend in score.
Chain chain_of_blocks(std::vector<Block> blocks);

// Prices of a cell: of a unit of sum n q and of a unit of sum n1 q.
struct CellPrice {
  double n = 0;
  double n1 = 0;
};

// What a rule makes of a cell.
struct Reach {
  double n = 0;   // sum n q
  double n1 = 0;  // sum n1 q; where benefits come from scores, as these expect it
  double benefit = 0;

  bool operator==(const Reach&) const = default;
};

// What a decision is worth at given prices: z = kappa x - tau, with x as in a chain.
struct PricedLine {
  double kappa, tau;
  bool upper;  // the chain that counts
};
PricedLine priced_line(bool from_labels, const Costs& costs, double benefit_weight,
                       const CellPrice& price);

// What linear programs ask of a cell.
class CellVertices {
 public:
  CellVertices() = default;
  CellVertices(const CellVertices&) = delete;
  CellVertices& operator=(const CellVertices&) = delete;
  virtual ~CellVertices() = default;

  // The best vertex for benefit_weight * benefit - prices, and its value.
  struct Best {
    Reach reach;
    double value = 0;
  };
  virtual Best best(double benefit_weight, const CellPrice& price) const = 0;
  virtual Reach total() const = 0;
  virtual double magnitude() const = 0;  // sum n |h|
  // Where benefits come from scores: of the best rule that selects so many.
  virtual double most_benefit(double n) const = 0;
};

// The number of leading blocks with kappa x - tau above `bar`: z falls along a chain.
std::size_t count_above(const Chain& chain, const PricedLine& line, double bar);

Reach reach_of_labels(double n, double n1, const Costs& costs);
double magnitude_of_vertices(const CellVertices& cell);  // all above 0, less the others

// Benefits from scores, worked out alike from sorted entries and from bins, to the last bit: the
// same people must get the same rule. `chances` is the sum of their probabilities (tally/data.h).
double benefit_of_sums(double n, Wide chances, const Costs& costs);
Reach reach_of_scores(double n, double benefit, const Costs& costs);
// Where kappa is 0 or less: lower scores are worth more, or all the same.
CellVertices::Best everybody_or_nobody(const CellVertices& cell, const PricedLine& z);

class CellCurve : public CellVertices {
 public:
  // Refers to the data.
  CellCurve(const Tally::Data& data, CellCode cell, bool from_labels, const Outlook& outlook,
            const Costs& costs, unsigned threads = 1);

  Best best(double benefit_weight, const CellPrice& price) const override;
  Reach total() const override;
  double magnitude() const override;
  double most_benefit(double n) const override;

  // gamma > 0: the largest reduced objective, what it reaches, and the second derivatives by the
  // two prices.
  struct Smooth {
    double value = 0;
    Reach reach;
    double by_n_n = 0, by_n_n1 = 0, by_n1_n1 = 0;
  };
  Smooth smooth(const CellPrice& price, double gamma) const;

  bool from_labels() const noexcept { return from_labels_; }
  const Chain& chain(bool upper) const { return upper ? upper_ : lower(); }

  using Line = PricedLine;
  Line line(double benefit_weight, const CellPrice& price) const;

 private:
  Reach reach(double s0, double s1) const;
  // Made when first asked for: it counts only where favourable outcomes are worth less than
  // nothing, or a point lies below the diagonal. Thread-safe.
  const Chain& lower() const;

  const Tally::Data& data_;
  CellCode cell_;
  bool from_labels_;
  Costs costs_;
  unsigned threads_;
  Chain upper_;
  mutable std::once_flag once_;
  mutable Chain lower_;
};

// The least random of a few nondecreasing responses that reach (sum n q, sum n1 q) exactly; the
// benefit comes from labels.
Response response_reaching(const CellCurve& curve, double n, double n1, std::optional<int> level);

// gamma > 0, benefits from labels: q = clip(z / gamma) on the blocks of the chain that counts.
Response ramp_response(const CellCurve& curve, const CellPrice& price, double gamma);

}  // namespace evenhand
