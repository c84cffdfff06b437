#include "arrow.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow_values.h"
#include "columns.h"

namespace evenhand::python {
namespace {

using arrow::Owned;

[[noreturn]] void damaged(const char* what) {
  throw std::invalid_argument(fmt::format("the Arrow data are damaged: {}", what));
}

template <class T>
T* pointer_in(nb::handle capsule, const char* name) {
  auto* const pointer = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!pointer) throw nb::python_error();
  if (!pointer->release) throw std::invalid_argument("the Arrow data were used before");
  return pointer;
}

bool bit(const std::uint8_t* bits, std::int64_t i) {
  return ((bits[i >> 3] >> (i & 7)) & 1U) != 0;
}

// Some rows of an array. `above` is the validity of the struct that it is a child of.
struct Slice {
  const arrow::Array* array;
  std::int64_t offset;
  std::int64_t length;
  const std::uint8_t* above = nullptr;
  std::int64_t above_offset = 0;

  const void* buffer(std::int64_t i) const {
    if (i >= array->n_buffers) damaged("buffers are missing");
    const void* const data = array->buffers[i];
    if (!data && length > 0) damaged("a buffer is missing");
    return data;
  }
  const std::uint8_t* validity() const {
    if (array->n_buffers == 0 || array->null_count == 0) return nullptr;
    return static_cast<const std::uint8_t*>(array->buffers[0]);
  }
  bool valid(std::int64_t row) const {
    const std::uint8_t* const bits = validity();
    return (!bits || bit(bits, offset + row)) && (!above || bit(above, above_offset + row));
  }
  bool complete() const {
    if (!validity() && !above) return true;
    for (std::int64_t row = 0; row < length; ++row) {
      if (!valid(row)) return false;
    }
    return true;
  }
  template <class T>
  std::span<const T> values() const {
    const auto* const data = static_cast<const T*>(buffer(1));
    return {data ? data + offset : nullptr, static_cast<std::size_t>(length)};
  }
  // The first row, of values of so many bytes.
  const std::uint8_t* bytes(std::size_t each) const {
    const auto* const data = static_cast<const std::uint8_t*>(buffer(1));
    return data ? data + static_cast<std::size_t>(offset) * each : nullptr;
  }
};

Slice slice_of(const arrow::Array* array, const Slice* parent = nullptr) {
  if (!array || array->length < 0 || array->offset < 0 || array->n_buffers < 0 ||
      array->n_children < 0 || (array->n_buffers > 0 && !array->buffers) ||
      array->length > std::numeric_limits<std::int64_t>::max() - array->offset) {
    damaged("a length or a pointer is wrong");
  }
  if (!parent) return {array, array->offset, array->length};
  if (array->length < parent->offset + parent->length) damaged("a column is too short");
  Slice out{array, array->offset + parent->offset, parent->length};
  out.above = parent->validity();
  out.above_offset = parent->offset;
  return out;
}

// Calls `take` with a null pointer of the C++ type of a format of whole numbers; false for others.
template <class Take>
bool with_integer_type(char format, Take take) {
  switch (format) {
    case 'c':
      take(static_cast<std::int8_t*>(nullptr));
      return true;
    case 'C':
      take(static_cast<std::uint8_t*>(nullptr));
      return true;
    case 's':
      take(static_cast<std::int16_t*>(nullptr));
      return true;
    case 'S':
      take(static_cast<std::uint16_t*>(nullptr));
      return true;
    case 'i':
      take(static_cast<std::int32_t*>(nullptr));
      return true;
    case 'I':
      take(static_cast<std::uint32_t*>(nullptr));
      return true;
    case 'l':
      take(static_cast<std::int64_t*>(nullptr));
      return true;
    case 'L':
      take(static_cast<std::uint64_t*>(nullptr));
      return true;
    default:
      return false;
  }
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

template <class Offset, class Visit>
void for_each_text(const Slice& slice, Visit visit) {
  const auto* const offsets = static_cast<const Offset*>(slice.buffer(1));
  const auto* const data =
      static_cast<const char*>(slice.array->n_buffers > 2 ? slice.array->buffers[2] : nullptr);
  const bool complete = slice.complete();
  for (std::int64_t row = 0; row < slice.length; ++row) {
    if (!complete && !slice.valid(row)) {
      visit(row, std::optional<std::string_view>());
      continue;
    }
    const Offset from = offsets[slice.offset + row];
    const Offset to = offsets[slice.offset + row + 1];
    if (from < 0 || to < from || (!data && to > from)) damaged("an offset of a text is wrong");
    visit(row, std::optional(to == from ? std::string_view()
                                        : std::string_view(data + from,
                                                           static_cast<std::size_t>(to - from))));
  }
}

template <class Visit>
void for_each_text_view(const Slice& slice, Visit visit) {
  struct View {
    std::int32_t length;
    char prefix[4];
    std::int32_t buffer;
    std::int32_t offset;
  };
  static_assert(sizeof(View) == 16);
  constexpr std::int32_t longest_inline = 12;
  const auto* const views = static_cast<const View*>(slice.buffer(1));
  const std::int64_t others = slice.array->n_buffers - 3;  // validity, views, ..., their sizes
  const auto* const sizes =
      others > 0 ? static_cast<const std::int64_t*>(slice.buffer(slice.array->n_buffers - 1))
                 : nullptr;
  const bool complete = slice.complete();
  for (std::int64_t row = 0; row < slice.length; ++row) {
    if (!complete && !slice.valid(row)) {
      visit(row, std::optional<std::string_view>());
      continue;
    }
    const View& view = views[slice.offset + row];
    const auto length = static_cast<std::size_t>(view.length);
    if (view.length < 0) damaged("a text has a negative length");
    if (view.length <= longest_inline) {
      visit(row, std::optional(std::string_view(view.prefix, length)));
      continue;
    }
    if (view.buffer < 0 || view.buffer >= others || view.offset < 0 ||
        view.offset > sizes[view.buffer] - view.length) {
      damaged("a text lies outside its buffer");
    }
    const auto* const data = static_cast<const char*>(slice.buffer(2 + view.buffer));
    visit(row, std::optional(std::string_view(data + view.offset, length)));
  }
}

void refuse_other_bytes(std::string_view bytes, const std::string& name) {
  const nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr));
  if (text) return;
  PyErr_Clear();
  const nb::bytes shown(bytes.data(), bytes.size());
  throw std::invalid_argument(
      fmt::format("{}: {} is not UTF-8 text", name, nb::repr(shown).c_str()));
}

