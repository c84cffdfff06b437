// Where tallies come from, and the metadata of their files.
#include <evenhand/tally_file.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "options.h"

namespace evenhand::python {

namespace nb = nanobind;

namespace {

using Names = std::vector<std::string>;
using State = std::tuple<Names, Names, std::string, std::string, std::string, std::string,
                         std::optional<std::uint64_t>, std::uint64_t, double, std::string, Names>;

// All members of a source, const or not.
template <class Source>
auto members_of(Source& source) {
  return std::tie(source.roles.sensitive, source.roles.within, source.score, source.label,
                  source.weight, source.null, source.rows, source.excluded, source.min_count,
                  source.fingerprint, source.parts);
}

State state_of(const TallySource& source) {
  return members_of(source);
}

TallySource source_of(const State& state) {
  TallySource out;
  members_of(out) = state;
  return out;
}

}  // namespace

void bind_tally_source(nb::module_& m) {
  nb::class_<TallySource>(m, "TallySource")
      .def(
          "__init__",
          [](TallySource* self, Names sensitive, Names within, std::string score, std::string label,
             std::string weight, std::string null, std::optional<std::uint64_t> rows,
             std::uint64_t excluded) {
            new (self) TallySource(source_of({std::move(sensitive),
                                              std::move(within),
                                              std::move(score),
                                              std::move(label),
                                              std::move(weight),
                                              std::move(null),
                                              rows,
                                              excluded,
                                              0,
                                              "",
                                              {}}));
          },
          nb::kw_only(), nb::arg("sensitive") = Names(), nb::arg("within") = Names(),
          nb::arg("score") = "", nb::arg("label") = "", nb::arg("weight") = "",
          nb::arg("null") = "", nb::arg("rows").none() = nb::none(), nb::arg("excluded") = 0)
      .def_prop_ro("sensitive", [](const TallySource& source) { return source.roles.sensitive; })
      .def_prop_ro("within", [](const TallySource& source) { return source.roles.within; })
      .def_ro("score", &TallySource::score)
      .def_ro("label", &TallySource::label)
      .def_ro("weight", &TallySource::weight)
      .def_ro("null", &TallySource::null)
      .def_ro("rows", &TallySource::rows)
      .def_ro("excluded", &TallySource::excluded)
      .def_ro("min_count", &TallySource::min_count)
      .def_ro("parts", &TallySource::parts)
      // Before the counts are changed: whose fingerprint to keep.
      .def(
          "pinned",
          [](const TallySource& source, const Tally& tally) {
            TallySource out = source;
            out.fingerprint = StoredTally{tally, source}.fingerprint();
            return out;
          },
          nb::arg("tally"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "with_roles",
          [](TallySource source, Names sensitive, Names within) {
            source.roles = {.sensitive = std::move(sensitive), .within = std::move(within)};
            return source;
          },
          nb::arg("sensitive"), nb::arg("within"))
      .def(
          "with_min_count",
          [](TallySource source, double min_count) {
            source.min_count = min_count;
            return source;
          },
          nb::arg("min_count"))
      // Rows that are added to a tally: their columns have no names of their own.
      .def(
          "with_rows",
          [](const TallySource& source, TallySource added) {
            added.roles = source.roles;
            TallySource out = source.merged(added);
            out.score = source.score;
            out.label = source.label;
            out.weight = source.weight;
            out.min_count = source.min_count;
            return out;  // a tally of its own, of another fingerprint
          },
          nb::arg("added"))
      .def("__getstate__", &state_of)
      .def("__setstate__", [](TallySource& self, const State& state) {
        new (&self) TallySource(source_of(state));
      });
  nb::class_<TallyMetadata>(m, "TallyMetadata")
      .def_ro("attributes", &TallyMetadata::attributes)
      .def_ro("labelled", &TallyMetadata::labelled)
      .def_ro("weighted", &TallyMetadata::weighted)
      .def_ro("level", &TallyMetadata::level)
      .def_ro("source", &TallyMetadata::source)
      .def_prop_ro("scale",
                   [](const TallyMetadata& of) { return std::string(to_string(of.reading.scale)); })
      .def_prop_ro(
          "favorable",
          [](const TallyMetadata& of) { return std::string(to_string(of.reading.favorable)); })
      .def_prop_ro("resolution", [](const TallyMetadata& of) { return to_string(of.resolution); })
      .def("check", &TallyMetadata::check, nb::arg("tally"))
      .def("check_columns", &TallyMetadata::check_columns, nb::arg("columns"))
      .def_static(
          "from_json", [](const std::string& json) { return TallyMetadata::from_json(json); },
          nb::arg("json"));
  const auto def_stored = [&m](const char* name, auto member, const auto&... extra) {
    m.def(
        name,
        [member](const Tally& tally, const TallySource& source) {
          return (StoredTally{tally, source}.*member)();
        },
        nb::arg("tally"), nb::arg("source"), extra...);
  };
  def_stored("tally_metadata", &StoredTally::metadata);
  def_stored("tally_rows", &StoredTally::rows);
  def_stored("tally_fingerprint", &StoredTally::fingerprint,
             nb::call_guard<nb::gil_scoped_release>());
  m.def(
      "merge_tallies",
      [](const Tally& tally, const TallySource& source, const Tally& other,
         const TallySource& other_source, bool allow_repeated) {
        const nb::gil_scoped_release released;
        StoredTally out = StoredTally{tally, source}.merged(
            {other, other_source}, allow_repeated ? Repeated::allow : Repeated::refuse);
        return std::pair(std::move(out.tally), std::move(out.source));
      },
      nb::arg("tally"), nb::arg("source"), nb::arg("other"), nb::arg("other_source"),
      nb::arg("allow_repeated"));
}

}  // namespace evenhand::python
