#include <evenhand/bad_row.h>
#include <evenhand/cells.h>
#include <evenhand/text.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

#include "support/row_blocks.h"

namespace evenhand {
namespace {

void check_utf8(std::string_view text, std::string_view what) {
  const std::size_t at = first_invalid_utf8(text);
  if (at == std::string_view::npos) return;
  throw std::invalid_argument(
      fmt::format("{} is not valid UTF-8: byte 0x{:02X} at position {}; convert it first", what,
                  static_cast<unsigned char>(text[at]), at));
}

void check_attributes(const std::vector<std::string>& attributes) {
  std::set<std::string_view> seen;
  for (const std::string& name : attributes) {
    if (name.empty()) throw std::invalid_argument("an attribute has an empty name");
    check_utf8(name, "the name of an attribute");
    if (!seen.insert(name).second) {
      throw std::invalid_argument(fmt::format("the attribute {} is given twice", shown(name)));
    }
  }
}

// The codes of texts: dense, in the order of first appearance.
struct Coded {
  std::vector<std::uint32_t> codes;
  std::vector<std::string_view> values;
};

Coded code_texts(const Texts& texts) {
  Coded coded;
  coded.codes.reserve(texts.size());
  std::unordered_map<std::string_view, std::uint32_t> known;
  std::string_view last;  // runs of equal values are common
  std::uint32_t last_code = unseen_cell;
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const std::string_view text = texts[row];
    if (last_code == unseen_cell || text != last) {
      last_code = known.try_emplace(text, static_cast<std::uint32_t>(known.size())).first->second;
      last = text;
      if (last_code == coded.values.size()) coded.values.push_back(text);
    }
    coded.codes.push_back(last_code);
  }
  return coded;
}

// One attribute, whose codes may be the caller's. Equal values may have several codes.
struct Column {
  std::string_view name;
  std::span<const std::uint32_t> codes;
  std::vector<std::string_view> values;
  std::vector<std::uint32_t> own;

  explicit Column(const Attribute& attribute) : name(attribute.name) {
    if (attribute.dictionary.empty()) {
      Coded coded = code_texts(attribute.values);
      own = std::move(coded.codes);
      codes = own;
      values = std::move(coded.values);
    } else {
      codes = attribute.codes;
      values.assign(attribute.dictionary.begin(), attribute.dictionary.end());
    }
  }

  [[noreturn]] void refuse_codes() const {
    const auto bad =
        std::ranges::find_if(codes, [&](std::uint32_t code) { return code >= values.size(); });
    throw BadRow(static_cast<std::size_t>(bad - codes.begin()),
                 fmt::format("the attribute {} has code {}, but its dictionary has {} values",
                             shown(name), *bad, values.size()));
  }
  bool all_valid(std::size_t begin, std::size_t end) const {
    std::uint32_t largest = 0;
    for (std::size_t row = begin; row < end; ++row) largest = std::max(largest, codes[row]);
    return begin == end || largest < values.size();
  }
};

// The combinations of all columns' codes, as one number: how many may occur, up to `most`.
class Combinations {
 public:
  Combinations(std::span<const Column> columns, std::size_t most) : columns_(columns) {
    for (const Column& column : columns) {
      count_ = column.values.empty() ? 0 : std::min(most + 1, count_ * column.values.size());
    }
  }
  std::size_t count() const noexcept { return count_; }

  void numbers(std::size_t begin, std::size_t end, std::uint32_t* out) const {
    std::copy(columns_.front().codes.begin() + static_cast<std::ptrdiff_t>(begin),
              columns_.front().codes.begin() + static_cast<std::ptrdiff_t>(end), out);
    for (const Column& column : columns_.subspan(1)) {
      const auto size = static_cast<std::uint32_t>(column.values.size());
      const std::uint32_t* const codes = column.codes.data() + begin;
      for (std::size_t i = 0; i < end - begin; ++i) out[i] = out[i] * size + codes[i];
    }
  }

  std::vector<std::string> values(std::size_t number) const {
    std::vector<std::string> out(columns_.size());
    for (std::size_t i = columns_.size(); i-- > 0;) {
      out[i] = columns_[i].values[number % columns_[i].values.size()];
      number /= columns_[i].values.size();
    }
    return out;
  }

 private:
  std::span<const Column> columns_;
  std::size_t count_ = 1;
};

// Cells of texts, in their order, and the code of each combination.
struct Numbered {
  std::vector<std::vector<std::string>> cells;
  std::vector<CellCode> code;
};
Numbered in_order(const std::vector<std::vector<std::string>>& values,
                  const std::vector<bool>& occurs) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t c = 0; c < values.size(); ++c) {
    if (occurs[c]) order.push_back(c);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  Numbered out{{}, std::vector<CellCode>(values.size())};
  for (const std::uint32_t c : order) {
    if (out.cells.empty() || out.cells.back() != values[c]) out.cells.push_back(values[c]);
    out.code[c] = static_cast<CellCode>(out.cells.size() - 1);
  }
  return out;
}

