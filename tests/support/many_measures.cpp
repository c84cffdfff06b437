// What requirements measure, atom by atom, and requirements that say several things in one text.
#include <evenhand/text.h>

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/many.h"

namespace evenhand::testing::many {
namespace {

struct Count {
  double n = 0, good = 0;
  double bad() const { return n - good; }
};

// All of these cells, or those selected with q.
Count count(const Model& model, const std::vector<CellCode>& cells, const PerAtom* q = nullptr) {
  Count out;
  for (const CellCode c : cells) {
    for (std::size_t i = 0; i < model.cells[c].size(); ++i) {
      const double share = q ? (*q)[c][i] : 1;
      out.n += share * model.cells[c][i].n;
      out.good += share * model.cells[c][i].good;
    }
  }
  return out;
}

double divided(double a, double b) {
  if (b == 0) throw std::logic_error("the test asks for a rate of nobody");
  return a / b;
}

// left += each * (n * weight + good * favourable outcomes) of every atom.
void add(const Model& model, const std::vector<CellCode>& cells, double n, double good,
         PerAtom& left) {
  for (const CellCode c : cells) {
    for (std::size_t i = 0; i < model.cells[c].size(); ++i) {
      left[c][i] += n * model.cells[c][i].n + good * model.cells[c][i].good;
    }
  }
}

double turned_probability(const People& people, double score) {
  const double x = people.favorable == Favorable::low ? -score : score;
  return people.scale == Scale::signed_       ? (1 + x) / 2
         : people.scale == Scale::logit       ? 1 / (1 + std::exp(-x))
         : people.favorable == Favorable::low ? 1 + x
                                              : x;
}

// The measure among base decisions, row by row; NaN of nobody.
double base_value(const People& people, const SolveOptions& options, const Piece& piece,
                  bool by_labels) {
  Count all;
  Count selected;
  for (std::size_t i = 0; i < people.size(); ++i) {
    if (!meets(people, piece, i)) continue;
    const double n = people.weight.empty() ? 1 : people.weight[i];
    const double p = turned_probability(people, people.score[i]);
    const bool favourable = (people.label[i] == 1) != (people.favorable == Favorable::low);
    const double good = n * (by_labels ? (favourable ? 1 : 0) : p);
    all.n += n;
    all.good += good;
    if (options.costs.false_negative * p - options.costs.false_positive * (1 - p) > 0) {
      selected.n += n;
      selected.good += good;
    }
  }
  switch (piece.measure) {
    case Measure::rate:
      return selected.n / all.n;
    case Measure::tpr:
      return selected.good / all.good;
    case Measure::precision:
      return selected.good / selected.n;
    default:
      return (selected.good + all.bad() - selected.bad()) / all.n;  // accuracy
  }
}

std::vector<Demand> distance(Random& random, const People& people, bool labels) {
  const Measure measure = pick(random, std::array{Measure::rate, Measure::accuracy, Measure::cost,
                                                  labels ? Measure::tpr : Measure::rate});
  const Piece a = random_piece(random, people, 1, measure, 1);
  Piece b = random_piece(random, people, 1, a.measure, 1);
  const bool alone = a.where == b.where || a.measure != b.measure;
  b.factor = -1;
  const double margin = std::round(20 * random.unit()) / 100;
  std::string text = "abs(" + piece_text(a) + (alone ? " - 0.5" : " - " + piece_text(b)) +
                     ") <= " + shortest(margin);
  const double middle = alone ? 0.5 : 0;
  Demand out{alone ? std::vector{a} : std::vector{a, b}, Sense::at_most, middle + margin, text, ""};
  Demand lower = out;
  lower.sense = Sense::at_least;
  lower.bound = middle - margin;
  return {out, lower};
}

std::vector<Demand> each(Random& random, const People& people, bool labels) {
  const auto a = static_cast<std::size_t>(random.below(people.attributes));
  const Measure measure = pick(random, std::array{Measure::rate, Measure::accuracy,
                                                  labels ? Measure::fpr : Measure::precision});
  const double bound = std::round(100 * random.unit()) / 100;
  const bool floor = measure == Measure::accuracy;
  const std::string text = std::string("for each ") + attribute_names[a] + ": " +
                           std::string(to_string(measure)) + (floor ? " >= " : " <= ") +
                           shortest(bound);
  std::vector<Demand> out;
  for (const std::string& value : people.value[a]) {
    Demand demand{{{1, measure, {{attribute_names[a], value}}, false}},
                  floor ? Sense::at_least : Sense::at_most,
                  bound,
                  text,
                  std::string(" (") + attribute_names[a] + "=" + quoted_if_needed(value) + ")"};
    bool is_new = has_rows(people, demand.pieces.front());
    for (const Demand& other : out) is_new = is_new && other.where != demand.where;
    if (is_new) out.push_back(std::move(demand));
  }
  return out;
}

}  // namespace

Side side_of(const Model& model, const std::vector<Term>& terms, double bound) {
  Side out{{}, bound, 0};
  for (const auto& cell : model.cells) out.left.emplace_back(cell.size(), 0.0);
  for (const Term& term : terms) {
    const std::vector<CellCode>& cells = term.of.cells;
    const Count all = count(model, cells);
    const double f = term.factor;
    const double fp = model.costs.false_positive;
    const double fn = model.costs.false_negative;
    const double c = bound / f;  // of a ratio, which stands alone
    double size = std::abs(f);
    switch (term.of.measure) {
      case Measure::rate:
        add(model, cells, divided(f, all.n), 0, out.left);
        break;
      case Measure::tpr:
        add(model, cells, 0, divided(f, all.good), out.left);
        break;
      case Measure::fpr:
        add(model, cells, divided(f, all.bad()), -divided(f, all.bad()), out.left);
        break;
      case Measure::accuracy:  // favourable and selected, or unfavourable and not selected
        add(model, cells, -divided(f, all.n), 2 * divided(f, all.n), out.left);
        out.bound -= f * divided(all.bad(), all.n);
        break;
      case Measure::cost:
        add(model, cells, fp * divided(f, all.n), -(fn + fp) * divided(f, all.n), out.left);
        out.bound -= f * fn * divided(all.good, all.n);
        size *= std::max(fn, fp);
        break;
      case Measure::selected:
        add(model, cells, f, 0, out.left);
        size *= all.n;
        break;
      case Measure::precision:
        add(model, cells, -c * divided(f, all.n), divided(f, all.n), out.left);
        out.bound = 0;
        size *= std::max(1.0, std::abs(c));
        break;
      case Measure::npv:  // of those not selected: unfavourable - c * all
        add(model, cells, -(1 - c) * divided(f, all.n), divided(f, all.n), out.left);
        out.bound = -f * divided(all.bad() - c * all.n, all.n);
        size *= std::max(1.0, std::abs(c));
        break;
      case Measure::share: {
        const double whole = count(model, term.of.whole).n;
        add(model, cells, divided(f, whole), 0, out.left);
        add(model, term.of.whole, -c * divided(f, whole), 0, out.left);
        out.bound = 0;
        break;
      }
    }
    out.unit = std::max(out.unit, size);
  }
  return out;
}

double value_of(const Model& model, const Term& term, const PerAtom& q) {
  const Count all = count(model, term.of.cells);
  const Count selected = count(model, term.of.cells, &q);
  const Count left{all.n - selected.n, all.good - selected.good};
  switch (term.of.measure) {
    case Measure::rate:
      return selected.n / all.n;
    case Measure::tpr:
      return selected.good / all.good;
    case Measure::fpr:
      return selected.bad() / all.bad();
    case Measure::accuracy:
      return (selected.good + left.bad()) / all.n;
    case Measure::cost:
      return (model.costs.false_positive * selected.bad() +
              model.costs.false_negative * left.good) /
             all.n;
    case Measure::selected:
      return selected.n;
    case Measure::precision:
      return selected.good / selected.n;
    case Measure::npv:
      return left.bad() / left.n;
    case Measure::share:
      return selected.n / count(model, term.of.whole, &q).n;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<Demand> worded_demands(Random& random, const People& people,
                                   const SolveOptions& options, Wording wording, bool labels) {
  if (wording == Wording::distance) return distance(random, people, labels);
  if (wording == Wording::each) return each(random, people, labels);
  const Measure measure = pick(random, std::array{Measure::rate, Measure::accuracy,
                                                  labels ? Measure::tpr : Measure::precision});
  const Piece piece = random_piece(random, people, 1, measure, 1);
  const double value = base_value(people, options, piece, people.labelled);
  if (std::isnan(value)) return {random_demand(random, people, Form::capacity, labels)};
  const std::string text = piece_text(piece);
  return {{{piece}, Sense::at_least, value, text + " >= base(" + text + ")", ""}};
}

}  // namespace evenhand::testing::many
