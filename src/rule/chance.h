// Probabilities in words.
#pragma once

#include <evenhand/response.h>

#include <string>
#include <vector>

namespace evenhand {

// "in 37 of 100 cases", "in 4 of 10,000 cases"; q is strictly between 0 and 1.
std::string chance_in_words(double q);

// As few digits as tell the scores of these points apart, but at least four.
int digits_for(const std::vector<Point>& points);

}  // namespace evenhand
