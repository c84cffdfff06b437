#include "columns.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"

namespace evenhand::python {

Buffer::Buffer(nb::handle object) {
  if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    throw nb::python_error();
  }
  const std::string_view format = view_.format ? view_.format : "B";
  if (!format.empty()) kind_ = format.back();
}

NumberColumn NumberColumn::of(std::string name, std::vector<double> converted) {
  auto owner = std::make_shared<const std::vector<double>>(std::move(converted));
  return {std::move(name), *owner, owner};
}

std::span<const double> NumberColumn::doubles(std::vector<double>& room) const {
  return std::visit(
      [&](const auto& span) -> std::span<const double> {
        if constexpr (std::is_same_v<std::decay_t<decltype(span)>, std::span<const double>>) {
          return span;
        } else {
          room.assign(span.begin(), span.end());
          return room;
        }
      },
      values.view());
}

void NumberColumn::refuse_missing() const {
  std::visit(
      [&](const auto& span) {
        using Value = typename std::decay_t<decltype(span)>::value_type;
        if constexpr (std::is_floating_point_v<Value>) {
          Missing missing;
          for (std::size_t row = 0; row < span.size(); ++row) {
            if (std::isnan(span[row])) missing.see(row);
          }
          missing.refuse(name);
        }
      },
      values.view());
}

NumberColumn numbers_in(nb::handle array, std::string name) {
  auto buffer = std::make_shared<const Buffer>(array);
  NumberColumn out{std::move(name), {}, buffer};
  switch (buffer->kind()) {
    case 'd':
      out.values = buffer->as<double>();
      return out;
    case 'f':
      out.values = buffer->as<float>();
      return out;
    case '?':
      out.values = buffer->as<std::uint8_t>();
      return out;  // any byte may be in it
    default:
      break;
  }
  const bool is_integer = with_integers(*buffer, [&](const auto& span) {
    using Value = typename std::decay_t<decltype(span)>::value_type;
    if constexpr (std::is_same_v<Value, std::uint8_t> || std::is_same_v<Value, std::int8_t> ||
                  std::is_same_v<Value, std::int32_t> || std::is_same_v<Value, std::int64_t>) {
      out.values = span;
    } else {
      out = NumberColumn::of(out.name, std::vector<double>(span.begin(), span.end()));
    }
  });
  if (!is_integer) throw nb::type_error((out.name + " must be numbers").c_str());
  return out;
}

void throw_missing(std::string_view name, std::size_t count, std::size_t first) {
  throw std::invalid_argument(
      count == 1
          ? fmt::format("{} has a missing value, in row {}", name, first)
          : fmt::format("{} has {} missing values, the first in row {}", name, count, first));
}

void AttributeColumn::name_missing(const std::string& text) {
  if (missing.count() == 0) return;
  const auto known = std::find(dictionary.begin(), dictionary.end(), text);
  const auto code = static_cast<std::uint32_t>(known - dictionary.begin());
  if (known == dictionary.end()) dictionary.push_back(text);
  std::replace(codes.begin(), codes.end(), missing_code, code);
  missing = {};
}

std::vector<std::string_view> TextColumn::views() const {
  std::vector<std::string_view> out;
  out.reserve(ends_.size());
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    out.emplace_back(bytes_.data() + begin, end - begin);
    begin = end;
  }
  return out;
}

Dictionary::Ends Dictionary::ends_of_short(std::string_view text) {
  const char* const data = text.data();
  const std::size_t size = text.size();
  if (size >= 4) {
    return {word_at<std::uint32_t>(data) |
            (word_at<std::uint32_t>(data + size - 4) << (8 * (size - 4)))};
  }
  if (size == 0) return {};
  return {word_at<std::uint8_t>(data) |
          (word_at<std::uint8_t>(data + size / 2) << (8 * (size / 2))) |
          (word_at<std::uint8_t>(data + size - 1) << (8 * (size - 1)))};
}

std::uint32_t Dictionary::learn(std::string_view text, const Ends& ends, Recent& recent) {
  if (const auto known = known_.find(text); known != known_.end()) {
    recent = {text.size(), ends, known->second};
    return recent.code;
  }
  const auto code = static_cast<std::uint32_t>(texts_.size());
  texts_.emplace_back(text);
  known_.emplace(texts_.back(), code);
  recent = {text.size(), ends, code};
  return code;
}

