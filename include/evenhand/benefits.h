// Whose outcomes say what a decision is worth.
//
// Criteria of label rates read benefits off each cell's own labels. A cell that lacks the outcomes
// that such a rate divides by is not compared by it, and its labels, all of one kind, say nothing
// of its scores: by them everybody or nobody would be selected. It borrows the outcomes of others.
#pragma once

#include <evenhand/criterion.h>
#include <evenhand/tally.h>

#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

enum class Benefits {
  own,        // of the cell itself
  stratum,    // of the cells of its stratum that have such outcomes, pooled
  everybody,  // of all cells that have them, where no cell of its stratum does
};
std::string_view to_string(Benefits benefits) noexcept;

// For each cell; empty where all have their own. Also `own` if no cell at all has such outcomes.
std::vector<Benefits> benefits_of(const Tally& tally, const Criterion& criterion);

// The tally with the outcomes that `benefits_of` says: a cell that borrows has at each score the
// share that isotonic regression finds on the labels of its lenders, pooled.
Tally with_borrowed_outcomes(const Tally& tally, const Criterion& criterion);

// "race=Black has no favourable outcomes, so that ..."; a sentence for all that lack and borrow the
// same, which names twenty cells at most.
std::vector<std::string> borrowing_in_words(const Tally& tally, const Criterion& criterion);

}  // namespace evenhand
