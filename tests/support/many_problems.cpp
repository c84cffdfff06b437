#include "support/many_problems.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>

namespace evenhand::testing::many {
namespace {

const std::array<std::vector<std::string>, 3> value_names = {{
    {"F", "M", "X"},
    {"Black", "White", "Two or more", "Asian"},
    {"North", "St. Mary's", "South", "say \"east\"", "West"},
}};

std::string number(double x) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  return {buffer.data(), end};
}

std::string word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (plain) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string piece_text(const Piece& piece) {
  std::string out(to_string(piece.measure));
  if (piece.where.empty()) return out;
  out += '[';
  for (std::size_t i = 0; i < piece.where.size(); ++i) {
    if (i > 0) out += ", ";
    out += word(piece.where[i].first) + '=' + word(piece.where[i].second);
  }
  return out + ']';
}

// A rate of somebody, as one row has them; everyone's if that has no denominator.
Piece random_piece(Random& random, const People& people, double factor, Measure measure,
                   int conditions) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    Piece piece{factor, measure, {}, false};
    const auto row = static_cast<std::size_t>(random.below(static_cast<int>(people.size())));
    std::set<int> attributes;
    while (static_cast<int>(attributes.size()) < std::min(conditions, people.attributes)) {
      attributes.insert(random.below(people.attributes));
    }
    for (const int a : attributes) {
      const auto i = static_cast<std::size_t>(a);
      piece.where.emplace_back(attribute_names[i], people.value[i][row]);
    }
    if (has_rows(people, piece)) return piece;
  }
  const bool everyone = measure != Measure::share && has_rows(people, {1, measure, {}, false});
  return {factor, everyone ? measure : Measure::rate, {}, false};
}

namespace {

bool same_rate(const Piece& a, const Piece& b) {
  return a.measure == b.measure && a.where == b.where;
}

}  // namespace

Cells People::cells() const {
  std::vector<Attribute> list;
  for (std::size_t a = 0; a < static_cast<std::size_t>(attributes); ++a) {
    list.push_back({attribute_names[a], value[a]});
  }
  return Cells::from(list);
}

Tally People::tally() const {
  TallyOptions options{.scale = scale, .favorable = favorable};
  if (labelled) options.label = label;
  if (!weight.empty()) options.weight = weight;
  return Tally::of(score, cells(), options);
}

Shape random_shape(Random& random, int attributes, int trial) {
  Shape out;
  out.values.clear();
  for (std::size_t a = 0; a < static_cast<std::size_t>(attributes); ++a) {
    const auto most = static_cast<int>(value_names[a].size());
    const int usual = attributes == 1 ? most : attributes == 2 ? 3 : 2;
    out.values.push_back(random.chance(0.06)   ? 1
                         : random.chance(0.05) ? most
                                               : 2 + random.below(usual - 1));
  }
  out.most_rows = 1 + random.below(random.chance(0.2) ? 40 : 12);
  out.few_scores = random.chance(0.4);
  out.odd_cells = random.chance(0.5);
  out.equal_cells = random.chance(0.2);
  out.integer_weights = random.chance(0.4);
  if (trial % 50 == 49) {  // some with about a thousand atoms, some with all sixty cells
    int cells = 1;
    for (std::size_t a = 0; a < out.values.size(); ++a) {
      if (trial % 100 == 99) out.values[a] = static_cast<int>(value_names[a].size());
      cells *= out.values[a];
    }
    out.most_rows = 2000 / cells;
    out.few_scores = false;
  }
  return out;
}

People random_people(Random& random, const Shape& shape) {
  People out;
  out.attributes = static_cast<int>(shape.values.size());
  out.scale = pick(random, std::array{Scale::probability, Scale::signed_, Scale::logit});
  out.favorable = random.chance(0.3) ? Favorable::low : Favorable::high;
  int cells = 1;
  for (const int count : shape.values) cells *= count;
  std::size_t last = 0;  // the first row of the cell before
  for (int c = 0; c < cells; ++c) {
    const std::size_t start = out.size();
    const bool copy = shape.equal_cells && random.chance(0.4);
    const RandomCell cell(random, shape.most_rows, shape.odd_cells);
    const int count = copy && c > 0 ? static_cast<int>(start - last) : cell.rows;
    for (int i = 0; i < count; ++i) {
      if (copy && c > 0) {
        const std::size_t original = last + static_cast<std::size_t>(i);
        out.score.push_back(out.score[original]);
        out.label.push_back(out.label[original]);
        if (shape.integer_weights) out.weight.push_back(out.weight[original]);
      } else {
        const double score = random_score(random, cell, out.scale, shape.few_scores ? 6 : 0);
        out.score.push_back(score);
        out.label.push_back(random_label(random, cell, out.scale, score));
        if (shape.integer_weights) out.weight.push_back(random.below(5));
      }
      int rest = c;
      for (std::size_t a = 0; a < shape.values.size(); ++a) {
        out.value[a].push_back(value_names[a][static_cast<std::size_t>(rest % shape.values[a])]);
        rest /= shape.values[a];
      }
    }
    last = start;
  }
  if (out.size() == 0) return random_people(random, shape);
  if (!out.weight.empty()) out.weight.front() = 1;  // not all may be zero
  return out;
}

