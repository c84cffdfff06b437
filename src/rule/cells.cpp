#include <evenhand/bad_row.h>
#include <evenhand/cells.h>
#include <evenhand/text.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <unordered_map>

#include <fmt/format.h>

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

// The codes of one column: dense, in the order of first appearance.
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

Coded code_dictionary(const Attribute& attribute) {
  // Equal texts in the dictionary are one value.
  const Coded distinct = code_texts(attribute.dictionary);
  Coded coded{{}, distinct.values};
  coded.codes.reserve(attribute.codes.size());
  for (std::size_t row = 0; row < attribute.codes.size(); ++row) {
    const std::uint32_t code = attribute.codes[row];
    if (code >= distinct.codes.size()) {
      throw BadRow(row,
                   fmt::format("the attribute {} has code {}, but its dictionary has {} values",
                               shown(attribute.name), code, distinct.codes.size()));
    }
    coded.codes.push_back(distinct.codes[code]);
  }
  return coded;
}

// Renumbers pairs of codes densely, in the order of first appearance; `pairs` receives each pair.
std::vector<std::uint32_t> combine(const std::vector<std::uint32_t>& left, std::size_t left_size,
                                   const std::vector<std::uint32_t>& right, std::size_t right_size,
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

Cells Cells::from(std::span<const Attribute> attributes) {
  if (attributes.empty()) throw std::invalid_argument("cells need at least one attribute");
  std::vector<std::string> names;
  std::vector<Coded> columns;
  for (const Attribute& attribute : attributes) {
    if (attribute.size() != attributes.front().size()) {
      throw std::invalid_argument(
          fmt::format("the attribute {} has {} rows, but {} has {}", shown(attribute.name),
                      attribute.size(), shown(attributes.front().name), attributes.front().size()));
    }
    names.push_back(attribute.name);
    columns.push_back(attribute.dictionary.empty() ? code_texts(attribute.values)
                                                   : code_dictionary(attribute));
  }
  // Combine column by column, remembering each combination's values.
  std::vector<std::uint32_t> codes = std::move(columns.front().codes);
  std::vector<std::vector<std::string>> cells;
  std::vector<bool> occurs(columns.front().values.size());
  for (const std::uint32_t code : codes) occurs[code] = true;
  for (const std::string_view value : columns.front().values) cells.push_back({std::string(value)});
  for (std::size_t i = 1; i < columns.size(); ++i) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    codes = combine(codes, cells.size(), columns[i].codes, columns[i].values.size(), pairs);
    std::vector<std::vector<std::string>> combined;
    combined.reserve(pairs.size());
    for (const auto& [left, right] : pairs) {
      combined.push_back(cells[left]);
      combined.back().emplace_back(columns[i].values[right]);
    }
    cells = std::move(combined);
    occurs.assign(cells.size(), true);
  }
  // Then number them in ascending order; dictionary values that no row has are no cells.
  std::vector<std::uint32_t> order;
  for (std::uint32_t c = 0; c < cells.size(); ++c) {
    if (occurs[c]) order.push_back(c);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return cells[a] < cells[b]; });
  std::vector<CellCode> rank(cells.size());
  std::vector<std::vector<std::string>> sorted;
  for (std::uint32_t c = 0; c < order.size(); ++c) {
    rank[order[c]] = c;
    sorted.push_back(std::move(cells[order[c]]));
  }
  for (std::uint32_t& code : codes) code = rank[code];
  return {CellNames(std::move(names), sorted), std::move(codes)};
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
