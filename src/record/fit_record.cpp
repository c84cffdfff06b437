// What solutions and their data say, as records; and the files that solutions write.
#include <evenhand/fit_record.h>
#include <evenhand/version.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "record/sha256.h"

namespace evenhand {
namespace {

RecordedCriterion recorded(const Criterion& criterion) {
  RecordedCriterion out{.name = criterion.name, .require = criterion.require};
  if (!criterion.rates.empty() || !criterion.roles.within.empty()) out.roles = criterion.roles;
  if (criterion.rates.empty()) return out;
  if (criterion.relation == Relation::ratio) {
    out.ratio = criterion.ratio;
  } else {
    out.tolerance = criterion.tolerance;
  }
  if (criterion.all_cells) out.rho = criterion.rho;
  return out;
}

template <class AnySolution>
RecordedProof proof_of(const AnySolution& found) {
  return {.status = found.status,
          .primal = found.primal,
          .dual = found.dual,
          .gap = found.gap,
          .violation = found.violation,
          .magnitude = found.magnitude,
          .base = found.base,
          .lottery_share = found.lottery_share};
}

// The same rows, counted at another resolution.
Tally counted_at(const Tally& exact, const Resolution& resolution) {
  const Reading& reading = exact.reading();
  const bool low = reading.favorable == Favorable::low;
  std::vector<double> score, count, positives;
  std::vector<CellCode> codes;
  for (CellCode c = 0; c < exact.cells().size(); ++c) {
    for (const Entry& entry : exact.entries(c)) {
      score.push_back(reading.turn(entry.score));
      count.push_back(entry.n);
      positives.push_back(low ? entry.n - entry.n1 : entry.n1);
      codes.push_back(c);
    }
  }
  return Tally::counted(score, count, {exact.cells(), codes},
                        {.positives = exact.labelled() ? Numbers(positives) : Numbers(),
                         .scale = reading.scale,
                         .favorable = reading.favorable,
                         .resolution = resolution,
                         .weighted = !exact.unit_weights()});
}

}  // namespace

Criterion RecordedCriterion::criterion() const {
  return criterion_from(name == "requirements" ? "" : name, {.roles = roles.value_or(Roles()),
                                                             .tolerance = tolerance,
                                                             .ratio = ratio,
                                                             .rho = rho,
                                                             .require = require});
}

SoftSummary SoftSummary::of(const SoftAudit& audit) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  return {audit.selection_rate, audit.accuracy.value_or(unknown), audit.cost.value_or(unknown),
          audit.largest_difference()};
}

FitRecord FitRecord::of(const Solution& solution) {
  if (solution.status == Status::infeasible) {
    throw std::invalid_argument("there is no rule to write: no rule meets the requirements");
  }
  FitRecord out{.version = EVENHAND_VERSION,
                .criterion = recorded(solution.criterion),
                .gamma = solution.options.gamma,
                .cost_fp = solution.options.costs.false_positive,
                .cost_fn = solution.options.costs.false_negative,
                .calibrate = solution.options.calibrate,
                .lottery = solution.options.lottery,
                .max_lottery = solution.options.max_lottery,
                .base_threshold = solution.options.base_threshold,
                .certified = solution.certified,
                .rule_fingerprint = evenhand::fingerprint(solution.rule),
                .proof = proof_of(solution)};
  out.calibrator_given = solution.options.calibrator.has_value();
  if (const auto& calibrator = solution.rule.parts().calibrator) {
    out.calibrate = calibrator->method();
    out.calibrate_by = calibrator->by();
  }
  if (solution.options.blind) out.blind = true;
  out.notes = solution.notes;
  for (const Constraint& constraint : solution.constraints) {
    if (constraint.multiplier == 0 && !constraint.required) continue;
    out.constraints.push_back({constraint.text, constraint.value, constraint.multiplier});
  }
  const CellNames& names = solution.options.blind ? solution.names : solution.rule.cells();
  out.cells.emplace();
  for (CellCode c = 0; c < solution.cells.size(); ++c) {
    const CellOutcome& outcome = solution.cells[c];
    RecordedCell cell{
        .cell = names.name(c), .rate = outcome.rate, .lottery_share = outcome.lottery_share};
    cell.benefits = outcome.benefits;
    if (!outcome.compared) {
      cell.not_compared = outcome.reason;
    } else if (out.constraints.empty()) {  // or none of them counts: then these are 0
      cell.multiplier = outcome.multiplier;
      cell.bound = outcome.bound;
    }
    out.cells->push_back(std::move(cell));
  }
  return out;
}

