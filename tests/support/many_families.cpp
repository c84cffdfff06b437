#include "support/many_problems.h"

namespace evenhand::testing::many {

std::vector<Family> all_families() {
  using enum Across;
  std::vector<Family> out;
  for (const bool tolerance : {false, true}) {
    const std::string end = tolerance ? "Tolerance" : "Exact";
    for (const bool within : {false, true}) {
      out.push_back({"Odds" + end + (within ? "Strata" : ""), "equalized-odds", intersection,
                     within ? 1 : 2, within, tolerance});
      out.push_back({"MarginalParity" + end + (within ? "Strata" : ""), "statistical-parity",
                     marginal, 2, within, tolerance});
    }
    out.push_back(
        {"MarginalParityOfThree" + end, "statistical-parity", marginal, 3, false, tolerance});
    out.push_back({"MarginalParityIsotonic" + end,
                   "statistical-parity",
                   marginal,
                   2,
                   false,
                   tolerance,
                   {},
                   0,
                   true});
    out.push_back(
        {"MarginalOpportunity" + end, "equal-opportunity", marginal, 2, false, tolerance});
    out.push_back(
        {"MarginalFalsePositives" + end, "false-positive-parity", marginal, 2, false, tolerance});
    out.push_back({"MarginalOdds" + end, "equalized-odds", marginal, 2, false, tolerance});
    out.push_back({"BothParity" + end, "statistical-parity", both, 2, false, tolerance});
    out.push_back({"BothOdds" + end, "equalized-odds", both, 2, true, tolerance});
    out.push_back(
        {"ParityRequire" + end, "statistical-parity", intersection, 1, true, tolerance, {}, 3});
    out.push_back({"OpportunityRequire" + end,
                   "equal-opportunity",
                   intersection,
                   2,
                   false,
                   tolerance,
                   {},
                   3});
    out.push_back({"FalsePositivesRequire" + end,
                   "false-positive-parity",
                   intersection,
                   1,
                   false,
                   tolerance,
                   {},
                   3});
    out.push_back(
        {"EqualRatesRequire" + end, "equal-rates", intersection, 2, false, tolerance, {}, 2});
    out.push_back({"OddsRequire" + end, "equalized-odds", intersection, 1, true, tolerance, {}, 3});
    out.push_back({"MarginalParityRequire" + end,
                   "statistical-parity",
                   marginal,
                   3,
                   false,
                   tolerance,
                   {},
                   2});
  }
  out.push_back({"MarginalFourFifths", "four-fifths", marginal, 2, false, false});
  out.push_back({"BothFourFifths", "four-fifths", both, 2, true, false});
  out.push_back({"FourFifthsRequire", "four-fifths", intersection, 2, false, false, {}, 3});
  const auto alone = [&](const char* name, Form form) {
    out.push_back({name, "", intersection, 2, false, false, {form}});
  };
  alone("Capacity", Form::capacity);
  alone("OpportunityDifference", Form::tpr_difference);
  alone("Ratio", Form::ratio);
  alone("FalsePositiveCap", Form::fpr_cap);
  alone("Equality", Form::equality);
  alone("Sum", Form::sum);
  alone("Measure", Form::measure);
  alone("Mixed", Form::mixed);
  out.push_back({"Measures", "", intersection, 2, false, false, {Form::measure, Form::measure}});
  const auto worded = [&](const char* name, const char* criterion, Wording wording) {
    Family family{name, criterion, intersection, 1, false, *criterion != 0};
    family.wordings = {wording};
    if (wording == Wording::base) family.forms = {Form::capacity};  // alone it hardly ever binds
    out.push_back(std::move(family));
  };
  worded("Distance", "", Wording::distance);
  worded("Each", "", Wording::each);
  worded("Base", "", Wording::base);
  worded("ParityBase", "statistical-parity", Wording::base);
  worded("OddsDistance", "equalized-odds", Wording::distance);
  out.push_back({"ParityMeasures",
                 "statistical-parity",
                 intersection,
                 1,
                 true,
                 true,
                 {Form::measure, Form::mixed}});
  out.push_back(
      {"OpportunityMeasures", "equal-opportunity", intersection, 1, false, true, {Form::measure}});
  out.push_back({"Several", "", intersection, 3, false, false, {Form::capacity, Form::sum}, 3});
  return out;
}

}  // namespace evenhand::testing::many
