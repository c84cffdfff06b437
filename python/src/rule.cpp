#include <evenhand/rule.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "columns.h"
#include "options.h"
#include "records.h"
#include "rule_file.h"

namespace evenhand::python {
namespace {

using Attributes = std::vector<const AttributeColumn*>;

// A missing score says more than one that is not valid.
template <class Decide>
auto decided(const NumberColumn& score, Decide decide) {
  try {
    const nb::gil_scoped_release released;
    std::vector<double> room;
    return decide(score.doubles(room));
  } catch (const std::invalid_argument&) {
    score.refuse_missing();
    throw;
  }
}

auto probability_by_rule(const Rule& rule, const NumberColumn& score, const Attributes& attributes,
                         const std::string& unseen) {
  const Unseen policy = unseen_from(unseen);
  return array_of(decided(score, [&](std::span<const double> scores) {
    return rule.probability(cells_of(attributes, scores.size()), scores, policy);
  }));
}

auto decide_by_key(const Rule& rule, const NumberColumn& score, const Attributes& attributes,
                   const TextColumn& ids, const nb::bytes& key, const std::string& unseen) {
  const Unseen policy = unseen_from(unseen);
  const Coin coin = Coin::keyed({key.c_str(), key.size()});
  return array_of(decided(score, [&](std::span<const double> scores) {
    return rule.decide(cells_of(attributes, scores.size()), scores, ids.views(), coin, policy);
  }));
}

auto decide_by_seed(const Rule& rule, const NumberColumn& score, const Attributes& attributes,
                    std::uint64_t seed, const std::string& unseen) {
  const Unseen policy = unseen_from(unseen);
  const Coin coin = Coin::seeded(seed);
  return array_of(decided(score, [&](std::span<const double> scores) {
    return rule.decide(cells_of(attributes, scores.size()), scores, coin, policy);
  }));
}

// One person at a time, without columns. Whatever is not as simple as that is `nothing`, and left
// to those who explain what is wrong or make texts of other values.
constexpr std::nullopt_t nothing = std::nullopt;

std::optional<std::string_view> plain_text(PyObject* object) {
  if (!PyUnicode_CheckExact(object)) return nothing;
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(object, &size);
  if (data) return std::string_view(data, static_cast<std::size_t>(size));
  PyErr_Clear();
  return nothing;
}

std::optional<CellCode> cell_of(const Rule& rule, const nb::dict& person) {
  const std::vector<std::string>& names = rule.cells().attributes();
  std::array<std::string_view, 8> values;
  if (nb::len(person) != names.size() || names.size() > values.size()) return nothing;
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(person.ptr(), &at, &name, &value) != 0;) {
    const auto called = plain_text(name);
    const auto text = plain_text(value);
    if (!called || !text) return nothing;
    const auto place = std::find(names.begin(), names.end(), *called);
    if (place == names.end()) return nothing;
    values[static_cast<std::size_t>(place - names.begin())] = *text;
  }
  return rule.cells().find(std::span(values).first(names.size()));
}

std::optional<double> plain_number(PyObject* object) {
  if (!PyFloat_Check(object) && !PyLong_CheckExact(object)) return nothing;
  const double value = PyFloat_AsDouble(object);
  if (value != -1.0 || !PyErr_Occurred()) return value;
  PyErr_Clear();
  return nothing;
}

std::optional<double> person_probability(const Rule& rule, nb::handle score, const nb::dict& person,
                                         nb::handle unseen) {
  const auto policy = plain_text(unseen.ptr());
  if (!policy || (*policy != "error" && *policy != "score" && *policy != "reject")) return nothing;
  const auto number = plain_number(score.ptr());
  const Reading& reading = rule.parts().reading;
  if (!number || !reading.valid(reading.turn(*number))) return nothing;
  const auto cell = cell_of(rule, person);
  if (!cell) return nothing;
  return rule.probability(*cell, *number);
}

std::optional<std::string> plain_id(PyObject* object) {
  if (const auto text = plain_text(object)) return std::string(*text);
  if (!PyLong_CheckExact(object)) return nothing;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) return nothing;
  return std::to_string(value);
}

std::optional<std::string_view> plain_key(PyObject* object) {
  if (!PyBytes_CheckExact(object)) return plain_text(object);
  return std::string_view(PyBytes_AsString(object), static_cast<std::size_t>(PyBytes_Size(object)));
}

