// The record of a soft fit, as it goes into the rule's file.
#include "solve/record.h"

#include <evenhand/soft.h>
#include <evenhand/version.h>

#include <nlohmann/json.hpp>

namespace evenhand {

std::string SoftSolution::to_json() const {
  using Json = nlohmann::ordered_json;
  Json fit;
  fit["version"] = EVENHAND_VERSION;
  std::vector<std::string> soft;
  if (!strata.empty()) {
    for (const SoftRate& rate : strata.front().columns) soft.push_back(rate.column);
  }
  fit["criterion"] = {{"name", "soft-statistical-parity"},
                      {"soft", soft},
                      {"within", rule.parts().strata.attributes()}};
  fit["gamma"] = rule.parts().gamma;
  fit["cost_fp"] = rule.parts().costs.false_positive;
  fit["cost_fn"] = rule.parts().costs.false_negative;
  record_figures(*this, fit);
  Json& list = fit["strata"] = Json::array();
  for (CellCode c = 0; c < strata.size(); ++c) {
    const SoftStratumOutcome& outcome = strata[c];
    Json columns = Json::array();
    for (const SoftRate& rate : outcome.columns) {
      columns.push_back({{"column", rate.column},
                         {"mean", rate.mean},
                         {"compared", rate.compared},
                         {"rate", rate.rate},
                         {"others", rate.others},
                         {"multiplier", rate.multiplier}});
    }
    list.push_back({{"stratum", rule.parts().strata.name(c)},
                    {"weight", outcome.weight},
                    {"distinct", outcome.distinct},
                    {"lottery_share", outcome.lottery_share},
                    {"columns", std::move(columns)}});
  }
  return rule.to_json(fit.dump());
}

}  // namespace evenhand
