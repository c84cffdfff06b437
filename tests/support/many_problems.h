// Random problems with up to three attributes and sixty cells, and requirements of the tests' own,
// which know how to write themselves down in the user's words.
#pragma once

#include <evenhand/evenhand.h>

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "support/problems.h"

namespace evenhand::testing::many {

inline constexpr std::array<const char*, 3> attribute_names = {"sex", "race", "region"};

// The rows of a problem, as a user would have them.
struct People {
  int attributes = 3;                             // the first of attribute_names
  std::array<std::vector<std::string>, 3> value;  // of each attribute, for each row
  std::vector<double> score;
  std::vector<std::uint8_t> label;  // the tests' own; the library sees it if `labelled`
  std::vector<double> weight;       // none: 1 each
  Scale scale = Scale::probability;
  Favorable favorable = Favorable::high;
  bool labelled = true;

  std::size_t size() const { return score.size(); }
  Cells cells() const;
  Tally tally() const;
};

struct Shape {
  std::vector<int> values = {2, 2};  // how many there are of each attribute
  int most_rows = 12;                // of a cell
  bool few_scores = false;           // many ties
  bool odd_cells = false;            // single rows, no rows, cells without one of the outcomes
  bool equal_cells = false;          // some are copies of the one before
  bool integer_weights = false;
};

// Between one cell and sixty, now and then about a thousand atoms.
Shape random_shape(Random& random, int attributes, int trial);
People random_people(Random& random, const Shape& shape);

// factor * measure[where].
struct Piece {
  double factor = 1;
  Measure measure = Measure::rate;
  std::vector<std::pair<std::string, std::string>> where = {};  // attribute, value
  bool right = false;  // written on the other side of the sign, with the factor negated
};

std::string piece_text(const Piece& piece);  // without its factor

// A measure of somebody, as one row has them; everyone's rate if that has no denominator.
Piece random_piece(Random& random, const People& people, double factor, Measure measure,
                   int conditions);

// Whether anybody is in the measure's denominator, whatever the rule.
bool has_rows(const People& people, const Piece& piece);

struct Demand {
  std::vector<Piece> pieces;
  Sense sense = Sense::at_most;
  double bound = 0;
  std::string written = {};  // otherwise than piece by piece: several demands in one text
  std::string where = {};    // which of these: the library's name for it ends so

  std::string text() const;
  std::string name() const { return text() + where; }
};
std::vector<std::string> texts(const std::vector<Demand>& demands);  // each text once

enum class Form {
  capacity,
  tpr_difference,
  ratio,
  fpr_cap,
  equality,
  sum,
  one_rate,
  measure,  // any measure, by itself
  mixed,    // a sum of measures that do not divide by decisions
};
// Every rate in it has rows in its denominator; tpr and fpr only if there are labels.
Demand random_demand(Random& random, const People& people, Form form, bool labels);

// Demands in one text of several: a distance (abs), one for each value of an attribute, or what
// base decisions reach.
enum class Wording { distance, each, base };
std::vector<Demand> worded_demands(Random& random, const People& people,
                                   const SolveOptions& options, Wording wording, bool labels);

// Whether the row has the values that the piece names.
bool meets(const People& people, const Piece& piece, std::size_t row);

struct Problem {
  People people;
  Criterion criterion;  // with the demands as its `require`
  std::vector<Demand> demands;
  SolveOptions options;
};

// What a family of problems has in common.
struct Family {
  std::string name;
  std::string criterion;  // "" for requirements alone
  Across across = Across::intersection;
  int sensitive = 1;  // number of sensitive attributes
  bool within = false;
  bool tolerance = false;
  std::vector<Form> forms = {};  // of a requirement each
  int any_forms = 0;             // and up to so many further ones of any form
  bool isotonic = false;
  bool large = true;                   // has its share of large problems
  std::vector<Wording> wordings = {};  // of requirements each

  friend std::ostream& operator<<(std::ostream& out, const Family& family) {
    return out << family.name;
  }
};

std::vector<Family> all_families();
Problem random_problem(Random& random, const Family& family, int trial);

// One of a list.
template <class List>
auto pick(Random& random, const List& list) {
  return list[static_cast<std::size_t>(random.below(static_cast<int>(list.size())))];
}

}  // namespace evenhand::testing::many