// Few combinations may occur: see which do, then look every row up.
BorrowedCells of_few(std::vector<std::string> names, std::span<const Column> columns,
                     const Combinations& combinations) {
  const std::size_t rows = columns.front().codes.size();
  std::vector<std::atomic<bool>> seen(combinations.count());
  std::atomic<std::size_t> unseen = seen.size();
  std::atomic<bool> valid = true;
  for_rows(rows, [&](std::size_t begin, std::size_t end) {
    std::array<std::uint32_t, rows_in_block> number;  // NOLINT(*-pro-type-member-init)
    for (const Column& column : columns) {
      if (!column.all_valid(begin, end)) valid = false;
    }
    if (!valid || unseen == 0) return;
    combinations.numbers(begin, end, number.data());
    for (std::size_t i = 0; i < end - begin; ++i) {
      std::atomic<bool>& at = seen[number[i]];
      if (!at.load(std::memory_order_relaxed) && !at.exchange(true)) --unseen;
    }
  });
  if (!valid) {
    for (const Column& column : columns) {
      if (!column.all_valid(0, rows)) column.refuse_codes();
    }
  }
  std::vector<std::uint32_t> found;
  std::vector<std::vector<std::string>> values;
  for (std::uint32_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) continue;
    found.push_back(i);
    values.push_back(combinations.values(i));
  }
  const Numbered numbered = in_order(values, std::vector<bool>(values.size(), true));
  BorrowedCells out{CellNames(std::move(names), numbered.cells), {}, {}};
  if (columns.size() == 1 && columns.front().own.empty() && found == numbered.code) {
    out.codes = columns.front().codes;
    return out;
  }
  std::vector<CellCode> code(seen.size());
  for (std::size_t k = 0; k < found.size(); ++k) code[found[k]] = numbered.code[k];
  out.own.resize(rows);
  for_rows(rows, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const codes = out.own.data() + begin;
    combinations.numbers(begin, end, codes);
    for (std::size_t i = 0; i < end - begin; ++i) codes[i] = code[codes[i]];
  });
  out.codes = out.own;
  return out;
}

// Renumbers pairs of codes densely, in the order of first appearance; `pairs` receives each pair.
std::vector<std::uint32_t> combine(const std::vector<std::uint32_t>& left, std::size_t left_size,
                                   std::span<const std::uint32_t> right, std::size_t right_size,
                                   std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  std::vector<std::uint32_t> out(left.size());
  const auto number = [&](std::uint32_t& slot, std::uint32_t l, std::uint32_t r) {
    if (slot == unseen_cell) {
      slot = static_cast<std::uint32_t>(pairs.size());
      pairs.emplace_back(l, r);
    }
    return slot;
  };
  constexpr std::size_t table_size = std::size_t{1} << 20;
  if (left_size * right_size <= table_size) {
    std::vector<std::uint32_t> table(left_size * right_size, unseen_cell);
    for (std::size_t row = 0; row < left.size(); ++row) {
      out[row] = number(table[left[row] * right_size + right[row]], left[row], right[row]);
    }
    return out;
  }
  std::unordered_map<std::uint64_t, std::uint32_t> table;
  for (std::size_t row = 0; row < left.size(); ++row) {
    const std::uint64_t key = (std::uint64_t{left[row]} << 32U) | right[row];
    out[row] = number(table.try_emplace(key, unseen_cell).first->second, left[row], right[row]);
  }
  return out;
}

// Many combinations might occur, of which few do: column by column, remembering the values of each.
BorrowedCells of_many(std::vector<std::string> names, std::span<const Column> columns) {
  for (const Column& column : columns) {
    if (!column.all_valid(0, column.codes.size())) column.refuse_codes();
  }
  std::vector<std::uint32_t> codes(columns.front().codes.begin(), columns.front().codes.end());
  std::vector<std::vector<std::string>> values;
  std::vector<bool> occurs(columns.front().values.size());
  for (const std::uint32_t code : codes) occurs[code] = true;
  for (const std::string_view value : columns.front().values) {
    values.push_back({std::string(value)});
  }
  for (const Column& column : columns.subspan(1)) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    codes = combine(codes, values.size(), column.codes, column.values.size(), pairs);
    std::vector<std::vector<std::string>> combined;
    combined.reserve(pairs.size());
    for (const auto& [left, right] : pairs) {
      combined.push_back(values[left]);
      combined.back().emplace_back(column.values[right]);
    }
    values = std::move(combined);
    occurs.assign(values.size(), true);
  }
  const Numbered numbered = in_order(values, occurs);
  for (std::uint32_t& code : codes) code = numbered.code[code];
  BorrowedCells out{CellNames(std::move(names), numbered.cells), {}, std::move(codes)};
  out.codes = out.own;
  return out;
}

}  // namespace