std::string Demand::text() const {
  if (!written.empty()) return written;
  const auto side = [&](bool right) {
    std::string out;
    for (const Piece& piece : pieces) {
      if (piece.right != right) continue;
      const double factor = right ? -piece.factor : piece.factor;
      out += out.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
      if (std::abs(factor) != 1) out += number(std::abs(factor)) + " * ";
      out += piece_text(piece);
    }
    return out;
  };
  const std::string right = side(true);
  const char* sign = sense == Sense::at_most ? " <= " : sense == Sense::equal ? " = " : " >= ";
  return side(false) + sign + (right.empty() ? number(bound) : right);
}

std::vector<std::string> texts(const std::vector<Demand>& demands) {
  std::vector<std::string> out;
  for (const Demand& demand : demands) {
    if (std::find(out.begin(), out.end(), demand.text()) == out.end()) out.push_back(demand.text());
  }
  return out;
}

bool has_rows(const People& people, const Piece& piece) {
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (!people.weight.empty() && people.weight[i] == 0) continue;
    const bool favorable = (people.label[i] == 1) != (people.favorable == Favorable::low);
    if (piece.measure == Measure::tpr && !favorable) continue;
    if (piece.measure == Measure::fpr && favorable) continue;
    if (meets(people, piece, i)) return true;
  }
  return false;
}

bool meets(const People& people, const Piece& piece, std::size_t row) {
  for (const auto& [attribute, value] : piece.where) {
    for (std::size_t a = 0; a < 3; ++a) {
      if (attribute == attribute_names[a] && people.value[a][row] != value) return false;
    }
  }
  return true;
}

Demand random_demand(Random& random, const People& people, Form form, bool labels) {
  const auto somebody = [&](Measure measure, double factor = 1) {
    return random_piece(random, people, factor, measure, 1 + random.below(2));
  };
  const auto any_rate = [&] {
    return labels ? pick(random, std::array{Measure::rate, Measure::tpr, Measure::fpr})
                  : Measure::rate;
  };
  const double x = std::round(100 * random.unit()) / 100;
  switch (form) {
    case Form::capacity:
      return {{{1, Measure::rate, {}, false}}, Sense::at_most, x / 2};
    case Form::tpr_difference: {
      const Piece a = somebody(labels ? Measure::tpr : Measure::rate);
      Piece b = somebody(a.measure, -1);
      for (int i = 0; i < 20 && same_rate(a, b); ++i) b = somebody(a.measure, -1);
      if (same_rate(a, b)) b = {-1, Measure::rate, {}, false};
      if (same_rate(a, b)) return {{a}, Sense::at_most, x};
      return {{a, b}, Sense::at_most, x / 5 - 0.08};
    }
    case Form::ratio: {
      const Piece a = somebody(Measure::rate);
      Piece b = somebody(Measure::rate, -0.5 - x / 2);
      for (int i = 0; i < 20 && same_rate(a, b); ++i) b = somebody(a.measure, b.factor);
      if (same_rate(a, b)) return {{a}, Sense::at_least, x};
      b.right = true;
      return {{a, b}, Sense::at_least, 0};
    }
    case Form::fpr_cap:
      return {{random_piece(random, people, 1, labels ? Measure::fpr : Measure::rate,
                            random.chance(0.5) ? 0 : 1)},
              Sense::at_most,
              x / 3};
    case Form::equality:
      return {{somebody(any_rate())}, Sense::equal, x};
    case Form::sum: {
      // Bound at what a constant rule gives, with some room.
      Demand out;
      double total = 0;
      for (int i = 2 + random.below(3); i > 0; --i) {
        const Piece piece = random_piece(random, people, (random.below(41) - 20) / 8.0, any_rate(),
                                         random.below(3));
        bool fresh = piece.factor != 0;
        for (const Piece& other : out.pieces) fresh = fresh && !same_rate(piece, other);
        if (!fresh) continue;
        out.pieces.push_back(piece);
        total += piece.factor;
      }
      if (out.pieces.empty()) out.pieces.push_back({1, Measure::rate, {}, false});
      out.sense = pick(random, std::array{Sense::at_most, Sense::at_least, Sense::equal});
      const double room = pick(random, std::array{0.0, 0.01, 0.1});
      out.bound = total * x + (out.sense == Sense::at_most ? room : -room);
      if (out.sense == Sense::equal) out.bound = total * x;
      return out;
    }
    case Form::one_rate:
      return {{somebody(any_rate())}, random.chance(0.5) ? Sense::at_most : Sense::at_least, x};
    case Form::measure: {
      const Piece piece =
          somebody(pick(random, std::array{Measure::accuracy, Measure::cost, Measure::selected,
                                           Measure::precision, Measure::npv, Measure::share}),
                   random.chance(0.8) ? 1 : -2.5);
      const double size = piece.measure == Measure::selected ? 5 : 1;
      return {{piece},
              random.chance(0.1)   ? Sense::equal
              : random.chance(0.5) ? Sense::at_most
                                   : Sense::at_least,
              piece.factor * size * x};
    }
    case Form::mixed:
      return {{somebody(pick(random, std::array{Measure::accuracy, Measure::cost})),
               somebody(any_rate(), 0.5), somebody(Measure::selected, 0.01)},
              random.chance(0.5) ? Sense::at_most : Sense::at_least,
              2 * x};
  }
  throw std::logic_error("no such form");
}

