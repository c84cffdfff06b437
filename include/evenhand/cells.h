// Cells: the combinations of attribute values ("sex=F, race=Black") that rules tell apart.
#pragma once

#include <evenhand/column.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenhand {

using CellCode = std::uint32_t;

// The code of a row whose cell is not among those known.
inline constexpr CellCode unseen_cell = 0xFFFFFFFF;

// One attribute of every row, as texts or already coded: row i has the value dictionary[codes[i]].
struct Attribute {
  std::string name;
  Texts values;
  std::span<const std::uint32_t> codes = {};
  std::span<const std::string> dictionary = {};

  std::size_t size() const noexcept { return dictionary.empty() ? values.size() : codes.size(); }
};

// The names of cells. A cell's code is its position in the ascending order of its values (compared
// as bytes, attribute by attribute), so that codes depend neither on the order of rows nor on that
// of merges. Names and values are UTF-8 texts with any content at all.
class CellNames {
 public:
  CellNames() = default;

  // `cells[c]` has one value for each attribute. Throws std::invalid_argument unless attributes are
  // distinct and not empty, and cells strictly ascend.
  CellNames(std::vector<std::string> attributes, std::span<const std::vector<std::string>> cells);
  CellNames(std::vector<std::string> attributes,
            std::initializer_list<std::vector<std::string>> cells)
      : CellNames(std::move(attributes), std::span(cells.begin(), cells.size())) {}

  std::size_t size() const noexcept { return size_; }
  const std::vector<std::string>& attributes() const noexcept { return attributes_; }

  // The position of an attribute; throws std::out_of_range that suggests the nearest name.
  std::size_t attribute(std::string_view name) const;

  // The values of a cell, one for each attribute.
  std::span<const std::string> values(CellCode cell) const noexcept {
    return std::span(values_).subspan(cell * attributes_.size(), attributes_.size());
  }

  std::optional<CellCode> find(std::span<const std::string_view> values) const;

  // The same, but throws std::out_of_range that suggests the nearest cell.
  CellCode code_of(std::span<const std::string_view> values) const;
  CellCode code_of(std::initializer_list<std::string_view> values) const {
    return code_of(std::span(values.begin(), values.size()));
  }

  // "sex=F, race=Black"; texts that are not plain words are quoted as in JSON.
  std::string name(CellCode cell) const;

  bool operator==(const CellNames&) const = default;

 private:
  std::vector<std::string> attributes_;
  std::vector<std::string> values_;  // size_ x attributes
  std::size_t size_ = 0;
};

// The cell of every row.
struct Cells {
  CellNames names;
  std::vector<CellCode> codes;  // one for each row, below names.size()

  // Combines the attributes' columns; only combinations that occur become cells.
  static Cells from(std::span<const Attribute> attributes);
  static Cells from(std::initializer_list<Attribute> attributes) {
    return from(std::span(attributes.begin(), attributes.size()));
  }

  CellCode code_of(std::initializer_list<std::string_view> values) const {
    return names.code_of(values);
  }
};

// The same without a copy, where the codes of one attribute are those of its cells already: for as
// long as the attribute's memory lives.
struct BorrowedCells {
  CellNames names;
  std::span<const CellCode> codes;  // in `own`, or the attribute's
  std::vector<CellCode> own;

  static BorrowedCells from(std::span<const Attribute> attributes);
  Cells copied() &&;

  BorrowedCells(CellNames cell_names, std::span<const CellCode> all, std::vector<CellCode> owned)
      : names(std::move(cell_names)), codes(all), own(std::move(owned)) {}
  BorrowedCells(BorrowedCells&&) = default;
  BorrowedCells& operator=(BorrowedCells&&) = default;
  BorrowedCells(const BorrowedCells&) = delete;
  BorrowedCells& operator=(const BorrowedCells&) = delete;
  ~BorrowedCells() = default;
};

// Where each cell of `from` is in `to`, attributes matched by name (further attributes of `from`
// are ignored), or `unseen_cell`. Throws std::out_of_range when `from` lacks an attribute of `to`.
std::vector<CellCode> translate(const CellNames& from, const CellNames& to);

}  // namespace evenhand
