#include <evenhand/names.h>

#include <algorithm>
#include <stdexcept>

namespace evenhand {
namespace {

template <class Table>
Choices choices_in(std::string_view option, const Table& names) {
  Choices out{option, {}};
  for (const auto& each : names) out.choices.push_back({each.name, each.help});
  return out;
}

}  // namespace

std::vector<std::string_view> Choices::names() const {
  std::vector<std::string_view> out;
  for (const Choice& choice : choices) out.push_back(choice.name);
  return out;
}

std::string Choices::text() const {
  std::vector<std::string> words;
  for (const Choice& choice : choices) {
    words.push_back(std::string(choice.name) + " (" + std::string(choice.help) + ")");
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  return listed(views);
}

std::string_view to_string(Across across) noexcept {
  return name_in(across_names, across);
}
std::string_view to_string(Solver solver) noexcept {
  return name_in(solver_names, solver);
}
std::string_view to_string(Lottery lottery) noexcept {
  return name_in(lottery_names, lottery);
}
std::string_view to_string(BoundKind kind) noexcept {
  return name_in(bound_kind_names, kind);
}
std::string_view to_string(Projection projection) noexcept {
  return name_in(projection_names, projection);
}

Across across_from(std::string_view name) {
  return value_in(across_names, "across", name);
}
Solver solver_from(std::string_view name) {
  return value_in(solver_names, "solver", name);
}
Lottery lottery_from(std::string_view name) {
  return value_in(lottery_names, "lottery", name);
}
BoundKind bound_kind_from(std::string_view name) {
  return value_in(bound_kind_names, "bound", name);
}
Projection projection_from(std::string_view name) {
  return value_in(projection_names, "projection", name);
}

const std::vector<Choices>& all_choices() {
  static const std::vector<Choices> all = {
      choices_in("scale", scale_names),           choices_in("favorable", favorable_names),
      choices_in("calibrate", calibration_names), choices_in("calibrate-by", calibrate_by_names),
      choices_in("across", across_names),         choices_in("unseen", unseen_names),
      choices_in("solver", solver_names),         choices_in("projection", projection_names),
      choices_in("lottery", lottery_names),       choices_in("bound", bound_kind_names),
  };
  return all;
}

const Choices& choices_of(std::string_view option) {
  const auto& all = all_choices();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Choices& each) { return each.option == option; });
  if (found == all.end()) {
    throw std::out_of_range("the option " + std::string(option) + " has no names to choose from");
  }
  return *found;
}

}  // namespace evenhand
