// Verifications as text and as JSON.
#include <evenhand/text.h>
#include <evenhand/verify.h>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace evenhand {

std::string Verification::to_text() const {
  std::size_t widest = 0;
  for (const Check& check : checks) widest = std::max(widest, check.name.size());
  std::string out;
  for (const Check& check : checks) {
    out += fmt::format("  {:<11}  {:<{}}  {}\n", to_string(check.verdict), check.name, widest,
                       printable(check.words));
  }
  return out;
}

std::string Verification::to_json() const {
  using Json = nlohmann::ordered_json;
  Json out;
  out["passed"] = passed();
  out["checks"] = Json::array();
  for (const Check& check : checks) {
    Json one;
    one["name"] = check.name;
    one["verdict"] = to_string(check.verdict);
    one["words"] = check.words;
    if (check.recorded) one["recorded"] = *check.recorded;
    if (check.found) one["found"] = *check.found;
    out["checks"].push_back(std::move(one));
  }
  return out.dump();
}

}  // namespace evenhand
