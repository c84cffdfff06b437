// From the values of one attribute to codes and a dictionary of texts.
#include <evenhand/integers.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "columns.h"

namespace evenhand::python {
namespace {

std::string_view utf8_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(text, &size);
  if (!data) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

// ASCII lies in the object itself, behind its header, which may be read.
bool lies_in(const PyObject* object, std::string_view text) {
  const auto behind =
      reinterpret_cast<std::uintptr_t>(text.data()) - reinterpret_cast<std::uintptr_t>(object);
  return behind >= sizeof(PyObject) && behind < 64;
}

// An array that was never filled may have no object at all: NumPy reads that as None.
PyObject* or_none(PyObject* object) {
  return object ? object : Py_None;
}

// Objects that come again are mostly the very same ones: their address tells. Of a fixed size, so
// that a million different objects do not fill the memory with it.
class Seen {
 public:
  std::uint32_t* find(PyObject* object) {
    Slot& slot = slot_of(object);
    return slot.object == object ? &slot.code : nullptr;
  }
  void keep(PyObject* object, std::uint32_t code) { slot_of(object) = {object, code}; }

 private:
  struct Slot {
    PyObject* object = nullptr;
    std::uint32_t code = 0;
  };
  Slot& slot_of(PyObject* object) {
    return slots_[(reinterpret_cast<std::uintptr_t>(object) * 0x9E3779B97F4A7C15U) >> 54U];
  }
  std::array<Slot, 1024> slots_{};
};

AttributeColumn from_objects(const nb::object& array, std::string name,
                             const nb::callable& text_of) {
  const Buffer buffer(array);
  const auto objects = buffer.as<PyObject*>();
  Dictionary dictionary;
  Seen seen;
  Missing missing;
  std::vector<std::uint32_t> codes(objects.size());
  // Texts lie anywhere, over two lines of a cache: they are on their way when needed.
  constexpr std::size_t ahead = 32;
  for (std::size_t row = 0; row < objects.size(); ++row) {
    if (row + ahead < objects.size()) {
      const auto* const next = reinterpret_cast<const char*>(objects[row + ahead]);
      __builtin_prefetch(next);
      __builtin_prefetch(next + 63);
    }
    PyObject* const object = or_none(objects[row]);
    std::uint32_t code = missing_code;
    if (const std::uint32_t* known = seen.find(object)) {
      code = *known;
    } else {
      if (PyUnicode_CheckExact(object)) {
        const std::string_view text = utf8_of(object);
        code =
            lies_in(object, text) ? dictionary.code_behind_header(text) : dictionary.code_of(text);
      } else if (const nb::object text = text_of(nb::handle(object)); !text.is_none()) {
        code = dictionary.code_of(utf8_of(text.ptr()));
      }
      seen.keep(object, code);
    }
    if (code == missing_code) missing.see(row);
    codes[row] = code;
  }
  return {std::move(name), std::move(codes), dictionary.take(), missing};
}

void append_utf8(std::uint32_t point, std::string& out) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xC0U | (point >> 6U));
    byte(0x80U | (point & 0x3FU));
  } else if (point < 0x10000) {
    byte(0xE0U | (point >> 12U));
    byte(0x80U | ((point >> 6U) & 0x3FU));
    byte(0x80U | (point & 0x3FU));
  } else {
    byte(0xF0U | ((point >> 18U) & 0x07U));
    byte(0x80U | ((point >> 12U) & 0x3FU));
    byte(0x80U | ((point >> 6U) & 0x3FU));
    byte(0x80U | (point & 0x3FU));
  }
}

std::string text_at(std::span<const std::uint32_t> padded) {
  std::size_t length = padded.size();
  while (length > 0 && padded[length - 1] == 0) --length;
  std::string text;
  for (const std::uint32_t point : padded.first(length)) append_utf8(point, text);
  return text;
}

// Texts of a fixed number of code points, padded with zeros: NumPy's own kind of text.
AttributeColumn from_points(const nb::object& array, std::string name) {
  const Buffer buffer(array);
  const auto points = buffer.as<std::uint32_t>();
  const std::size_t rows = buffer.rows();
  const std::size_t width = rows == 0 ? 0 : points.size() / rows;
  std::vector<std::uint32_t> codes(rows);
  std::vector<std::string> dictionary;
  {
    const nb::gil_scoped_release released;
    constexpr std::uint32_t empty = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> table(64, empty);
    std::vector<std::size_t> first;           // row of each code
    std::array<std::uint32_t, 256> recent{};  // codes by first and last letter: most come again
    const auto at = [&](std::size_t row) { return points.data() + row * width; };
    const auto same = [&](std::size_t a, std::size_t b) {
      return std::equal(at(a), at(a) + width, at(b));
    };
    const auto hash = [&](std::size_t row) {
      std::uint64_t out = 0;
      const std::uint32_t* const text = at(row);
      for (std::size_t i = 0; i < width; ++i) out = (out ^ text[i]) * 0x9E3779B97F4A7C15U;
      return out ^ (out >> 29U);
    };
    const auto slot_of = [&](std::size_t row) {
      std::size_t slot = hash(row) & (table.size() - 1);
      while (table[slot] != empty && !same(first[table[slot]], row)) {
        slot = (slot + 1) & (table.size() - 1);
      }
      return slot;
    };
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t ends = at(row)[0] * 31 + at(row)[width - 1];
      std::uint32_t& guess = recent[(ends * 0x9E3779B9U) >> 24U];
      if (guess < first.size() && same(first[guess], row)) {
        codes[row] = guess;
        continue;
      }
      std::size_t slot = slot_of(row);
      if (table[slot] == empty) {
        if (first.size() * 2 >= table.size()) {
          table.assign(table.size() * 2, empty);
          for (std::uint32_t code = 0; code < first.size(); ++code) {
            table[slot_of(first[code])] = code;
          }
          slot = slot_of(row);
        }
        table[slot] = static_cast<std::uint32_t>(first.size());
        first.push_back(row);
      }
      codes[row] = guess = table[slot];
    }
    for (const std::size_t row : first) dictionary.push_back(text_at({at(row), width}));
  }
  return {std::move(name), std::move(codes), std::move(dictionary)};
}

