// Monitoring: is the difference between groups still within its tolerance, batch after batch?
// Valid however often one looks (docs/method.md, "Monitoring").
#pragma once

#include <evenhand/confidence.h>
#include <evenhand/criterion.h>
#include <evenhand/rule.h>
#include <evenhand/tally.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenhand {

// Evidence against "in every batch p_a - p_b <= tolerance": a product of likelihood ratios whose
// expectation is at most 1 while that is true, whatever the rates do from batch to batch. So it
// ever reaches 1 / alpha with probability alpha at most.
class PairEvidence {
 public:
  explicit PairEvidence(double tolerance);  // in (-1, 1); else throws std::invalid_argument

  // The alternatives come from earlier batches alone: the first one only teaches.
  void add(const RateCount& a, const RateCount& b);
  double log_evidence() const noexcept;

 private:
  static constexpr std::array gaps = {0.01, 0.02, 0.04, 0.08, 0.16};

  double tolerance_;
  std::array<double, gaps.size()> logs_{};
  RateCount past_;
};

// The smallest d such that "p_a - p_b >= d in every batch" was rejected at some look, at level
// alpha: a bound of the difference, if it is the same in all batches.
double monitored_difference_at_most(std::span<const std::pair<RateCount, RateCount>> batches,
                                    double alpha);

struct MonitorOptions {
  double tolerance = 0.05;   // in [0, 1)
  double confidence = 0.95;  // 1 - confidence is the chance of a false alarm, ever
  // What is monitored: the rule's fingerprint, or any text; a state of another one is refused.
  std::string subject = {};
};

// A group in a stratum, in one batch; under a criterion of two rates it occurs once for each.
struct MonitoredGroup {
  std::string stratum;  // empty where there is one
  std::string group;
  RateCount count;  // for label rates, of the rows with the outcome
  Rate rate = Rate::selection;
};

struct MonitorBatch {
  std::string name;  // batches come in the order of their names (batch_before)
  std::vector<MonitoredGroup> groups;
  std::optional<double> mean_score = {};  // shown beside, not tested
};

// Whether a batch comes before another, by their names: numbers in them by their value, so that 9
// comes before 10, and all else as text.
bool batch_before(std::string_view a, std::string_view b) noexcept;

// The rates of a criterion, by its name; selection rates for none, and for requirements alone.
// Throws std::invalid_argument for a name that is not known.
std::vector<Rate> monitored_rates(std::string_view criterion);

// What is monitored, a MonitorOptions::subject: the fingerprint of a rule, or the column that
// decisions stand in; and the rates, unless they are selection rates.
std::string monitored_subject(const Rule& rule, const std::vector<Rate>& rates = {Rate::selection});
std::string monitored_subject(const std::string& decisions,
                              const std::vector<Rate>& rates = {Rate::selection});

// The decisions of a rule about the people of a tally, as one batch, or as a batch for each value
// of the attribute `period`. Without a rule the scores are decisions, 0 or 1. Throw
// std::invalid_argument for weighted rows, and like audit_report.
MonitorBatch monitored_batch(std::string name, const Tally& tally, const Roles& roles,
                             const Rule* rule, const std::vector<Rate>& rates = {Rate::selection});
std::vector<MonitorBatch> monitored_batches(const Tally& tally, const Roles& roles,
                                            const std::string& period, const Rule* rule,
                                            const std::vector<Rate>& rates = {Rate::selection});
// Groups that only some of the batches have are in the others, too, with no rows.
void add_missing_groups(std::vector<MonitorBatch>& batches);

// What was known after a batch.
struct MonitorLook {
  std::string batch;
  double rows = 0;
  double difference = 0;    // the largest one in this batch
  double log_evidence = 0;  // over all batches so far, of all pairs together
  // Of the difference, if it is the same in all batches; none where the state was read.
  std::optional<double> bound = {};
  bool alarm = false;  // now, or at an earlier look
  std::optional<double> mean_score = {};
  double largest_share_change = 0;  // of a group's share of rows, since the first batch
};

// Batch after batch. Pairs of groups inside each stratum, for each rate, share the evidence in
// equal parts.
class Monitor {
 public:
  explicit Monitor(MonitorOptions options);  // throws std::invalid_argument

  // Throws std::invalid_argument for a batch that was seen, or comes before the last one, for a
  // group that occurs twice, and for counts that cannot be.
  const MonitorLook& add(MonitorBatch batch);

  const MonitorOptions& options() const noexcept { return options_; }
  const std::vector<MonitorLook>& looks() const noexcept { return looks_; }
  bool alarm() const noexcept { return !looks_.empty() && looks_.back().alarm; }

  // A small file to continue from. Reading it adds its batches again, so that it cannot disagree
  // with itself. Throws std::invalid_argument unless it is a state of the same options, without a
  // key that is unknown or occurs twice.
  std::string to_json() const;
  static Monitor from_json(std::string_view json, const MonitorOptions& options);

 private:
  void take(MonitorBatch batch);  // all but the bound

  struct Pair {
    Rate rate;
    std::string stratum, over, under;
    PairEvidence evidence;
    std::vector<std::pair<RateCount, RateCount>> batches;
  };

  MonitorOptions options_;
  std::vector<MonitorBatch> batches_;
  std::vector<MonitorLook> looks_;
  std::vector<Pair> pairs_;
};

}  // namespace evenhand
