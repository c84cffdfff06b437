#include "output/infeasible.h"

#include <evenhand/fit_words.h>
#include <evenhand/solve_json.h>

#include "error.h"
#include "output/figures.h"
#include "output/output.h"
#include "output/terminal.h"

namespace evenhand::cli {

int say_infeasible(const Criterion& criterion, const Infeasibility& why, bool json) {
  if (json) print(to_json(why, criterion).dump(2) + "\n");
  say("evenhand: " + in_words(why, criterion));
  return exit_infeasible;
}

}  // namespace evenhand::cli