namespace {

// Measures that go by what the scores expect, where there are no labels.
bool by_scores(const Family& family) {
  const auto has = [&](Form form) {
    return std::find(family.forms.begin(), family.forms.end(), form) != family.forms.end();
  };
  return has(Form::measure) || has(Form::mixed) || !family.wordings.empty();
}

}  // namespace

Problem random_problem(Random& random, const Family& family, int trial) {
  Problem out;
  // With a criterion every attribute has a role.
  int sensitive = family.sensitive;
  int within = family.within ? 1 : 0;
  if (sensitive + within < 3 && random.chance(0.3)) {
    if (family.within)
      ++within;
    else if (family.across == Across::intersection)
      ++sensitive;
  }
  const int attributes = family.criterion.empty() ? 1 + random.below(3) : sensitive + within;
  out.people = random_people(random, random_shape(random, attributes, family.large ? trial : 0));
  const bool label_criterion = family.criterion == "equal-opportunity" ||
                               family.criterion == "false-positive-parity" ||
                               family.criterion == "equalized-odds";
  const bool labels = label_criterion || family.isotonic ||
                      ((family.criterion.empty() && !by_scores(family)) || random.chance(0.6));
  std::vector<Form> forms = family.forms;
  for (int i = family.any_forms > 0 ? 1 + random.below(family.any_forms) : 0; i > 0; --i) {
    forms.push_back(static_cast<Form>(random.below(static_cast<int>(Form::one_rate) + 1)));
  }
  for (const Form form : forms) {
    out.demands.push_back(random_demand(random, out.people, form, labels));
  }
  out.people.labelled = labels || random.chance(0.5);
  const auto draw_costs = [&] {
    if (random.chance(0.4)) out.options.costs = {3 * random.unit(), 0.01 + 3 * random.unit()};
  };
  if (!family.wordings.empty()) draw_costs();  // base decisions depend on them
  for (const Wording wording : family.wordings) {
    for (Demand& demand : worded_demands(random, out.people, out.options, wording, labels)) {
      out.demands.push_back(std::move(demand));
    }
  }
  if (out.demands.empty() && family.criterion.empty()) {  // nobody to say it for
    out.demands.push_back(random_demand(random, out.people, Form::capacity, labels));
  }

  CriterionOptions options;
  std::array<std::size_t, 3> order = {0, 1, 2};
  std::shuffle(order.begin(), order.begin() + attributes, random.engine());
  for (int i = 0; i < attributes && !family.criterion.empty(); ++i) {
    const char* name = attribute_names[order[static_cast<std::size_t>(i)]];
    (i < sensitive ? options.roles.sensitive : options.roles.within).emplace_back(name);
  }
  options.roles.across = family.across;
  if (family.tolerance && !family.criterion.empty()) {
    options.tolerance = pick(random, std::array{0.01, 0.05, 0.1, 0.3});
  }
  if (family.criterion == "four-fifths" && random.chance(0.6)) {
    options.ratio = 0.3 + 0.7 * random.unit();
  }
  if (family.criterion == "equal-rates" && random.chance(0.5)) {
    options.rho = Rho::given(random.below(5) / 4.0);
  }
  options.require = texts(out.demands);
  out.criterion = criterion_from(family.criterion, options);
  if (family.isotonic) out.options.calibrate = Calibration::isotonic;
  if (family.wordings.empty()) draw_costs();
  return out;
}

}  // namespace evenhand::testing::many
