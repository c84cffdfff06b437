// Arrays that several threads fill.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace evenhand {

// Memory of at least `large_array` bytes. Two pieces of moderate size are kept for the next arrays:
// having the kernel clear pages anew takes longer than filling them. Very long ones ask for huge
// pages.
inline constexpr std::size_t large_array = std::size_t{1} << 20U;
void* allocate_large(std::size_t bytes);
void deallocate_large(void* at, std::size_t bytes) noexcept;
// For what lies wholly in these bytes, if there are any: fewer faults, and quicker to give back.
void ask_for_huge_pages(void* at, std::size_t bytes) noexcept;

// Leaves new elements as they are: they are written right away, by several threads.
template <class T>
struct LeaveUninitialised : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = LeaveUninitialised<U>;
  };
  T* allocate(std::size_t n) {
    if (n * sizeof(T) < large_array) return std::allocator<T>::allocate(n);
    return static_cast<T*>(allocate_large(n * sizeof(T)));
  }
  void deallocate(T* at, std::size_t n) noexcept {
    if (n * sizeof(T) < large_array) return std::allocator<T>::deallocate(at, n);
    deallocate_large(at, n * sizeof(T));
  }
  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }
};
template <class T>
using LargeArray = std::vector<T, LeaveUninitialised<T>>;
using Doubles = LargeArray<double>;

}  // namespace evenhand