BorrowedCells borrowed_cells_of(const std::vector<const AttributeColumn*>& attributes,
                                std::size_t rows) {
  if (attributes.empty()) {
    BorrowedCells out{CellNames({}, {{}}), {}, std::vector<CellCode>(rows, 0)};
    out.codes = out.own;
    return out;
  }
  std::vector<Attribute> views;
  views.reserve(attributes.size());
  for (const AttributeColumn* attribute : attributes) views.push_back(attribute->view());
  return BorrowedCells::from(views);
}

Cells cells_of(const std::vector<const AttributeColumn*>& attributes, std::size_t rows) {
  return borrowed_cells_of(attributes, rows).copied();
}

namespace {

// Keeps the rows that `keep` marks.
template <class Value>
void keep_rows(const std::vector<char>& keep, std::size_t rows, std::vector<Value>& values) {
  std::vector<Value> out;
  out.reserve(rows);
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (keep[row]) out.push_back(values[row]);
  }
  values = std::move(out);
}

// The columns without the rows that miss a value in any of them, and how many these are.
nb::tuple complete_rows(std::vector<NumberColumn> numbers, std::vector<AttributeColumn> attributes,
                        std::size_t rows) {
  std::vector<char> keep(rows, 1);
  for (const NumberColumn& column : numbers) {
    std::visit(
        [&](const auto& span) {
          using Value = typename std::decay_t<decltype(span)>::value_type;
          if constexpr (std::is_floating_point_v<Value>) {
            for (std::size_t row = 0; row < rows; ++row) {
              if (std::isnan(span[row])) keep[row] = 0;
            }
          }
        },
        column.values.view());
  }
  for (const AttributeColumn& column : attributes) {
    if (column.missing.count() == 0) continue;
    for (std::size_t row = 0; row < rows; ++row) {
      if (column.codes[row] == missing_code) keep[row] = 0;
    }
  }
  const auto left = static_cast<std::size_t>(std::count(keep.begin(), keep.end(), 1));
  if (left < rows) {
    for (NumberColumn& column : numbers) {
      std::vector<double> values;
      const auto all = column.doubles(values);
      if (values.empty()) values.assign(all.begin(), all.end());
      keep_rows(keep, left, values);
      column = NumberColumn::of(std::move(column.name), std::move(values));
    }
    for (AttributeColumn& column : attributes) {
      keep_rows(keep, left, column.codes);
      column.missing = {};
    }
  }
  return nb::make_tuple(std::move(numbers), std::move(attributes), rows - left);
}

}  // namespace

void bind_columns(nb::module_& m) {
  nb::class_<NumberColumn>(m, "Numbers")
      .def_ro("name", &NumberColumn::name)
      .def("__len__", [](const NumberColumn& column) { return column.values.size(); })
      .def_prop_ro("is_whole",
                   [](const NumberColumn& column) {
                     return std::visit(
                         [](const auto& span) {
                           using Value = typename std::decay_t<decltype(span)>::value_type;
                           return !std::is_floating_point_v<Value>;
                         },
                         column.values.view());
                   })
      .def("refuse_missing", &NumberColumn::refuse_missing)
      .def("to_numpy", [](const NumberColumn& column) {
        std::vector<double> room;
        const auto values = column.doubles(room);
        return array_of(std::vector<double>(values.begin(), values.end()));
      });
  nb::class_<AttributeColumn>(m, "Attribute")
      .def_rw("name", &AttributeColumn::name)
      .def_prop_ro("missing", [](const AttributeColumn& column) { return column.missing.count(); })
      .def("refuse_missing", &AttributeColumn::refuse_missing)
      .def("name_missing", &AttributeColumn::name_missing, nb::arg("text"))
      .def("__len__", [](const AttributeColumn& column) { return column.codes.size(); })
      .def("to_list", [](const AttributeColumn& column) {  // None for what is missing
        std::vector<std::optional<std::string>> out(column.codes.size());
        for (std::size_t row = 0; row < out.size(); ++row) {
          const std::uint32_t code = column.codes[row];
          if (code != missing_code) out[row] = column.dictionary[code];
        }
        return out;
      });
  nb::class_<TextColumn>(m, "Texts")
      .def_prop_ro("name", &TextColumn::name)
      .def("__len__", &TextColumn::size);
  m.def(
      "numbers",
      [](nb::object array, std::string name) { return numbers_in(array, std::move(name)); },
      nb::arg("array"), nb::arg("name"));
  m.def("complete_rows", &complete_rows, nb::arg("numbers"), nb::arg("attributes"), nb::arg("rows"),
        nb::sig("def complete_rows(numbers: collections.abc.Sequence[Numbers], attributes: "
                "collections.abc.Sequence[Attribute], rows: int) -> "
                "tuple[list[Numbers], list[Attribute], int]"));
}

}  // namespace evenhand::python
