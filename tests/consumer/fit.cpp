// Fits a rule and prints how that went.
#include <evenhand/evenhand.h>

#include <iostream>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> sex{"F", "F", "F", "M", "M", "M"};
  const std::vector<double> score{0.2, 0.4, 0.6, 0.4, 0.6, 0.8};
  const auto cells = evenhand::Cells::from({{"sex", sex}});
  const auto tally = evenhand::Tally::of(score, cells);
  const auto fit = evenhand::solve(tally, evenhand::statistical_parity({.sensitive = {"sex"}}));
  std::cout << evenhand::to_string(fit.status) << '\n';
}
