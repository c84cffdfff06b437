// Who is selected, cell by cell: all that an audit needs of a tally.
#pragma once

#include <evenhand/audit.h>

#include <optional>
#include <vector>

#include "calibrate/outlook.h"

namespace evenhand {

// Weighted sums, of cells or of cells together.
struct Totals {
  double n = 0, positives = 0;                  // rows and favourable outcomes
  double selected = 0, selected_positives = 0;  // the same times q
  double coins = 0;                             // rows with q strictly between 0 and 1
  SquaredWeights squared = {};                  // if known

  Totals& operator+=(const Totals& other) {
    n += other.n;
    positives += other.positives;
    selected += other.selected;
    selected_positives += other.selected_positives;
    coins += other.coins;
    squared.n += other.squared.n;
    squared.n1 += other.squared.n1;
    return *this;
  }
};

// A response for each cell of a tally.
struct Decider {
  std::vector<Response> responses;
  std::optional<int> level = {};      // as in RuleParts
  std::vector<CellCode> unseen = {};  // by AuditOptions::unseen, not by the rule

  double operator()(CellCode cell, double x, const Reading& reading) const;
};

// The base decisions: positive from this turned score on.
Decider decider_from(const Tally& tally, double from);
// Throws std::invalid_argument if rule and tally read scores differently, std::out_of_range for
// cells that the rule lacks, unless `unseen` decides.
Decider decider_by(const Tally& tally, const Rule& rule, Unseen unseen);

// By labels, or else outcomes are what the outlook expects, if it is known.
std::vector<Totals> totals_under(const Tally& tally, const Decider& decider, const Outlook& outlook,
                                 bool by_labels);

}  // namespace evenhand
