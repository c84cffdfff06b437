// The one writer and the one reader of records of fits; docs/formats.md lists the members.
#include "record/fit_record_json.h"

#include "record/bound_json.h"
#include "record/figures_json.h"
#include "record/source_json.h"
#include "record/values.h"
#include "rule/json_file.h"

namespace evenhand {
namespace record {
namespace {

// Names that people do not choose by.
constexpr std::array status_names = {
    Name{Status::optimal, "optimal", ""},       Name{Status::feasible, "feasible", ""},
    Name{Status::inaccurate, "inaccurate", ""}, Name{Status::approximate, "approximate", ""},
    Name{Status::infeasible, "infeasible", ""},
};
constexpr std::array bound_names = {
    Name{Bound::none, "none", ""},
    Name{Bound::lower, "lower", ""},
    Name{Bound::upper, "upper", ""},
};
constexpr std::array benefits_names = {
    Name{Benefits::own, "own", ""},
    Name{Benefits::stratum, "stratum", ""},
    Name{Benefits::everybody, "everybody", ""},
};

template <class Enum>
void put_name(Json& out, const char* key, const std::optional<Enum>& value) {
  if (value) out[key] = to_string(*value);
}

// --- The criterion.

Json criterion_json(const RecordedCriterion& criterion) {
  Json out;
  out["name"] = criterion.name;
  if (!criterion.soft.empty()) out["soft"] = criterion.soft;
  if (!criterion.require.empty()) out["require"] = criterion.require;
  if (!criterion.roles) return out;
  if (criterion.soft.empty()) out["sensitive"] = criterion.roles->sensitive;
  out["within"] = criterion.roles->within;
  if (criterion.roles->across != Across::intersection) {
    out["across"] = to_string(criterion.roles->across);
  }
  put(out, "ratio", criterion.ratio);
  put(out, "tolerance", criterion.tolerance);
  if (const auto& rho = criterion.rho) {
    if (rho->kind == Rho::Kind::given) {
      out["rho"] = rho->value;
    } else {
      out["rho"] = rho->kind == Rho::Kind::base ? "base" : "best";
    }
  }
  return out;
}

RecordedCriterion criterion_from(const Json& json) {
  RecordedCriterion out;
  out.name = text_in(json, "name").value_or("");
  out.soft = texts_in(json, "soft").value_or(std::vector<std::string>());
  out.require = texts_in(json, "require").value_or(std::vector<std::string>());
  const auto sensitive = texts_in(json, "sensitive");
  const auto within = texts_in(json, "within");
  if (sensitive || within) {
    out.roles = {
        .sensitive = sensitive.value_or(std::vector<std::string>()),
        .within = within.value_or(std::vector<std::string>()),
        .across = named(across_names, text_in(json, "across")).value_or(Across::intersection)};
  }
  out.tolerance = number_in(json, "tolerance");
  out.ratio = number_in(json, "ratio");
  if (const auto rho = number_in(json, "rho")) out.rho = Rho::given(*rho);
  if (const auto rho = text_in(json, "rho")) {
    if (*rho == "base") out.rho = Rho::base();
    if (*rho == "best") out.rho = Rho::best();
  }
  return out;
}

// --- What came out.

struct ProofMember {
  const char* name;
  double RecordedProof::*value;
};
constexpr ProofMember proof_members[] = {
    {"primal", &RecordedProof::primal},
    {"dual", &RecordedProof::dual},
    {"gap", &RecordedProof::gap},
    {"violation", &RecordedProof::violation},
    {"magnitude", &RecordedProof::magnitude},
    {"base", &RecordedProof::base},
    {"lottery_share", &RecordedProof::lottery_share},
};

std::optional<RecordedProof> proof_from(const Json& json) {
  const auto status = named(status_names, text_in(json, "status"));
  if (!status) return std::nullopt;
  RecordedProof out{.status = *status};
  for (const ProofMember& member : proof_members) {
    out.*member.value = number_or_nan(json, member.name);
  }
  return out;
}

Json cell_json(const RecordedCell& cell) {
  Json out;
  out["cell"] = cell.cell;
  out["rate"] = cell.rate;
  if (cell.multiplier) {
    out["multiplier"] = *cell.multiplier;
    out["bound"] = to_string(cell.bound);
  }
  put(out, "not_compared", cell.not_compared);
  out["lottery_share"] = cell.lottery_share;
  if (cell.benefits != Benefits::own) out["benefits"] = to_string(cell.benefits);
  return out;
}

RecordedCell cell_from(const Json& json) {
  return {.cell = text_in(json, "cell").value_or(""),
          .rate = number_or_nan(json, "rate"),
          .multiplier = number_in(json, "multiplier"),
          .bound = named(bound_names, text_in(json, "bound")).value_or(Bound::none),
          .not_compared = text_in(json, "not_compared"),
          .lottery_share = number_or_nan(json, "lottery_share"),
          .benefits = named(benefits_names, text_in(json, "benefits")).value_or(Benefits::own)};
}

Json constraint_json(const RecordedConstraint& constraint) {
  return {{"text", constraint.text},
          {"value", constraint.value},
          {"multiplier", constraint.multiplier}};
}

RecordedConstraint constraint_from(const Json& json) {
  return {text_in(json, "text").value_or(""), number_or_nan(json, "value"),
          number_or_nan(json, "multiplier")};
}

Json multiplier_json(const RecordedMultiplier& multiplier) {
  return {{"cell", multiplier.cell},
          {"mean", multiplier.mean},
          {"last", multiplier.last},
          {"lowest", multiplier.lowest},
          {"highest", multiplier.highest}};
}

RecordedMultiplier multiplier_from(const Json& json) {
  return {text_in(json, "cell").value_or(""), number_or_nan(json, "mean"),
          number_or_nan(json, "last"), number_or_nan(json, "lowest"),
          number_or_nan(json, "highest")};
}

Json rate_json(const SoftRate& rate) {
  Json out = {{"column", rate.column}, {"mean", rate.mean},     {"compared", rate.compared},
              {"rate", rate.rate},     {"others", rate.others}, {"multiplier", rate.multiplier}};
  if (rate.of != Rate::selection) out["of"] = rate_of(rate.of).name;
  return out;
}

Rate rate_named(const std::optional<std::string>& name) {
  for (const RateOf& one : all_rates()) {
    if (name && *name == one.name) return one.rate;
  }
  return Rate::selection;
}

SoftRate rate_from(const Json& json) {
  return {text_in(json, "column").value_or(""),
          number_or_nan(json, "mean"),
          truth_in(json, "compared").value_or(false),
          number_or_nan(json, "rate"),
          number_or_nan(json, "others"),
          number_or_nan(json, "multiplier"),
          rate_named(text_in(json, "of"))};
}

template <class Record, class Write>
Json list_json(const std::vector<Record>& records, Write write) {
  Json out = Json::array();
  for (const Record& record : records) out.push_back(write(record));
  return out;
}

template <class Read>
auto list_from(const Json& object, const char* key, Read read) {
  std::optional<std::vector<decltype(read(object))>> out;
  const Json* const found = list_in(object, key);
  if (!found) return out;
  out.emplace();
  for (const Json& record : *found) {
    if (record.is_object()) out->push_back(read(record));
  }
  return out;
}

Json stratum_json(const RecordedStratum& stratum) {
  return {{"stratum", stratum.stratum},
          {"weight", stratum.weight},
          {"distinct", stratum.distinct},
          {"lottery_share", stratum.lottery_share},
          {"columns", list_json(stratum.columns, rate_json)}};
}

RecordedStratum stratum_from(const Json& json) {
  return {text_in(json, "stratum").value_or(""), number_or_nan(json, "weight"),
          count_in(json, "distinct").value_or(0), number_or_nan(json, "lottery_share"),
          list_from(json, "columns", rate_from).value_or(std::vector<SoftRate>())};
}

Json sgd_json(const RecordedSgd& sgd) {
  Json out;
  out["steps"] = sgd.steps;
  out["learning_rate"] = sgd.learning_rate;
  out["projection"] = to_string(sgd.projection);
  out["seed"] = sgd.seed;
  if (!sgd.multipliers.empty()) out["multipliers"] = list_json(sgd.multipliers, multiplier_json);
  return out;
}

RecordedSgd sgd_from(const Json& json) {
  return {
      count_in(json, "steps").value_or(0), number_or_nan(json, "learning_rate"),
      named(projection_names, text_in(json, "projection")).value_or(Projection::corrected),
      count_in(json, "seed").value_or(0),
      list_from(json, "multipliers", multiplier_from).value_or(std::vector<RecordedMultiplier>())};
}

// --- The data.

void put_figures(Json& out, const char* key, const RecordedFigures& figures) {
  if (const auto* const known = std::get_if<Figures>(&figures)) out[key] = figures_json(*known);
  if (const auto* const soft = std::get_if<SoftSummary>(&figures)) {
    Json& at = out[key];
    at["selection_rate"] = soft->selection_rate;
    at["accuracy"] = soft->accuracy;
    at["cost"] = soft->cost;
    at["largest_difference"] = nullptr;
    put(at, "largest_difference", soft->largest_difference);
  }
}

RecordedFigures figures_in(const Json& object, const char* key) {
  const Json* const found = object_in(object, key);
  if (!found) return {};
  if (found->contains("weight")) return figures_from(*found);
  return SoftSummary{number_or_nan(*found, "selection_rate"), number_or_nan(*found, "accuracy"),
                     number_or_nan(*found, "cost"), number_in(*found, "largest_difference")};
}

// None if the record does not say, or says what no version writes.
std::optional<Resolution> resolution_in(const Json& json) {
  const auto text = text_in(json, "resolution");
  if (!text) return std::nullopt;
  try {
    return resolution_from(*text);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

Json fit_json(const FitRecord& record) {
  Json out = Json::object();
  put(out, "version", record.version);
  if (record.criterion) out["criterion"] = criterion_json(*record.criterion);
  put(out, "gamma", record.gamma);
  put(out, "blind", record.blind);
  put(out, "cost_fp", record.cost_fp);
  put(out, "cost_fn", record.cost_fn);
  put_name(out, "calibrate", record.calibrate);
  put_name(out, "calibrate_by", record.calibrate_by);
  if (record.calibrator_given) out["calibrator_given"] = true;
  put_name(out, "lottery", record.lottery);
  put(out, "max_lottery", record.max_lottery);
  put(out, "base_threshold", record.base_threshold);
  put(out, "certified", record.certified);
  put(out, "rule_fingerprint", record.rule_fingerprint);
  if (record.proof) {
    out["status"] = to_string(record.proof->status);
    for (const ProofMember& member : proof_members) out[member.name] = *record.proof.*member.value;
  }
  if (record.cells) out["cells"] = list_json(*record.cells, cell_json);
  if (!record.constraints.empty()) {
    out["constraints"] = list_json(record.constraints, constraint_json);
  }
  if (record.strata) out["strata"] = list_json(*record.strata, stratum_json);
  if (record.sgd) out["sgd"] = sgd_json(*record.sgd);
  if (record.bound) {
    const Roles roles = record.criterion.value_or(RecordedCriterion()).roles.value_or(Roles());
    out["bound"] = bound_json(*record.bound, roles.within);
  }
  if (record.columns) out["columns"] = columns_json(*record.columns);
  if (record.reading) {
    out["scale"] = to_string(record.reading->scale);
    out["favorable"] = to_string(record.reading->favorable);
  }
  if (record.resolution) out["resolution"] = to_string(*record.resolution);
  if (record.min_count > 0) out["min_count"] = record.min_count;
  put(out, "rows", record.rows);
  put(out, "weight", record.weight);
  if (record.excluded > 0) out["excluded"] = record.excluded;
  put(out, "labelled", record.labelled);
  put(out, "fingerprint", record.fingerprint);
  if (!record.parts.empty()) out["parts"] = record.parts;
  if (!record.notes.empty()) out["notes"] = record.notes;
  put_figures(out, "before", record.before);
  put_figures(out, "after", record.after);
  if (record.source) out["source"] = source_json(*record.source);
  return out;
}

FitRecord fit_from(const Json& json) {
  FitRecord out;
  out.version = text_in(json, "version").value_or("");
  if (const Json* const criterion = object_in(json, "criterion")) {
    out.criterion = criterion_from(*criterion);
  }
  out.gamma = number_in(json, "gamma");
  out.blind = truth_in(json, "blind");
  out.cost_fp = number_in(json, "cost_fp");
  out.cost_fn = number_in(json, "cost_fn");
  out.calibrate = named(calibration_names, text_in(json, "calibrate"));
  out.calibrate_by = named(calibrate_by_names, text_in(json, "calibrate_by"));
  out.calibrator_given = truth_in(json, "calibrator_given").value_or(false);
  out.lottery = named(lottery_names, text_in(json, "lottery"));
  out.max_lottery = number_in(json, "max_lottery");
  out.base_threshold = number_in(json, "base_threshold");
  out.certified = number_in(json, "certified");
  out.rule_fingerprint = text_in(json, "rule_fingerprint").value_or("");
  out.proof = proof_from(json);
  out.cells = list_from(json, "cells", cell_from);
  out.constraints =
      list_from(json, "constraints", constraint_from).value_or(std::vector<RecordedConstraint>());
  out.strata = list_from(json, "strata", stratum_from);
  if (const Json* const sgd = object_in(json, "sgd")) out.sgd = sgd_from(*sgd);
  if (const Json* const bound = object_in(json, "bound")) out.bound = bound_from(*bound);
  if (const Json* const columns = object_in(json, "columns")) out.columns = columns_from(*columns);
  const auto scale = named(scale_names, text_in(json, "scale"));
  const auto favorable = named(favorable_names, text_in(json, "favorable"));
  if (scale && favorable) out.reading = {*scale, *favorable};
  out.resolution = resolution_in(json);
  out.min_count = number_in(json, "min_count").value_or(0);
  out.rows = count_in(json, "rows");
  out.weight = number_in(json, "weight");
  out.excluded = count_in(json, "excluded").value_or(0);
  out.labelled = truth_in(json, "labelled");
  out.fingerprint = text_in(json, "fingerprint").value_or("");
  out.parts = texts_in(json, "parts").value_or(std::vector<std::string>());
  out.notes = texts_in(json, "notes").value_or(std::vector<std::string>());
  out.before = figures_in(json, "before");
  out.after = figures_in(json, "after");
  if (const Json* const source = object_in(json, "source")) out.source = source_from(*source);
  return out;
}

}  // namespace record

std::string FitRecord::to_json() const {
  return record::fit_json(*this).dump();
}

FitRecord FitRecord::from_json(std::string_view json) {
  const record::Json parsed = json_file::parse(json);
  if (!parsed.is_object()) json_file::fail("fit is not an object");
  return record::fit_from(parsed);
}

std::string rule_file(const Rule& rule, const FitRecord& record) {
  return json_file::with_fit(rule.to_json(), record::fit_json(record));
}

std::string rule_file(const SoftRule& rule, const FitRecord& record) {
  return json_file::with_fit(rule.to_json(), record::fit_json(record));
}

RecordedRule RecordedRule::from_json(std::string_view json) {
  const record::Json file = json_file::parse_file(json);
  RecordedRule out;
  if (json_file::is_soft(file)) {
    out.rule = json_file::soft_rule_in(file);
  } else {
    out.rule = json_file::rule_in(file);
  }
  if (file.contains("fit")) out.fit = record::fit_from(file["fit"]);
  return out;
}

}  // namespace evenhand
