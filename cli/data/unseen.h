// People in cells that a rule does not know, and people it cannot decide about.
#pragma once

#include <evenhand/cells.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/database.h"
#include "data/rule_file.h"
#include "data/source.h"
#include "error.h"

namespace evenhand::cli {

// Cells by the values of the rule's attributes, with their rows, most rows first.
using UnseenCells = std::vector<std::pair<std::vector<std::string>, std::uint64_t>>;

// Names the first of them and counts their rows.
[[noreturn]] void throw_unseen(const std::string& data, const std::vector<std::string>& attributes,
                               const UnseenCells& cells, const std::string& advice);

// Throws so if any of the cells that were found is not among those known; counts[c] is the rows of
// cell c.
void refuse_unseen(const std::string& data, const CellNames& found,
                   const std::vector<std::uint64_t>& counts, const CellNames& known,
                   const std::string& advice);

// Throws UserError if groups are missing, and nothing says how to decide about them.
void refuse_missing_groups(Database& database, const Source& source, const CellNames& known);
// Throws UserError if the score or a soft column of somebody is missing or no such number.
void refuse_bad_numbers(Database& database, const Source& source, const RuleFile& file,
                        const Column& score);

}  // namespace evenhand::cli
