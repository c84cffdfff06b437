// From options to a tally: the part that fit, audit, frontier and tally have in common.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/tally.h>

#include <memory>
#include <string>

#include "data/tally_file.h"
#include "options.h"

namespace evenhand::cli {

struct Prepared {
  StoredTally stored;
  std::string name;      // of the data, for messages and records
  Columns columns = {};  // as far as known
  bool from_tally = false;
  std::vector<SquaredWeights> squared_weights = {};  // of each cell, if asked for and known
  std::shared_ptr<const Input> input;                // of rows, to be read again
  std::vector<std::string> files;                    // that were read: no output may be one of them

  const Tally& tally() const noexcept { return stored.tally; }
  const Roles& roles() const noexcept { return stored.source.roles; }
  std::uint64_t rows() const { return stored.rows().value_or(0); }  // 0: not known, of weights
  std::uint64_t excluded() const noexcept { return stored.source.excluded; }
};

enum class Needs {
  score,     // and a sensitive column, unless told otherwise
  decision,  // 0 or 1, in the column named by `RowOptions::score`
  either,    // a score, or what a tally has instead: see Columns::decisions
};

struct PrepareOptions {
  Needs needs = Needs::score;
  bool sensitive_needed = true;
  ColumnsIfThere if_there = {};
  std::vector<std::string> also = {};  // attributes that a rule asks for, whoever is compared
  bool squared_weights = false;        // add them up, where rows have weights
};

// Throws UserError if the criterion needs labels, and rows come without.
void check_labels(const Criterion& criterion, const RowOptions& rows);

// Throws UserError if a tally was made with another scale, direction or resolution.
void refuse_contradictions(const RowOptions& rows, const Tally& tally, const std::string& name);

// Reads rows, or a tally. Throws UserError.
Prepared prepare(const DataOptions& data, const RowOptions& rows, const PrepareOptions& options);

}  // namespace evenhand::cli
