// Attributes whose values are whole numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace evenhand {

// Row i has the value dictionary[codes[i]], as an Attribute wants it. Of values that are close
// together, dictionary and codes are in the order of the texts, so that BorrowedCells need no copy.
struct CodedIntegers {
  std::vector<std::uint32_t> codes;
  std::vector<std::string> dictionary;
};

// `text` gives a value its name; std::to_string by default. For integers of 8 to 64 bits.
template <class Integer>
CodedIntegers code_integers(std::span<const Integer> values,
                            const std::function<std::string(Integer)>& text = nullptr);

}  // namespace evenhand
