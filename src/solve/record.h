#pragma once

#include <evenhand/solve.h>

#include <nlohmann/json.hpp>

namespace evenhand {

// What the records of all fits say about their proof.
template <class AnySolution>
void record_figures(const AnySolution& solution, nlohmann::ordered_json& fit) {
  fit["status"] = to_string(solution.status);
  fit["primal"] = solution.primal;
  fit["dual"] = solution.dual;
  fit["gap"] = solution.gap;
  fit["violation"] = solution.violation;
  fit["magnitude"] = solution.magnitude;
  fit["base"] = solution.base;
  fit["lottery_share"] = solution.lottery_share;
}

}  // namespace evenhand
