// How a fit came to be, whether rules are what they claim to be, and logs of decisions.
#include <evenhand/decision_log.h>
#include <evenhand/provenance.h>
#include <evenhand/verify.h>

#include <cmath>
#include <optional>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "columns.h"
#include "options.h"

namespace evenhand::python {
namespace {

using Attributes = std::vector<const AttributeColumn*>;
using Texts = std::vector<std::pair<std::string, std::string>>;

FitSource source_from(
    const std::string& command,
    const std::vector<std::pair<std::string, std::optional<std::uint64_t>>>& files,
    const Texts& versions, bool stamp) {
  Provenance from{.command = command, .versions = versions, .stamp = stamp};
  for (const auto& [name, bytes] : files) from.files.push_back({name, bytes});
  return fit_source(from);
}

std::string with_source(const FitSource& source, const std::string& record) {
  FitRecord out = FitRecord::from_json(record);
  out.source = source;
  return out.to_json();
}

std::string verified(const Tally& tally, const TallySource& source, const std::string& rule) {
  const nb::gil_scoped_release released;
  const RecordedRule read = RecordedRule::from_json(rule);
  Verification found = verify(StoredTally{tally, source}, std::get<Rule>(read.rule), read.fit);
  check_members(rule, found);
  return found.to_json();
}

std::optional<Coin> coin_of(const std::optional<nb::bytes>& key,
                            std::optional<std::uint64_t> seed) {
  if (key) return Coin::keyed({key->c_str(), key->size()});
  if (seed) return Coin::seeded(*seed);
  return std::nullopt;
}

std::optional<std::string> text_at(const AttributeColumn& column, std::size_t row) {
  const std::uint32_t code = column.codes[row];
  if (code == missing_code) return std::nullopt;
  return column.dictionary[code];
}

// The texts of a LogLine, then its numbers, in its order.
nb::tuple check_log(const Rule& rule, const Attributes& texts,
                    const std::vector<const NumberColumn*>& numbers,
                    const std::optional<nb::bytes>& key, std::optional<std::uint64_t> seed) {
  LogCheck check(rule, coin_of(key, seed));
  {
    const nb::gil_scoped_release released;
    std::vector<std::vector<double>> room(numbers.size());
    std::vector<std::span<const double>> values;
    for (std::size_t i = 0; i < numbers.size(); ++i) values.push_back(numbers[i]->doubles(room[i]));
    for (std::size_t row = 0; row < values.at(0).size(); ++row) {
      const auto text = [&](std::size_t i) { return text_at(*texts.at(i), row).value_or(""); };
      const auto number = [&](std::size_t i) -> std::optional<double> {
        const double value = values.at(i)[row];
        if (std::isnan(value)) return std::nullopt;
        return value;
      };
      check.see({text(0), text(1), text(2), text(3), text(4), number(0), number(1), number(2),
                 number(3), number(4)});
    }
  }
  return nb::make_tuple(check.found().to_json(), check.found().to_text());
}

// Columns by name; without ids they are positions.
nb::dict log_of(const Rule& rule, const NumberColumn& score, const Attributes& attributes,
                const TextColumn* ids, const std::optional<nb::bytes>& key,
                std::optional<std::uint64_t> seed, const std::string& unseen) {
  const Unseen policy = unseen_from(unseen);
  const Coin coin = coin_of(key, seed).value();
  const DecisionLog log(rule);
  std::vector<double> room;
  const auto scores = score.doubles(room);
  const auto people = ids ? ids->views() : std::vector<std::string_view>();
  std::vector<std::string> id, cell, reason;
  std::vector<std::optional<double>> threshold, thrown;
  std::vector<double> probability;
  std::vector<int> decision;
  {
    const nb::gil_scoped_release released;
    std::vector<std::optional<std::string>> values(attributes.size());
    for (std::size_t row = 0; row < scores.size(); ++row) {
      for (std::size_t a = 0; a < values.size(); ++a) values[a] = text_at(*attributes[a], row);
      id.push_back(ids ? std::string(people[row]) : std::to_string(row));
      const DecisionReason why = log.reason(log.cell_of(values), scores[row], policy,
                                            [&] { return coin(std::string_view(id.back())); });
      cell.push_back(log.name_of(values));
      threshold.push_back(why.threshold);
      probability.push_back(why.probability);
      thrown.push_back(why.coin);
      decision.push_back(why.decision ? 1 : 0);
      reason.push_back(why.words);
    }
  }
  nb::dict out;
  out["id"] = nb::cast(id);
  out["rule"] = nb::cast(std::vector(scores.size(), log.rule_fingerprint()));
  out["key"] = nb::cast(std::vector(scores.size(), fingerprint(coin)));
  out["cell"] = nb::cast(cell);
  out["score"] = nb::cast(std::vector<double>(scores.begin(), scores.end()));
  out["threshold"] = nb::cast(threshold);
  out["probability"] = nb::cast(probability);
  out["coin"] = nb::cast(thrown);
  out["decision"] = nb::cast(decision);
  out["reason"] = nb::cast(reason);
  return out;
}

}  // namespace

void bind_verify(nb::module_& m) {
  nb::class_<FitSource>(m, "FitSource").def("put_into", &with_source, nb::arg("record"));
  m.def("fit_source", &source_from, nb::arg("command"), nb::arg("files"), nb::arg("versions"),
        nb::arg("stamp"));
  m.def("verify", &verified, nb::arg("tally"), nb::arg("source"), nb::arg("rule"));
  m.def("check_log", &check_log, nb::arg("rule"), nb::arg("texts"), nb::arg("numbers"),
        nb::arg("key").none(), nb::arg("seed").none(),
        nb::sig("def check_log(rule: Rule, texts: collections.abc.Sequence[Attribute], numbers: "
                "collections.abc.Sequence[Numbers], key: bytes | None, seed: int | None) -> "
                "tuple[str, str]"));
  m.def("decision_log", &log_of, nb::arg("rule"), nb::arg("score"), nb::arg("attributes"),
        nb::arg("ids").none(), nb::arg("key").none(), nb::arg("seed").none(), nb::arg("unseen"),
        nb::sig("def decision_log(rule: Rule, score: Numbers, attributes: "
                "collections.abc.Sequence[Attribute], ids: Texts | None, key: bytes | None, seed: "
                "int | None, unseen: str) -> dict[str, list[typing.Any]]"));
}

}  // namespace evenhand::python
