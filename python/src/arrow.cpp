#include "arrow.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow_slice.h"
#include "arrow_texts.h"
#include "arrow_values.h"
#include "columns.h"

namespace evenhand::python {
namespace {

using arrow::Owned;

template <class T>
T* pointer_in(nb::handle capsule, const char* name) {
  auto* const pointer = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!pointer) throw nb::python_error();
  if (!pointer->release) throw std::invalid_argument("the Arrow data were used before");
  return pointer;
}

double from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const double fraction = half & 0x3FF;
  const double size = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                       : std::numeric_limits<double>::quiet_NaN())
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

// A column, or a table of them, in one or more pieces.
class ArrowData {
 public:
  ArrowData(Owned<arrow::Schema> schema, std::vector<Owned<arrow::Array>> pieces)
      : schema_(std::move(schema)), pieces_(std::move(pieces)) {
    check(*schema_);
    if (schema_->n_children < 0 || (schema_->n_children > 0 && !schema_->children)) {
      damaged("the types of columns are missing");
    }
    for (std::int64_t i = 0; i < schema_->n_children; ++i) {
      if (!schema_->children[i]) damaged("the type of a column is missing");
      check(*schema_->children[i]);
    }
  }

  bool is_table() const { return std::string_view(schema_->format) == "+s"; }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (std::int64_t i = 0; is_table() && i < schema_->n_children; ++i) {
      const char* const name = schema_->children[i]->name;
      out.emplace_back(name ? name : "");
    }
    return out;
  }

  // The type's name in Arrow's C interface; of the column itself if it is no table.
  std::string format(std::int64_t column) const { return type_of(column).format; }
  bool is_dictionary(std::int64_t column) const { return type_of(column).dictionary != nullptr; }

  const arrow::Schema& type_of(std::int64_t column) const {
    if (column < 0) return *schema_;
    if (!is_table() || column >= schema_->n_children) throw std::out_of_range("no such column");
    return *schema_->children[column];
  }

  std::vector<Slice> slices(std::int64_t column) const {
    std::vector<Slice> out;
    for (const auto& piece : pieces_) {
      const Slice whole = slice_of(&*piece);
      if (column < 0) {
        out.push_back(whole);
        continue;
      }
      if (piece->n_children != schema_->n_children || !piece->children) {
        damaged("columns are missing");
      }
      out.push_back(slice_of(piece->children[column], &whole));
    }
    return out;
  }

 private:
  static void check(const arrow::Schema& type) {
    if (!type.format || (type.dictionary && !type.dictionary->format)) {
      damaged("a type is missing");
    }
  }

  Owned<arrow::Schema> schema_;
  std::vector<Owned<arrow::Array>> pieces_;
};

using SharedData = std::shared_ptr<const ArrowData>;

// Keeps what numbers in place need.
struct ArrowHandle {
  SharedData data;
};

ArrowHandle from_stream(nb::handle capsule) {
  Owned<arrow::Stream> stream(*pointer_in<arrow::Stream>(capsule, "arrow_array_stream"));
  Owned<arrow::Schema> schema;
  std::vector<Owned<arrow::Array>> pieces;
  const auto check = [&](int error) {
    if (error == 0) return;
    const char* const why = stream->get_last_error ? stream->get_last_error(stream.get()) : nullptr;
    throw std::runtime_error(fmt::format("reading Arrow data failed: {}", why ? why : "no reason"));
  };
  {
    // What produces the rows may need Python in other threads.
    const nb::gil_scoped_release released;
    check(stream->get_schema(stream.get(), schema.get()));
    while (true) {
      Owned<arrow::Array> piece;
      check(stream->get_next(stream.get(), piece.get()));
      if (!piece->release) break;
      pieces.push_back(std::move(piece));
    }
  }
  return {std::make_shared<const ArrowData>(std::move(schema), std::move(pieces))};
}

ArrowHandle from_array(nb::handle schema, nb::handle array) {
  auto* const type = pointer_in<arrow::Schema>(schema, "arrow_schema");
  auto* const values = pointer_in<arrow::Array>(array, "arrow_array");
  std::vector<Owned<arrow::Array>> pieces;
  pieces.emplace_back(*values);
  return {std::make_shared<const ArrowData>(Owned<arrow::Schema>(*type), std::move(pieces))};
}

template <class Value, class Convert>
void append(const Slice& slice, std::vector<double>& out, Convert convert) {
  const auto values = slice.values<Value>();
  for (std::int64_t row = 0; row < slice.length; ++row) {
    out.push_back(slice.valid(row) ? convert(values[static_cast<std::size_t>(row)])
                                   : std::numeric_limits<double>::quiet_NaN());
  }
}

template <class Value>
bool in_place(const std::vector<Slice>& slices, const SharedData& data, NumberColumn& out) {
  if constexpr (std::constructible_from<Numbers::View, std::span<const Value>>) {
    if (slices.size() != 1 || !slices[0].complete()) return false;
    out.values = slices[0].values<Value>();
    out.owner = data;
    return true;
  }
  return false;
}

