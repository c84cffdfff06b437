// Who was decided about, what was asked, and who is selected.
#include <evenhand/text.h>

#include <algorithm>

#include <fmt/format.h>

#include "report/subject.h"

namespace evenhand::report {
namespace {

std::string capital(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
  return out;
}

std::string suffixed(std::string_view name, const std::string& side) {
  return side.empty() ? std::string(name) : fmt::format("{}_{}", name, side);
}

// Of so many groups, only selection rates have intervals: the page stays small.
constexpr std::size_t most_with_all_intervals = 500;
bool has_interval(const Subject& subject, const RateOf& rate) {
  return rate.rate == Rate::selection || subject.tally().cells().size() <= most_with_all_intervals;
}

std::vector<Column> columns_of(const Subject& subject, const Roles& roles) {
  std::vector<Column> out;
  if (!roles.within.empty()) out.push_back({"stratum", "Within", "name"});
  out.push_back({"group", "Group", "name"});
  out.push_back({"people", "People", "count"});
  for (const RateOf& rate : all_rates()) {
    if (rate.rate != Rate::selection && !subject.tally().labelled()) continue;
    for (const auto& [side, report] : subject.sides()) {
      const std::string name = suffixed(rate.name, side);
      const std::string title = capital(rate.title) + (side.empty() ? "" : ", " + side);
      if (rate.rate == Rate::selection) {
        out.push_back({suffixed("selected", side),
                       side.empty() ? "Number selected" : "Number selected, " + side, "count"});
      }
      if (!has_interval(subject, rate)) {
        out.push_back({name, title, "share"});
        continue;
      }
      out.push_back({name, title, "share", name + "_low", name + "_high"});
      out.push_back({name + "_low", title + ", at least", "hidden"});
      out.push_back({name + "_high", title + ", at most", "hidden"});
    }
  }
  return out;
}

void add_figures(Json& row, const Subject& subject, const Figures& figures,
                 const std::string& side) {
  for (const RateOf& rate : all_rates()) {
    if (rate.rate != Rate::selection && !subject.tally().labelled()) continue;
    const std::string name = suffixed(rate.name, side);
    const auto value = figures.*rate.value;
    if (rate.rate == Rate::selection) {
      row[suffixed("selected", side)] = whole_people(value.value_or(0) * figures.weight);
    }
    row[name] = or_null(value);
    if (!has_interval(subject, rate)) continue;
    const auto& interval = figures.*rate.interval;
    row[name + "_low"] = interval ? Json(interval->low) : Json(nullptr);
    row[name + "_high"] = interval ? Json(interval->high) : Json(nullptr);
  }
}

Json view_table(const Subject& subject, std::size_t view) {
  const auto sides = subject.sides();
  const Roles& roles = sides.front().second->views[view].roles;
  Json out = table("Who is selected: " + in_words(roles), columns_of(subject, roles));
  const Audit& first = sides.front().second->views[view].audit;
  for (std::size_t k = 0; k < first.strata.size(); ++k) {
    for (std::size_t g = 0; g < first.strata[k].groups.size(); ++g) {
      const AuditedGroup& group = first.strata[k].groups[g];
      Json row;
      if (!roles.within.empty()) {
        row["stratum"] = GroupName{roles.within, first.strata[k].values}.text();
      }
      row["group"] = GroupName{roles.sensitive, group.values}.text();
      row["people"] = group.figures.weight;
      for (const auto& [side, report] : sides) {
        add_figures(row, subject, report->views[view].audit.strata[k].groups[g].figures, side);
      }
      out["rows"].push_back(std::move(row));
    }
  }
  return out;
}

}  // namespace

Json about_data(const Subject& subject) {
  const StoredTally& stored = subject.data.stored;
  const TallySource& source = stored.source;
  Json out;
  out["name"] = subject.data.name;
  out["people"] = stored.tally.total().n;
  const auto rows = stored.rows();
  out["rows"] = rows ? Json(*rows) : Json(nullptr);
  out["excluded"] = source.excluded;
  out["weighted"] = !stored.tally.unit_weights();
  out["labelled"] = stored.tally.labelled();
  out["decisions"] = subject.auditing.decisions;
  out["score"] = source.score;
  out["label"] = source.label;
  out["weight"] = source.weight;
  out["scale"] = to_string(stored.tally.reading().scale);
  out["favorable"] = to_string(stored.tally.reading().favorable);
  out["cells"] = stored.tally.cells().size();
  out["fingerprint"] = stored.fingerprint();
  return out;
}

Json about_criterion(const Subject& subject) {
  const Criterion& criterion = subject.criterion;
  Json out;
  out["asked"] = subject.asked;
  out["name"] = criterion.rates.empty() ? "requirements" : criterion.name;
  out["words"] = in_words(criterion);
  for (const Rate rate : criterion.rates) out["rates"].push_back(rate_of(rate).name);
  out["sensitive"] = criterion.roles.sensitive;
  out["within"] = criterion.roles.within;
  out["across"] = to_string(criterion.roles.across);
  if (!criterion.rates.empty()) {
    const bool is_ratio = criterion.relation == Relation::ratio;
    out[is_ratio ? "ratio" : "tolerance"] = is_ratio ? criterion.ratio : criterion.tolerance;
  }
  out["require"] = criterion.require;
  return out;
}

Json selection(const Subject& subject) {
  Json out = Json::array();
  for (std::size_t view = 0; view < subject.last().views.size(); ++view) {
    out.push_back(view_table(subject, view));
  }
  return out;
}

Json not_compared(const Subject& subject) {
  Json out = table("Not compared", {{"group", "Group", "name"}, {"why", "Why", "text"}});
  const auto add = [&](const std::string& group, const std::string& why) {
    out["rows"].push_back({{"group", group}, {"why", why}});
  };
  const CellNames& cells = subject.tally().cells();
  for (const AuditView& view : subject.last().views) {
    for (const Comparison& stratum : view.audit.strata) {
      const GroupName in{view.roles.within, stratum.values};
      std::size_t compared = 0;
      for (const AuditedGroup& group : stratum.groups) {
        const GroupName name = GroupName{view.roles.sensitive, group.values}.in(in);
        if (!group.compared) {
          add(name.text(),
              fmt::format("fewer than {} people", rounded(subject.auditing.min_group, 6)));
          continue;
        }
        ++compared;
        for (const Rate rate : subject.criterion.rates) {
          if (!(group.figures.*rate_of(rate).value)) {
            add(name.text(), fmt::format("nobody here has a {}", rate_of(rate).words));
          }
        }
      }
      if (compared < 2 && !subject.criterion.all_cells) {
        add(in.text(), "fewer than two groups");
      }
    }
  }
  for (const CellCode c : subject.last().audit().unseen) {
    add(cells.name(c),
        fmt::format("the rule does not know this group; {}",
                    subject.auditing.unseen == Unseen::score ? "the score alone decides"
                                                             : "it is turned down"));
  }
  if (subject.ruled() && subject.rules.front().fit.cells) {
    for (const RecordedCell& cell : *subject.rules.front().fit.cells) {
      if (cell.not_compared) add(cell.cell, "not compared in the fit: " + *cell.not_compared);
    }
  }
  const std::uint64_t excluded = subject.data.stored.source.excluded;
  if (excluded > 0) {
    add(fmt::format("{} row{}", with_commas(excluded), excluded == 1 ? "" : "s"),
        "left out for a missing value");
  }
  return out;
}

}  // namespace evenhand::report
