#include "options.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

namespace evenhand::python {

Resolution resolution_from(std::string_view text) {
  if (text == "exact") return Resolution::exact();
  if (text == "auto") return Resolution::at_most();
  constexpr std::string_view most = "at-most ";
  const bool cap = text.starts_with(most);
  const std::string_view digits = cap ? text.substr(most.size()) : text;
  long number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw std::invalid_argument(
        fmt::format("there is no resolution '{}': use exact, auto or a number of bits", text));
  }
  if (cap) return Resolution::at_most(static_cast<std::size_t>(std::max(0L, number)));
  return Resolution::bits(static_cast<int>(std::clamp(number, -100000L, 100000L)));
}

std::string to_text(const Resolution& resolution) {
  if (const auto level = resolution.fixed_level()) return std::to_string(*level);
  if (const auto cap = resolution.cap()) {
    return resolution == Resolution::at_most() ? "auto" : fmt::format("at-most {}", *cap);
  }
  return "exact";
}

Across across_from(std::string_view name) {
  if (name == "intersection") return Across::intersection;
  if (name == "marginal") return Across::marginal;
  if (name == "both") return Across::both;
  throw std::invalid_argument(
      fmt::format("there is no across '{}': use intersection, marginal or both", name));
}

Unseen unseen_from(std::string_view name) {
  if (name == "error") return Unseen::error;
  if (name == "score") return Unseen::score;
  if (name == "reject") return Unseen::reject;
  throw std::invalid_argument(
      fmt::format("there is no unseen '{}': use error, score or reject", name));
}

}  // namespace evenhand::python
