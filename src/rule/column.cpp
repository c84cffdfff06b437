#include <evenhand/column.h>

namespace evenhand {

std::size_t Numbers::size() const noexcept {
  return std::visit([](const auto& values) { return values.size(); }, view_);
}

std::size_t Texts::size() const noexcept {
  return std::visit([](const auto& values) { return values.size(); }, view_);
}

std::string_view Texts::operator[](std::size_t row) const noexcept {
  if (const auto* strings = std::get_if<0>(&view_)) return (*strings)[row];
  return std::get<1>(view_)[row];
}

}  // namespace evenhand
