// Whether a record says what it says as fits do.
#include <evenhand/text.h>
#include <evenhand/verify.h>
#include <evenhand/version.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "record/fit_record_json.h"
#include "record/values.h"
#include "rule/json_file.h"

namespace evenhand {
namespace {

// Members of the record that are not read as they stand: they are of later versions, or no version
// writes them so.
std::vector<std::string> unread_members(const record::Json& fit, const FitRecord& record) {
  // As text, where NaN is null; and members of objects have no order.
  const auto plain = [](const record::Json& json) { return nlohmann::json::parse(json.dump()); };
  nlohmann::json written = plain(fit);
  if (written.contains("cells") && written["cells"].is_array()) {
    for (nlohmann::json& cell : written["cells"]) {  // without its multiplier a bound means nothing
      if (cell.is_object() && !cell.contains("multiplier")) cell.erase("bound");
    }
  }
  const nlohmann::json read = plain(record::fit_json(record));
  std::vector<std::string> out;
  for (const auto& [name, value] : written.items()) {
    if (!read.contains(name) || read[name] != value) out.push_back(quoted_if_needed(name, 60));
  }
  return out;
}

}  // namespace

void check_members(std::string_view rule_file, Verification& found) {
  const record::Json file = json_file::parse_file(rule_file);
  const record::Json* const fit = record::object_in(file, "fit");
  if (!fit) return;
  const FitRecord record = record::fit_from(*fit);
  const std::vector<std::string> unread = unread_members(*fit, record);
  if (unread.empty()) return;
  const bool ours = record.version == EVENHAND_VERSION;
  found.checks.push_back({"record",
                          ours ? Verdict::no : Verdict::unchecked,
                          fmt::format("{}: not as a fit {}writes it", fmt::join(unread, ", "),
                                      ours ? "" : "of this version "),
                          {},
                          {}});
}

}  // namespace evenhand
