#include <evenhand/names.h>
#include <evenhand/text.h>

#include <stdexcept>

#include <fmt/format.h>

namespace evenhand {

std::string listed(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

void throw_unknown_name(std::string_view option, std::string_view name,
                        std::span<const std::string_view> known) {
  throw std::invalid_argument(
      fmt::format("there is no {} '{}': choose {}", option, printable(name), listed(known)));
}

std::string_view to_string(Scale scale) noexcept {
  return name_in(scale_names, scale);
}
std::string_view to_string(Favorable favorable) noexcept {
  return name_in(favorable_names, favorable);
}
std::string_view to_string(Calibration calibration) noexcept {
  return name_in(calibration_names, calibration);
}
std::string_view to_string(CalibrateBy by) noexcept {
  return name_in(calibrate_by_names, by);
}
std::string_view to_string(Unseen unseen) noexcept {
  return name_in(unseen_names, unseen);
}

Scale scale_from(std::string_view name) {
  return value_in(scale_names, "scale", name);
}
Favorable favorable_from(std::string_view name) {
  return value_in(favorable_names, "favorable", name);
}
Calibration calibration_from(std::string_view name) {
  return value_in(calibration_names, "calibration", name);
}
CalibrateBy calibrate_by_from(std::string_view name) {
  return value_in(calibrate_by_names, "calibrate-by", name);
}
Unseen unseen_from(std::string_view name) {
  return value_in(unseen_names, "unseen", name);
}

}  // namespace evenhand
