// Rules in plain words: "sex=F: yes from 0.4125; from 0.4115 to 0.4125 in 37 of 100 cases".
#include <evenhand/explain.h>
#include <evenhand/rule.h>
#include <evenhand/text.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "rule/chance.h"

namespace evenhand {

std::string chance_in_words(double q) {
  for (std::size_t cases = 100; cases <= 1'000'000; cases *= 10) {
    const auto hits = static_cast<std::size_t>(std::lround(q * static_cast<double>(cases)));
    if (hits > 0 && hits < cases) {
      return fmt::format("in {} of {} cases", with_commas(hits), with_commas(cases));
    }
  }
  return q < 0.5 ? "in fewer than 1 of 1,000,000 cases" : "in all but 1 of 1,000,000 cases";
}

int digits_for(const std::vector<Point>& points) {
  for (int digits = 4; digits < 17; ++digits) {
    std::set<std::string> texts;
    for (const Point& point : points) texts.insert(rounded(point.score, digits));
    if (texts.size() == points.size()) return digits;
  }
  return 17;
}

namespace {

// "yes", "no", or how often.
std::string chance(double q) {
  if (q <= 0) return "no";
  return q >= 1 ? "yes" : chance_in_words(q);
}

// "A score of 0.4125 or more gets a positive decision."
std::string sentence(const std::string& who, double q) {
  if (q > 0 && q < 1) return fmt::format("{} a draw decides, positively {}.", who, chance(q));
  return fmt::format("{} gets a {} decision.", who, q >= 1 ? "positive" : "negative");
}

// The scores of points as people know them, with so many digits that no two look alike.
class ShownScore {
 public:
  ShownScore(const Reading& reading, const std::vector<Point>& points)
      : reading_(reading), digits_(digits_for(points)) {}
  bool high() const { return reading_.favorable == Favorable::high; }
  std::string operator()(const Point& point) const {
    return rounded(reading_.turn(point.score), digits_);
  }

 private:
  const Reading& reading_;
  int digits_;
};

}  // namespace

std::string letter(const Rule& rule, CellCode cell) {
  if (cell >= rule.cells().size()) {
    throw std::out_of_range(fmt::format("the rule has no cell with code {}", cell));
  }
  const RuleParts& parts = rule.parts();
  const Response& response = parts.responses[cell];
  const std::vector<Point>& points = response.points;
  const ShownScore score(parts.reading, points);
  const bool high = score.high();
  const std::string better = high ? "or more" : "or less";
  const std::string worse = high ? "lower" : "higher";
  if (response.shape == Response::Shape::ramp && points.size() > 1) {
    const Point& first = points.front();
    const Point& last = points.back();
    const auto end = [&](const Point& point, const std::string& side) {
      const bool draw = point.q > 0 && point.q < 1;
      return sentence(fmt::format("{} score of {} {}", draw ? "With a" : "A", score(point), side),
                      point.q);
    };
    return fmt::format(
        "{} {} In between a draw decides, the more often positively the {} the score.",
        end(last, better), end(first, high ? "or less" : "or more"), high ? "higher" : "lower");
  }
  const double below = response.shape == Response::Shape::ramp && !points.empty() ? points.front().q
                                                                                  : response.start;
  if (points.empty() || response.shape == Response::Shape::ramp) {
    return sentence(below > 0 && below < 1 ? "Whatever the score," : "Any score", below);
  }
  std::string out;
  const auto say = [&](const std::string& text) { out += (out.empty() ? "" : " ") + text; };
  std::size_t lowest = points.size();  // from the best scores down, to where only "no" is left
  for (std::size_t i = points.size(); i-- > 0;) {
    const double q = points[i].q;
    if (q <= 0) break;
    lowest = i;
    const bool draw = q < 1;
    if (i + 1 == points.size()) {
      say(sentence(
          fmt::format("{} score of {} {}", draw ? "With a" : "A", score(points[i]), better), q));
    } else {
      say(sentence(high ? fmt::format("From {} up to {}", score(points[i]), score(points[i + 1]))
                        : fmt::format("Above {} up to {}", score(points[i + 1]), score(points[i])),
                   q));
    }
  }
  if (lowest == points.size()) return sentence("Any score", 0);
  if (below > 0) {
    say(sentence(fmt::format("With a {} score", worse), below));
  } else {
    say(sentence(fmt::format("A {} score", worse), 0));
  }
  return out;
}

std::string Rule::describe(CellCode cell) const {
  check_cell(cell);
  const Response& response = parts_.responses[cell];
  const std::vector<Point>& points = response.points;
  const ShownScore score(parts_.reading, points);
  const bool high = score.high();
  std::string words;
  const auto say = [&words](const std::string& clause) {
    words += (words.empty() ? "" : "; ") + clause;
  };
  if (response.shape == Response::Shape::ramp) {
    const Point& first = points.front();
    const Point& last = points.back();
    if (points.size() == 1) {
      say(chance(first.q) + ", whatever the score");
    } else {
      const bool whole = first.q <= 0 && last.q >= 1;
      say(fmt::format("{} {} {}", whole ? "yes" : chance(last.q), high ? "from" : "up to",
                      score(last)));
      say(fmt::format("{} {} {}", chance(first.q), high ? "up to" : "from", score(first)));
      say("gradually more often in between");
    }
    return fmt::format("{}: {}", parts_.cells.name(cell), words);
  }
  if (points.empty()) {
    return fmt::format("{}: {}, whatever the score", parts_.cells.name(cell),
                       chance(response.start));
  }
  // From the best scores down; what remains unsaid is "no".
  for (std::size_t i = points.size(); i-- > 0;) {
    const double q = points[i].q;
    if (q <= 0) continue;
    std::string where = fmt::format("{} {}", high ? "from" : "up to", score(points[i]));
    if (i + 1 < points.size()) {
      where = high ? fmt::format("from {} to {}", score(points[i]), score(points[i + 1]))
                   : fmt::format("above {} up to {}", score(points[i + 1]), score(points[i]));
    }
    say(q >= 1 ? "yes " + where : where + " " + chance(q));
  }
  if (response.start > 0) {
    say(fmt::format("{} {} {}", high ? "below" : "above", score(points.front()),
                    chance(response.start)));
  }
  if (words.empty()) words = "no, whatever the score";
  return fmt::format("{}: {}", parts_.cells.name(cell), words);
}

std::string Rule::describe() const {
  std::string out;
  for (CellCode c = 0; c < parts_.cells.size(); ++c) out += describe(c) + "\n";
  return out;
}

}  // namespace evenhand
