// Views of the caller's columns. Nothing is copied: the memory must outlive the call it is used in.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace evenhand {

// A column of numbers: scores, labels or weights, in any of the usual types. Converts from a
// std::vector, std::array, std::span or other contiguous range; default-constructed it is "none".
class Numbers {
 public:
  using View =
      std::variant<std::span<const double>, std::span<const float>, std::span<const std::uint8_t>,
                   std::span<const std::int8_t>, std::span<const std::int32_t>,
                   std::span<const std::int64_t>, std::span<const bool>>;

  Numbers() = default;

  template <std::ranges::contiguous_range Range>
  requires std::constructible_from<View, std::span<const std::ranges::range_value_t<Range>>>
  // NOLINTNEXTLINE(google-explicit-constructor): a column is a view of any of these
  Numbers(const Range& values)
      : view_(std::span<const std::ranges::range_value_t<Range>>(values)), given_(true) {}

  bool given() const noexcept { return given_; }  // false: there is no such column
  std::size_t size() const noexcept;
  const View& view() const noexcept { return view_; }

 private:
  View view_;
  bool given_ = false;
};

// A column of texts: the values of one attribute, or the ids of people.
class Texts {
 public:
  using View = std::variant<std::span<const std::string>, std::span<const std::string_view>>;

  Texts() = default;

  template <std::ranges::contiguous_range Range>
  requires std::constructible_from<View, std::span<const std::ranges::range_value_t<Range>>>
  // NOLINTNEXTLINE(google-explicit-constructor): a column is a view of any of these
  Texts(const Range& values) : view_(std::span<const std::ranges::range_value_t<Range>>(values)) {}

  std::size_t size() const noexcept;
  std::string_view operator[](std::size_t row) const noexcept;

 private:
  View view_;
};

}  // namespace evenhand