FitRecord FitRecord::of(const SgdResult& result) {
  FitRecord out = of(result.solution);
  out.sgd = {.steps = result.steps,
             .learning_rate = result.learning_rate,
             .projection = result.projection,
             .seed = result.seed};
  for (const SgdMultiplier& one : result.multipliers) {
    out.sgd->multipliers.push_back(
        {result.solution.rule.cells().name(one.cell), one.mean, one.last, one.lowest, one.highest});
  }
  return out;
}

FitRecord FitRecord::of(const SoftSolution& solution) {
  const SoftRuleParts& parts = solution.rule.parts();
  FitRecord out{.version = EVENHAND_VERSION,
                .criterion = RecordedCriterion{.name = "soft-" + solution.criterion,
                                               .roles = Roles{{}, parts.strata.attributes()},
                                               .ratio = solution.ratio},
                .gamma = parts.gamma,
                .cost_fp = parts.costs.false_positive,
                .cost_fn = parts.costs.false_negative,
                .rule_fingerprint = evenhand::fingerprint(solution.rule),
                .proof = proof_of(solution)};
  if (!solution.strata.empty()) {
    std::vector<std::string>& soft = out.criterion->soft;
    for (const SoftRate& rate : solution.strata.front().columns) {
      if (std::find(soft.begin(), soft.end(), rate.column) == soft.end()) {
        soft.push_back(rate.column);
      }
    }
  }
  if (solution.tolerance > 0) out.criterion->tolerance = solution.tolerance;
  out.strata.emplace();
  for (CellCode c = 0; c < solution.strata.size(); ++c) {
    const SoftStratumOutcome& outcome = solution.strata[c];
    out.strata->push_back({parts.strata.name(c), outcome.weight, outcome.distinct,
                           outcome.lottery_share, outcome.columns});
  }
  return out;
}

void FitRecord::add(const StoredTally& data) {
  const TallySource& from = data.source;
  columns = {.score = from.score,
             .sensitive = from.roles.sensitive,
             .within = from.roles.within,
             .label = from.label,
             .weight = from.weight,
             .null = from.null};
  reading = data.tally.reading();
  if (data.tally.resolution() != Resolution::exact()) resolution = data.tally.resolution();
  min_count = from.min_count;
  rows = data.rows();
  weight = data.tally.total().n;
  excluded = from.excluded;
  labelled = data.tally.labelled();
  fingerprint = data.fingerprint();
  parts = from.parts;
}

void FitRecord::add(const StoredTally& data, const Solution& solution) {
  add(data);
  const AuditOptions auditing = auditing_of(solution);
  before = audit(data.tally, data.source.roles, auditing).overall.figures;
  after = audit(data.tally, data.source.roles, solution.rule, auditing).overall.figures;
  // That of a certified fit is CertifiedFit::bound, which covers the certified strata alone.
  if (!bound && !solution.certified) bound = confidence_bound(data.tally, solution);
}

void FitRecord::add(const TallySource& from, const std::vector<std::string>& soft,
                    const SoftSolution& solution) {
  columns = {.score = from.score,
             .soft = soft,
             .within = from.roles.within,
             .label = from.label,
             .weight = from.weight,
             .null = from.null};
  reading = solution.rule.parts().reading;
  rows = from.rows;
  weight = 0;
  for (const SoftStratumOutcome& stratum : solution.strata) *weight += stratum.weight;
  excluded = from.excluded;
  bound.emplace().reason = "nobody's group is known, so no group's rate is observed";
}

std::string fingerprint(const Rule& rule) {
  return record::sha256(rule.to_json());
}

std::string fingerprint(const SoftRule& rule) {
  return record::sha256(rule.to_json());
}

bool FitRecord::fitted_on(const StoredTally& data) const {
  if (fingerprint.empty()) return false;
  if (fingerprint == data.fingerprint()) return true;
  // The fit may have cut scores that are exact here.
  const bool exact = data.tally.resolution() == Resolution::exact() && data.source.min_count == 0;
  return resolution && exact && data.tally.total().n > 0 &&
         fingerprint == evenhand::fingerprint(counted_at(data.tally, *resolution));
}

AuditOptions auditing_of(const Solution& solution) {
  return {.costs = solution.options.costs,
          .base_threshold = solution.options.base_threshold,
          .calibrator = solution.rule.parts().calibrator};
}

std::string Solution::to_json() const {
  return rule_file(rule, FitRecord::of(*this));
}

std::string SgdResult::to_json() const {
  return rule_file(solution.rule, FitRecord::of(*this));
}

std::string SoftSolution::to_json() const {
  return rule_file(rule, FitRecord::of(*this));
}

}  // namespace evenhand