std::optional<int> person_decision(const Rule& rule, nb::handle score, const nb::dict& person,
                                   nb::handle unseen, nb::handle id, nb::handle key,
                                   nb::handle seed) {
  const auto q = person_probability(rule, score, person, unseen);
  if (!q) return nothing;
  const auto toss = [&](const auto& coin_below_q) {
    return *q > 0 && *q < 1 ? static_cast<int>(coin_below_q()) : static_cast<int>(*q == 1);
  };
  if (id.is_none() && key.is_none()) {
    if (!PyLong_CheckExact(seed.ptr())) return nothing;
    const unsigned long long number = PyLong_AsUnsignedLongLong(seed.ptr());
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return nothing;
    }
    return toss([&] { return Coin::seeded(number)(std::uint64_t{0}) < *q; });
  }
  const auto who = plain_id(id.ptr());
  const auto secret = plain_key(key.ptr());
  if (!seed.is_none() || !who || who->empty() || !secret || secret->empty()) return nothing;
  return toss([&] { return Coin::keyed(*secret)(std::string_view(*who)) < *q; });
}

// Scores as the caller has them; where low ones are favourable they fall.
nb::list points_of(const Response& response, const Reading& reading) {
  nb::list out;
  for (const Point& point : response.points) {
    out.append(nb::make_tuple(reading.turn(point.score), point.q));
  }
  return out;
}

nb::list responses_of(const Rule& rule) {
  nb::list out;
  const RuleParts& parts = rule.parts();
  for (CellCode c = 0; c < parts.cells.size(); ++c) {
    const Response& response = parts.responses[c];
    nb::dict record;
    record["cell"] = values_record(parts.cells.attributes(), parts.cells.values(c));
    if (response.shape == Response::Shape::steps) {
      record["start"] = response.start;
      record["steps"] = points_of(response, parts.reading);
    } else {
      record["ramp"] = points_of(response, parts.reading);
    }
    out.append(record);
  }
  return out;
}

CellCode code_of(const Rule& rule, const std::vector<std::string>& values) {
  const std::vector<std::string_view> views(values.begin(), values.end());
  return rule.cells().code_of(views);
}

}  // namespace

void bind_rule(nb::module_& m) {
  nb::class_<Rule> bound(m, "Rule");
  bind_rule_file(bound);
  bound
      .def("probability", &probability_by_rule, nb::arg("score"), nb::arg("attributes"),
           nb::arg("unseen"))
      .def("decide_by_key", &decide_by_key, nb::arg("score"), nb::arg("attributes"), nb::arg("ids"),
           nb::arg("key"), nb::arg("unseen"))
      .def("decide_by_seed", &decide_by_seed, nb::arg("score"), nb::arg("attributes"),
           nb::arg("seed"), nb::arg("unseen"))
      .def("person_probability", &person_probability, nb::arg("score"), nb::arg("person"),
           nb::arg("unseen"),
           nb::sig("def person_probability(self, score: object, person: dict[str, typing.Any], "
                   "unseen: str) -> float | None"))
      .def("person_decision", &person_decision, nb::arg("score"), nb::arg("person"),
           nb::arg("unseen"), nb::arg("id").none(), nb::arg("key").none(), nb::arg("seed").none(),
           nb::sig("def person_decision(self, score: object, person: dict[str, typing.Any], "
                   "unseen: str, id: object, key: object, seed: object) -> int | None"))
      .def("code_of", &code_of, nb::arg("values"))
      .def_prop_ro("attributes", [](const Rule& rule) { return rule.cells().attributes(); })
      .def_prop_ro("cells", [](const Rule& rule) { return value_lists(rule.cells()); })
      .def_prop_ro("level", [](const Rule& rule) { return rule.parts().level; })
      .def_prop_ro("calibrator", [](const Rule& rule) { return rule.parts().calibrator; })
      .def_prop_ro("responses", &responses_of,
                   nb::sig("def responses(self) -> list[dict[str, typing.Any]]"))
      .def("describe", [](const Rule& rule) { return rule.describe(); })
      .def(
          "describe_cell", [](const Rule& rule, CellCode cell) { return rule.describe(cell); },
          nb::arg("cell"));
  m.def(
      "fit_record", [](const std::string& json) { return fit_record(json); }, nb::arg("json"));
}

}  // namespace evenhand::python