// Whole numbers, if all are and none is missing: counts of DuckDB's sums come so.
std::optional<std::vector<std::int64_t>> whole_numbers(const std::vector<Slice>& slices,
                                                       const DecimalType& type) {
  std::vector<std::int64_t> out;
  for (const Slice& slice : slices) {
    if (!slice.complete()) return std::nullopt;
    const auto* value = slice.bytes(type.bytes);
    for (std::int64_t row = 0; row < slice.length; ++row, value += type.bytes) {
      const auto whole = type.whole(value);
      if (!whole) return std::nullopt;
      out.push_back(*whole);
    }
  }
  return out;
}

NumberColumn decimals(const std::vector<Slice>& slices, const DecimalType& type, std::string name) {
  if (auto whole = whole_numbers(slices, type)) {
    auto owner = std::make_shared<const std::vector<std::int64_t>>(std::move(*whole));
    return {std::move(name), std::span<const std::int64_t>(*owner), owner};
  }
  std::vector<double> out;
  for (const Slice& slice : slices) {
    const auto* value = slice.bytes(type.bytes);
    for (std::int64_t row = 0; row < slice.length; ++row, value += type.bytes) {
      out.push_back(slice.valid(row) ? type.number(value)
                                     : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return NumberColumn::of(std::move(name), std::move(out));
}

NumberColumn numbers(const ArrowHandle& handle, std::int64_t column, std::string name) {
  const arrow::Schema& type = handle.data->type_of(column);
  const std::vector<Slice> slices = handle.data->slices(column);
  const std::string_view format = type.format;
  const char letter = format.size() == 1 && !type.dictionary ? format[0] : '\0';
  const auto decimal = type.dictionary ? std::nullopt : DecimalType::in(format);
  if (decimal) return decimals(slices, *decimal, std::move(name));
  NumberColumn out{std::move(name), {}, {}};
  std::vector<double> converted;
  const auto convert = [&](auto* null) {
    using Value = std::decay_t<decltype(*null)>;
    if (in_place<Value>(slices, handle.data, out)) return;
    for (const Slice& slice : slices) {
      append<Value>(slice, converted, [](Value value) { return static_cast<double>(value); });
    }
  };
  if (letter == 'g') {
    convert(static_cast<double*>(nullptr));
  } else if (letter == 'f') {
    convert(static_cast<float*>(nullptr));
  } else if (letter == 'e') {
    for (const Slice& slice : slices) append<std::uint16_t>(slice, converted, from_half);
  } else if (letter == 'b') {
    for (const Slice& slice : slices) {
      const auto* const bits = static_cast<const std::uint8_t*>(slice.buffer(1));
      for (std::int64_t row = 0; row < slice.length; ++row) {
        converted.push_back(!slice.valid(row) ? std::numeric_limits<double>::quiet_NaN()
                            : bit(bits, slice.offset + row) ? 1
                                                            : 0);
      }
    }
  } else if (letter == 'n') {
    for (const Slice& slice : slices) {
      converted.resize(converted.size() + static_cast<std::size_t>(slice.length),
                       std::numeric_limits<double>::quiet_NaN());
    }
  } else if (!with_integer_type(letter, convert)) {
    throw nb::type_error(fmt::format("{} must be numbers, not of the Arrow type {}; {} it first",
                                     out.name, name_of_type(type),
                                     format == "+r" ? "decode" : "convert")
                             .c_str());
  }
  if (out.owner) return out;
  return NumberColumn::of(std::move(out.name), std::move(converted));
}

// Codes of a piece that points into a dictionary of its own.
void append_coded(const arrow::Schema& type, const Slice& slice, Dictionary& dictionary,
                  const std::string& name, std::vector<std::uint32_t>& codes) {
  const Slice values = slice_of(slice.array->dictionary);
  std::vector<std::uint32_t> code_of(static_cast<std::size_t>(values.length), missing_code);
  for_each_named(type, values, name,
                 [&](std::int64_t row, const std::optional<std::string_view>& text) {
                   if (text) code_of[static_cast<std::size_t>(row)] = dictionary.code_of(*text);
                 });
  const bool integer = with_integer_type(type.format[0], [&](auto* null) {
    const auto indices = slice.values<std::decay_t<decltype(*null)>>();
    const bool complete = slice.complete();
    for (std::int64_t row = 0; row < slice.length; ++row) {
      if (!complete && !slice.valid(row)) {
        codes.push_back(missing_code);
        continue;
      }
      const auto index = static_cast<std::uint64_t>(indices[static_cast<std::size_t>(row)]);
      if (index >= code_of.size()) damaged("an index points outside its dictionary");
      codes.push_back(code_of[index]);
    }
  });
  if (!integer) damaged("a dictionary's indices are no integers");
}

// Codes of a piece of texts, some rows in each of several threads. The dictionary is in the order
// of first appearance all the same.
void append_texts(const arrow::Schema& type, const Slice& slice, Dictionary& dictionary,
                  const std::string& name, std::vector<std::uint32_t>& codes) {
  struct Part {
    Slice rows;
    Dictionary dictionary;
    std::span<std::uint32_t> codes;
    std::exception_ptr error;
  };
  constexpr std::int64_t worthwhile = std::int64_t{1} << 17U;
  const std::string_view format = type.format;
  const bool plain = format == "u" || format == "U" || format == "vu";  // needs nothing of Python
  const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Part> parts(static_cast<std::size_t>(
      plain ? std::clamp<std::int64_t>(slice.length / worthwhile, 1, cores) : 1));
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::size_t before = codes.size();
  codes.resize(before + static_cast<std::size_t>(slice.length));
  const auto code = [&](std::int64_t i) {
    Part& part = parts[static_cast<std::size_t>(i)];
    part.rows = slice;
    const std::int64_t first = slice.length * i / count;
    part.rows.offset += first;
    part.rows.above_offset += first;
    part.rows.length = slice.length * (i + 1) / count - first;
    if (format == "vu") {
      part.dictionary.lie_in_words();  // of their view, or more than twelve bytes
    } else {
      const auto [begin, end] = memory_of_texts(format, part.rows);
      part.dictionary.lie_in(begin, end);
    }
    part.codes = std::span(codes).subspan(before + static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(part.rows.length));
    std::uint32_t* const to = part.codes.data();
    const auto add = [&part, to](std::int64_t row, const std::optional<std::string_view>& text) {
      to[row] = text ? part.dictionary.code_of(*text) : missing_code;
    };
    for_each_named(type, part.rows, name, add);
  };
  {
    std::vector<std::jthread> workers;
    for (std::int64_t i = 1; i < count; ++i) {
      workers.emplace_back([&, i] {
        try {
          code(i);
        } catch (...) {
          parts[static_cast<std::size_t>(i)].error = std::current_exception();
        }
      });
    }
    code(0);
  }
  for (Part& part : parts) {
    if (part.error) std::rethrow_exception(part.error);
    std::vector<std::uint32_t> code_of;
    for (const std::string& text : part.dictionary.take()) {
      code_of.push_back(dictionary.code_of(text));
    }
    for (std::uint32_t& own : part.codes) {
      if (own != missing_code) own = code_of[own];
    }
  }
}

AttributeColumn attribute(const ArrowHandle& handle, std::int64_t column, std::string name) {
  const arrow::Schema& type = handle.data->type_of(column);
  Dictionary dictionary;
  std::vector<std::uint32_t> codes;
  for (const Slice& slice : handle.data->slices(column)) {
    codes.reserve(codes.size() + static_cast<std::size_t>(slice.length));
    if (type.dictionary) {
      append_coded(type, slice, dictionary, name, codes);
      continue;
    }
    append_texts(type, slice, dictionary, name, codes);
  }
  Missing missing;
  const auto next = [&](auto from) { return std::find(from, codes.end(), missing_code); };
  for (auto at = next(codes.begin()); at != codes.end(); at = next(at + 1)) {
    missing.see(static_cast<std::size_t>(at - codes.begin()));
  }
  return {std::move(name), std::move(codes), dictionary.take(), missing};
}

TextColumn texts(const ArrowHandle& handle, std::int64_t column, std::string name) {
  const arrow::Schema& type = handle.data->type_of(column);
  TextColumn out(std::move(name));
  if (type.dictionary) {
    const AttributeColumn coded = attribute(handle, column, out.name());
    coded.refuse_missing();
    for (const std::uint32_t code : coded.codes) out.add(coded.dictionary[code]);
    return out;
  }
  Missing missing;
  for (const Slice& slice : handle.data->slices(column)) {
    for_each_named(type, slice, out.name(),
                   [&](std::int64_t, std::optional<std::string_view> text) {
                     if (!text) missing.see(out.size());
                     out.add(text.value_or(std::string_view()));
                   });
  }
  missing.refuse(out.name());
  return out;
}

}  // namespace

void bind_arrow(nb::module_& m) {
  nb::class_<ArrowHandle>(m, "Arrow")
      .def_prop_ro("is_table", [](const ArrowHandle& handle) { return handle.data->is_table(); })
      .def_prop_ro("names", [](const ArrowHandle& handle) { return handle.data->names(); })
      .def(
          "is_float",
          [](const ArrowHandle& handle, std::int64_t column) {
            const std::string format = handle.data->format(column);
            return !handle.data->is_dictionary(column) &&
                   (format == "e" || format == "f" || format == "g");
          },
          nb::arg("column"))
      .def("numbers", &numbers, nb::arg("column"), nb::arg("name"))
      .def("attribute", &attribute, nb::arg("column"), nb::arg("name"))
      .def("texts", &texts, nb::arg("column"), nb::arg("name"));
  m.def(
      "arrow_from_stream", [](nb::object capsule) { return from_stream(capsule); },
      nb::arg("capsule"));
  m.def(
      "arrow_from_array",
      [](nb::object schema, nb::object array) { return from_array(schema, array); },
      nb::arg("schema"), nb::arg("array"));
}

}  // namespace evenhand::python
