// Results as NumPy arrays.
#pragma once

#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace evenhand::python {

template <class T>
using Array = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

// The array owns the values; nothing is copied.
template <class T>
Array<T> array_of(std::vector<T> values) {
  auto* const kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(
      kept, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return Array<T>(kept->data(), {kept->size()}, owner);
}

}  // namespace evenhand::python
