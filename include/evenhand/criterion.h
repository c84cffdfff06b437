// Criterion: what fairness means. A name and parameters; there is no default, since what is fair is
// the user's to say.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// The rate of a cell that groups are compared by; q is the probability of a positive decision.
enum class Rate {
  selection,       // E[q]
  true_positive,   // E[q given a favourable outcome]: needs labels to fit
  false_positive,  // E[q given an unfavourable outcome]: needs labels to fit
};

// How the rates of the groups of a stratum must relate.
enum class Relation {
  difference,  // largest - smallest <= tolerance
  ratio,       // smallest >= ratio * largest
  target,      // |rate - rho| <= tolerance, in every cell
};

// The common rate of equal_rates.
struct Rho {
  enum class Kind { given, base, best };
  Kind kind = Kind::best;
  double value = 0;  // in [0, 1], if given

  static Rho given(double value) { return {Kind::given, value}; }
  static Rho base() { return {Kind::base, 0}; }  // the share of positive base decisions
  static Rho best() { return {Kind::best, 0}; }  // the one that maximises the objective
  bool operator==(const Rho&) const = default;
};

// What several sensitive attributes make groups by.
enum class Across {
  intersection,  // each combination of their values is a group
  marginal,      // the values of each attribute are groups, whatever the others
  both,
};
std::string_view to_string(Across across) noexcept;
Across across_from(std::string_view name);  // throws std::invalid_argument

// Who is compared with whom. Groups are compared inside each stratum, that is for each combination
// of the values of the `within` attributes.
struct Roles {
  std::vector<std::string> sensitive;    // at least one, unless there are only requirements
  std::vector<std::string> within = {};  // none: one stratum
  Across across = Across::intersection;
  bool operator==(const Roles&) const = default;
};

struct Criterion {
  std::string name;
  std::vector<Rate> rates = {};  // the compared ones; none if there are only requirements
  Relation relation = Relation::difference;
  Roles roles;
  double tolerance = 0;                   // in [0, 1]
  double ratio = 1;                       // in (0, 1]; for Relation::ratio
  Rho rho;                                // for equal rates
  bool all_cells = false;                 // compare all cells with each other, strata or not
  std::vector<std::string> require = {};  // further requirements, in the user's words

  // Throws std::invalid_argument that says which parameter is wrong.
  void check() const;
  // Whether it or its requirements compare rates given the outcome.
  bool uses_labels() const;
  bool operator==(const Criterion&) const = default;
};

struct ParityOptions {
  std::vector<std::string> sensitive;
  std::vector<std::string> within = {};
  double tolerance = 0;
  Across across = Across::intersection;
};
Criterion statistical_parity(ParityOptions options);
Criterion equal_opportunity(ParityOptions options);
Criterion false_positive_parity(ParityOptions options);
Criterion equalized_odds(ParityOptions options);  // true- and false-positive rates, each

struct EqualRatesOptions {
  std::vector<std::string> sensitive;
  std::vector<std::string> within = {};
  double tolerance = 0;
  Rho rho = Rho::best();
};
// Every cell has one and the same selection rate (Definition 2 of the paper, which calls it
// predictive equality).
Criterion equal_rates(EqualRatesOptions options);

struct FourFifthsOptions {
  std::vector<std::string> sensitive;
  std::vector<std::string> within = {};
  double ratio = 0.8;
  Across across = Across::intersection;
};
Criterion four_fifths(FourFifthsOptions options);

// Nothing but requirements (requirement.h). The same texts may be added to any other criterion, as
// its `require`.
Criterion requirements(std::vector<std::string> require);

// All that front ends know of a criterion. Which rates it compares and how decides which
// parameters it takes: a ratio or a tolerance, and rho if one rate is common to all cells.
struct CriterionName {
  std::string_view name;                 // "statistical-parity"
  std::array<std::string_view, 2> also;  // Fairlearn's names for the same, if any
  std::span<const Rate> rates;           // the compared ones
  Relation relation;
  bool all_cells;
  std::string_view help;  // one line

  bool takes_ratio() const noexcept { return relation == Relation::ratio; }
  bool takes_tolerance() const noexcept { return !takes_ratio(); }
  bool takes_rho() const noexcept { return all_cells; }
  bool needs_labels() const noexcept { return rates.front() != Rate::selection; }
};
std::span<const CriterionName> all_criteria() noexcept;
// By any of its names; underscores are as good as hyphens. Throws std::invalid_argument.
const CriterionName& find_criterion(std::string_view name);

// By name, for front ends. A parameter that the criterion does not take is an error. No name ("")
// means requirements alone.
struct CriterionOptions {
  Roles roles;
  std::optional<double> tolerance = {};
  std::optional<double> ratio = {};
  std::optional<Rho> rho = {};
  std::vector<std::string> require = {};
};
Criterion criterion_from(std::string_view name, const CriterionOptions& options);

}  // namespace evenhand
