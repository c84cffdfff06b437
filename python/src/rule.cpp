#include <evenhand/rule.h>

#include <optional>
#include <stdexcept>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "columns.h"
#include "options.h"
#include "records.h"

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

auto probability(const Rule& rule, const NumberColumn& score, const Attributes& attributes,
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
    return rule.decide(cells_of(attributes, scores.size()), scores, ids.values, coin, policy);
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

std::vector<std::vector<std::string>> cells_in(const Rule& rule) {
  std::vector<std::vector<std::string>> out;
  for (CellCode c = 0; c < rule.cells().size(); ++c) {
    const auto values = rule.cells().values(c);
    out.emplace_back(values.begin(), values.end());
  }
  return out;
}

CellCode code_of(const Rule& rule, const std::vector<std::string>& values) {
  const std::vector<std::string_view> views(values.begin(), values.end());
  return rule.cells().code_of(views);
}

}  // namespace

void bind_rule(nb::module_& m) {
  nb::class_<Rule>(m, "Rule")
      .def("probability", &probability, nb::arg("score"), nb::arg("attributes"), nb::arg("unseen"))
      .def("decide_by_key", &decide_by_key, nb::arg("score"), nb::arg("attributes"), nb::arg("ids"),
           nb::arg("key"), nb::arg("unseen"))
      .def("decide_by_seed", &decide_by_seed, nb::arg("score"), nb::arg("attributes"),
           nb::arg("seed"), nb::arg("unseen"))
      .def("code_of", &code_of, nb::arg("values"))
      .def_prop_ro("attributes", [](const Rule& rule) { return rule.cells().attributes(); })
      .def_prop_ro("cells", &cells_in)
      .def_prop_ro(
          "scale",
          [](const Rule& rule) { return std::string(to_string(rule.parts().reading.scale)); })
      .def_prop_ro(
          "favorable",
          [](const Rule& rule) { return std::string(to_string(rule.parts().reading.favorable)); })
      .def_prop_ro("level", [](const Rule& rule) { return rule.parts().level; })
      .def_prop_ro("calibrator", [](const Rule& rule) { return rule.parts().calibrator; })
      .def_prop_ro("responses", &responses_of,
                   nb::sig("def responses(self) -> list[dict[str, typing.Any]]"))
      .def("describe", [](const Rule& rule) { return rule.describe(); })
      .def(
          "describe_cell", [](const Rule& rule, CellCode cell) { return rule.describe(cell); },
          nb::arg("cell"))
      .def(
          "to_json", [](const Rule& rule, const std::string& fit) { return rule.to_json(fit); },
          nb::arg("fit") = "")
      .def_static(
          "from_json", [](const std::string& json) { return Rule::from_json(json); },
          nb::arg("json"))
      .def(
          "same_as", [](const Rule& a, const Rule& b) { return a == b; }, nb::arg("other"));
  m.def(
      "fit_record", [](const std::string& json) { return fit_record(json); }, nb::arg("json"));
}

}  // namespace evenhand::python
