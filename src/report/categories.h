// Categories of people as regulators count them, and what became of each.
#pragma once

#include <evenhand/confidence.h>

#include <string>
#include <vector>

#include "report/subject.h"

namespace evenhand::report {

struct Category {
  std::string name;
  RateCount count;       // selected among applicants
  double above = 0;      // the median score
  bool unknown = false;  // a missing value was given a name
  bool small = false;    // less than ReportOptions::smallest_category of the people
};

// One attribute, or the combinations of all.
struct Categories {
  std::string title;
  std::vector<Category> each;
  double unknown = 0;  // people in categories that are not known, and rows left out
  std::optional<double> highest_rate = {},
                        highest_scoring = {};  // of categories that are not small
};

// Each attribute on its own, then all together if there are several. Throws std::out_of_range for
// an attribute that the tally lacks.
std::vector<Categories> categories_of(const Subject& subject);

}  // namespace evenhand::report