template <class Visit>
void for_each_fixed(const Slice& slice, std::string_view format, Visit visit) {
  const std::int64_t width = std::strtoll(format.data() + 2, nullptr, 10);
  const auto* const data = static_cast<const char*>(slice.buffer(1));
  if (width < 0) damaged("a text has a negative length");
  for (std::int64_t row = 0; row < slice.length; ++row) {
    visit(row, slice.valid(row)
                   ? std::optional(std::string_view(data + (slice.offset + row) * width,
                                                    static_cast<std::size_t>(width)))
                   : std::nullopt);
  }
}

// Calls `visit(row, text or nothing)` for each row of a column of values that have a text: all but
// floating-point numbers, durations and what has others inside; false for these.
template <class Visit>
bool for_each_value(const char* format, const Slice& slice, Visit visit) {
  const std::string_view type = format;
  if (type == "u" || type == "z") {
    for_each_text<std::int32_t>(slice, visit);
    return true;
  }
  if (type == "U" || type == "Z") {
    for_each_text<std::int64_t>(slice, visit);
    return true;
  }
  if (type == "vu" || type == "vz") {
    for_each_text_view(slice, visit);
    return true;
  }
  if (type.starts_with("w:")) {
    for_each_fixed(slice, type, visit);
    return true;
  }
  const auto shown = [&](auto text_of) {
    for (std::int64_t row = 0; row < slice.length; ++row) {
      const std::string text = slice.valid(row) ? text_of(row) : std::string();
      visit(row, slice.valid(row) ? std::optional<std::string_view>(text) : std::nullopt);
    }
  };
  if (type == "n") {
    for (std::int64_t row = 0; row < slice.length; ++row) {
      visit(row, std::optional<std::string_view>());
    }
    return true;
  }
  if (type == "b") {
    const auto* const bits = static_cast<const std::uint8_t*>(slice.buffer(1));
    shown([&](std::int64_t row) { return bit(bits, slice.offset + row) ? "true" : "false"; });
    return true;
  }
  if (const auto decimal = DecimalType::in(type)) {
    const auto* const data = slice.bytes(decimal->bytes);
    shown([&](std::int64_t row) {
      return decimal->text(data + static_cast<std::size_t>(row) * decimal->bytes);
    });
    return true;
  }
  if (const auto time = TimeType::in(type)) {
    if (time->bytes == 4) {
      const auto values = slice.values<std::int32_t>();
      shown([&](std::int64_t row) { return time->text(values[static_cast<std::size_t>(row)]); });
    } else {
      const auto values = slice.values<std::int64_t>();
      shown([&](std::int64_t row) { return time->text(values[static_cast<std::size_t>(row)]); });
    }
    return true;
  }
  return type.size() == 1 && with_integer_type(type[0], [&](auto* null) {
           const auto values = slice.values<std::decay_t<decltype(*null)>>();
           shown([&](std::int64_t row) {
             return std::to_string(values[static_cast<std::size_t>(row)]);
           });
         });
}

