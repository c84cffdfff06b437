// Fits, frontiers and monitors as JSON, for programs that use nlohmann's; evenhand.h does not
// include this.
#pragma once

#include <evenhand/certify.h>
#include <evenhand/frontier.h>
#include <evenhand/monitor.h>
#include <evenhand/sgd.h>
#include <evenhand/soft_check.h>
#include <evenhand/solve.h>

#include <nlohmann/json_fwd.hpp>

namespace evenhand {

nlohmann::ordered_json to_json(const Infeasibility& why, const Criterion& criterion);
nlohmann::ordered_json to_json(const SgdComparison& comparison);
// A point of the frontier of this criterion, which says what varies: a tolerance or a ratio.
nlohmann::ordered_json to_json(const FrontierPoint& point, const Criterion& criterion);
// What was certified; and, where there were too few rows, how many are needed.
nlohmann::ordered_json to_json(const CertifiedFit& fit, const Tally& tally);
nlohmann::ordered_json too_few_json(const CertifiedFit& fit, const Tally& tally);
nlohmann::ordered_json to_json(const Monitor& monitor);
nlohmann::ordered_json to_json(const SoftCheck& check);

}  // namespace evenhand