template <class Value>
std::string integer_text(Value value, bool truth) {
  if (truth) return value ? "true" : "false";
  return std::to_string(value);
}

AttributeColumn from_integers(const nb::object& array, std::string name) {
  const Buffer buffer(array);
  const bool truth = buffer.kind() == '?';
  const nb::gil_scoped_release released;
  CodedIntegers coded;
  with_integers(buffer, [&](const auto& values) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    coded =
        code_integers<Value>(values, [truth](Value value) { return integer_text(value, truth); });
  });
  return {std::move(name), std::move(coded.codes), std::move(coded.dictionary)};
}

// Codes that point into a list of texts; a negative one is a missing value.
AttributeColumn from_codes(const nb::object& array, const std::vector<std::string>& texts,
                           std::string name) {
  const Buffer buffer(array);
  AttributeColumn out{std::move(name), {}, texts};
  const nb::gil_scoped_release released;
  with_integers(buffer, [&](const auto& codes) {
    out.codes.resize(codes.size());
    for (std::size_t row = 0; row < codes.size(); ++row) {
      const auto code = static_cast<std::int64_t>(codes[row]);
      if (code < 0) {
        out.missing.see(row);
      } else if (static_cast<std::uint64_t>(code) >= texts.size()) {
        throw std::invalid_argument(fmt::format("{}, row {}: there is no category {}, only {}",
                                                out.name, row, code, texts.size()));
      }
      out.codes[row] = code < 0 ? missing_code : static_cast<std::uint32_t>(code);
    }
  });
  return out;
}

TextColumn texts_from_objects(const nb::object& array, std::string name,
                              const nb::callable& text_of) {
  const Buffer buffer(array);
  const auto objects = buffer.as<PyObject*>();
  Missing missing;
  TextColumn out(std::move(name), objects.size());
  for (std::size_t row = 0; row < objects.size(); ++row) {
    PyObject* const object = or_none(objects[row]);
    if (PyUnicode_CheckExact(object)) {
      out.add(utf8_of(object));
    } else if (const nb::object text = text_of(nb::handle(object)); !text.is_none()) {
      out.add(utf8_of(text.ptr()));
    } else {
      missing.see(row);
    }
  }
  missing.refuse(out.name());
  return out;
}

TextColumn texts_from_points(const nb::object& array, std::string name) {
  const Buffer buffer(array);
  const auto points = buffer.as<std::uint32_t>();
  const nb::gil_scoped_release released;
  const std::size_t rows = buffer.rows();
  TextColumn out(std::move(name), rows);
  const std::size_t width = rows == 0 ? 0 : points.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) out.add(text_at(points.subspan(row * width, width)));
  return out;
}

TextColumn texts_from_integers(const nb::object& array, std::string name) {
  const Buffer buffer(array);
  const bool truth = buffer.kind() == '?';
  const nb::gil_scoped_release released;
  TextColumn out(std::move(name), buffer.rows());
  with_integers(buffer, [&](const auto& values) {
    for (const auto value : values) out.add(integer_text(value, truth));
  });
  return out;
}

TextColumn texts_from_codes(const nb::object& array, const std::vector<std::string>& texts,
                            std::string name) {
  const AttributeColumn coded = from_codes(array, texts, std::move(name));
  coded.refuse_missing();
  TextColumn out(coded.name, coded.codes.size());
  for (const std::uint32_t code : coded.codes) out.add(texts[code]);
  return out;
}

}  // namespace

void bind_values(nb::module_& m) {
  m.def("attribute_from_objects", &from_objects, nb::arg("array"), nb::arg("name"),
        nb::arg("text_of"),
        nb::sig("def attribute_from_objects(array: object, name: str, text_of: "
                "collections.abc.Callable[[typing.Any], str | None]) -> Attribute"));
  m.def("attribute_from_points", &from_points, nb::arg("array"), nb::arg("name"));
  m.def("attribute_from_integers", &from_integers, nb::arg("array"), nb::arg("name"));
  m.def("attribute_from_codes", &from_codes, nb::arg("codes"), nb::arg("texts"), nb::arg("name"));
  m.def("texts_from_objects", &texts_from_objects, nb::arg("array"), nb::arg("name"),
        nb::arg("text_of"),
        nb::sig("def texts_from_objects(array: object, name: str, text_of: "
                "collections.abc.Callable[[typing.Any], str | None]) -> Texts"));
  m.def("texts_from_points", &texts_from_points, nb::arg("array"), nb::arg("name"));
  m.def("texts_from_integers", &texts_from_integers, nb::arg("array"), nb::arg("name"));
  m.def("texts_from_codes", &texts_from_codes, nb::arg("codes"), nb::arg("texts"), nb::arg("name"));
}

}  // namespace evenhand::python