CellNames::CellNames(std::vector<std::string> attributes,
                     std::span<const std::vector<std::string>> cells)
    : attributes_(std::move(attributes)), size_(cells.size()) {
  check_attributes(attributes_);
  if (attributes_.empty() && size_ > 1) {
    throw std::invalid_argument("cells without attributes cannot be told apart");
  }
  if (size_ >= unseen_cell) throw std::invalid_argument("too many cells");
  values_.reserve(size_ * attributes_.size());
  for (std::size_t c = 0; c < size_; ++c) {
    if (cells[c].size() != attributes_.size()) {
      throw std::invalid_argument(fmt::format("cell {} has {} values for {} attributes", c,
                                              cells[c].size(), attributes_.size()));
    }
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
      check_utf8(cells[c][i], fmt::format("a value of the attribute {}", shown(attributes_[i])));
      values_.push_back(cells[c][i]);
    }
    if (c > 0 && !(cells[c - 1] < cells[c])) {
      throw std::invalid_argument(fmt::format("cells must ascend, but {} does not come after {}",
                                              name(static_cast<CellCode>(c)),
                                              name(static_cast<CellCode>(c - 1))));
    }
  }
}

std::size_t CellNames::attribute(std::string_view name) const {
  const auto found = std::find(attributes_.begin(), attributes_.end(), name);
  if (found != attributes_.end()) return static_cast<std::size_t>(found - attributes_.begin());
  throw std::out_of_range(
      fmt::format("there is no attribute {}{}", shown(name), suggestion(name, attributes_)));
}

std::optional<CellCode> CellNames::find(std::span<const std::string_view> values) const {
  if (values.size() != attributes_.size()) return std::nullopt;
  CellCode low = 0;
  auto high = static_cast<CellCode>(size_);
  while (low < high) {
    const CellCode middle = low + (high - low) / 2;
    const auto at = this->values(middle);
    const auto order =
        std::lexicographical_compare_three_way(at.begin(), at.end(), values.begin(), values.end());
    if (order == 0) return middle;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

CellCode CellNames::code_of(std::span<const std::string_view> values) const {
  if (values.size() != attributes_.size()) {
    throw std::out_of_range(fmt::format("a cell has {} values, one for each attribute, not {}",
                                        attributes_.size(), values.size()));
  }
  if (const auto code = find(values)) return *code;
  std::string wanted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    wanted += fmt::format("{}{}={}", i ? ", " : "", shown(attributes_[i]), shown(values[i]));
  }
  std::vector<std::string> names;
  for (std::size_t c = 0; c < std::min<std::size_t>(size_, 1000); ++c) {
    names.push_back(name(static_cast<CellCode>(c)));
  }
  throw std::out_of_range(fmt::format("there is no cell {}{}", wanted, suggestion(wanted, names)));
}

std::string CellNames::name(CellCode cell) const {
  if (attributes_.empty()) return "everyone";
  std::string out;
  for (std::size_t i = 0; i < attributes_.size(); ++i) {
    out += fmt::format("{}{}={}", i ? ", " : "", quoted_if_needed(attributes_[i]),
                       quoted_if_needed(values(cell)[i]));
  }
  return out;
}

BorrowedCells BorrowedCells::from(std::span<const Attribute> attributes) {
  if (attributes.empty()) throw std::invalid_argument("cells need at least one attribute");
  std::vector<std::string> names;
  std::vector<Column> columns;
  for (const Attribute& attribute : attributes) {
    if (attribute.size() != attributes.front().size()) {
      throw std::invalid_argument(
          fmt::format("the attribute {} has {} rows, but {} has {}", shown(attribute.name),
                      attribute.size(), shown(attributes.front().name), attributes.front().size()));
    }
    names.push_back(attribute.name);
    columns.emplace_back(attribute);
  }
  constexpr std::size_t few = std::size_t{1} << 16U;
  const Combinations combinations(columns, few);
  if (combinations.count() <= few) return of_few(std::move(names), columns, combinations);
  return of_many(std::move(names), columns);
}

Cells BorrowedCells::copied() && {
  if (own.empty()) own.assign(codes.begin(), codes.end());
  return {std::move(names), std::move(own)};
}

Cells Cells::from(std::span<const Attribute> attributes) {
  return BorrowedCells::from(attributes).copied();
}

std::vector<CellCode> translate(const CellNames& from, const CellNames& to) {
  std::vector<std::size_t> position;
  position.reserve(to.attributes().size());
  for (const std::string& name : to.attributes()) position.push_back(from.attribute(name));
  std::vector<CellCode> out(from.size());
  std::vector<std::string_view> values(position.size());
  for (CellCode c = 0; c < from.size(); ++c) {
    for (std::size_t i = 0; i < position.size(); ++i) values[i] = from.values(c)[position[i]];
    out[c] = to.find(values).value_or(unseen_cell);
  }
  return out;
}

}  // namespace evenhand