// The same for a column, or for its dictionary; for other types an error that names them.
template <class Visit>
void for_each_named(const arrow::Schema& column, const Slice& slice, const std::string& name,
                    Visit visit) {
  const arrow::Schema& type = column.dictionary ? *column.dictionary : column;
  const bool binary = is_binary(type.format);
  const bool known = for_each_value(type.format, slice,
                                    [&](std::int64_t row, std::optional<std::string_view> text) {
                                      if (binary && text) refuse_other_bytes(*text, name);
                                      visit(row, text);
                                    });
  if (known) return;
  const bool runs = std::string_view(type.format) == "+r";
  throw nb::type_error(fmt::format("{}: values of the Arrow type {} have no text of their own; {}",
                                   name, name_of_type(column),
                                   runs ? "decode them first" : "make texts of them first")
                           .c_str());
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
  for_each_named(type, values, name, [&](std::int64_t row, std::optional<std::string_view> text) {
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
    for_each_named(type, slice, name, [&](std::int64_t, std::optional<std::string_view> text) {
      codes.push_back(text ? dictionary.code_of(*text) : missing_code);
    });
  }
  Missing missing;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (codes[row] == missing_code) missing.see(row);
  }
  return {std::move(name), std::move(codes), dictionary.take(), missing};
}

TextColumn texts(const ArrowHandle& handle, std::int64_t column, std::string name) {
  const arrow::Schema& type = handle.data->type_of(column);
  TextColumn out{std::move(name), {}};
  if (type.dictionary) {
    const AttributeColumn coded = attribute(handle, column, out.name);
    coded.refuse_missing();
    for (const std::uint32_t code : coded.codes) out.values.push_back(coded.dictionary[code]);
    return out;
  }
  Missing missing;
  for (const Slice& slice : handle.data->slices(column)) {
    for_each_named(type, slice, out.name, [&](std::int64_t, std::optional<std::string_view> text) {
      if (!text) missing.see(out.values.size());
      out.values.emplace_back(text.value_or(std::string_view()));
    });
  }
  missing.refuse(out.name);
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
