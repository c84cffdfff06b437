#include "tally/labels.h"

#include <evenhand/bad_row.h>
#include <evenhand/text.h>

#include <algorithm>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

namespace evenhand {

bool turn_labels(const Numbers& column, Favorable favorable, std::size_t begin,
                 std::span<std::uint8_t> out) {
  const std::uint8_t turned = favorable == Favorable::low ? 1 : 0;
  return std::visit(
      [&](const auto& labels) {
        using Label = typename std::decay_t<decltype(labels)>::value_type;
        const Label* const from = labels.data() + begin;
        if constexpr (std::is_integral_v<Label>) {
          Label bits = 0;
          for (std::size_t i = 0; i < out.size(); ++i) {
            bits = static_cast<Label>(bits | from[i]);
            out[i] = (static_cast<std::uint8_t>(from[i]) & 1U) ^ turned;
          }
          return bits == 0 || bits == 1;
        } else {
          std::uint8_t bad = 0;
          for (std::size_t i = 0; i < out.size(); ++i) {
            const bool one = from[i] == Label{1};
            bad |= static_cast<std::uint8_t>(!one & (from[i] != Label{0}));
            out[i] = static_cast<std::uint8_t>(one) ^ turned;
          }
          return bad == 0;
        }
      },
      column.view());
}

void check_labels(const Numbers& column) {
  std::visit(
      [](const auto& labels) {
        using Label = typename std::decay_t<decltype(labels)>::value_type;
        const auto bad = std::find_if_not(labels.begin(), labels.end(), [](Label label) {
          return label == Label{0} || label == Label{1};
        });
        if (bad == labels.end()) return;
        throw BadRow(
            static_cast<std::size_t>(bad - labels.begin()),
            fmt::format("the label {} is neither 0 nor 1", shortest(static_cast<double>(*bad))));
      },
      column.view());
}

}  // namespace evenhand
