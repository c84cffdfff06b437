// What looks wrong in data or keys, though it is no error: the tool and Python warn of it.
#pragma once

#include <evenhand/cells.h>
#include <evenhand/tally.h>

#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// Values of an attribute that differ in nothing but case, white space or how accents are encoded
// (NFC, NFD), and those that look like missing values (nan, NULL, empty, ...): a sentence for each
// attribute that has some, which names a few.
std::vector<std::string> odd_groups_in_words(const CellNames& cells);

// Every score is 0 or 1: they tell no more than decisions do.
bool only_zero_and_one(const Tally& tally);

// A key that ends with a line break, which counts, or whose file everybody can read. `name` is the
// file's, as it is to be shown.
std::vector<std::string> odd_key_in_words(std::string_view name, std::string_view key,
                                          bool readable_by_all);

}  // namespace evenhand
