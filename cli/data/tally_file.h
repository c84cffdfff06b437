// Tallies as files: one row for each cell and score, with the attributes' columns, score, n and n1
// (the weight of rows with label 1), in the user's own scale.
#pragma once

#include <evenhand/tally_file.h>

#include <string>
#include <vector>

#include "data/database.h"
#include "data/source.h"
#include "output/output.h"

namespace evenhand::cli {

// As Parquet, with all that is not in the columns as metadata. Throws UserError if an attribute is
// called like one of the other columns.
void write_tally(Database& database, const StoredTally& stored, Output& output);

// For files without metadata, as from SELECT sex, score, count(*) AS n, sum(y) AS n1 GROUP BY ALL.
// Sums of weights may be called weight and weight1 in place of n and n1.
struct PlainTallyOptions {
  std::vector<std::string> attributes;  // none: every column but score, n and n1
  std::string score = "score";
  Reading reading = {};
  Resolution resolution = Resolution::exact();
  // Counts of decisions, 0 or 1, which are in the column `score`; the reading is about labels only.
  bool decisions = false;
};

// Throws UserError that says what is wrong with a file that is not a tally.
StoredTally read_tally(Database& database, const Input& input, const PlainTallyOptions& options);
// Whether the file has counts of decisions, as from evenhand sql audit, and no score.
bool has_decisions(Database& database, const Input& input);

}  // namespace evenhand::cli
