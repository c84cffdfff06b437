// Arrays that several threads fill.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace evenhand {

constexpr std::size_t huge_page = std::size_t{1} << 21U;
constexpr std::size_t huge_worthwhile = 2 * huge_page;
void ask_for_huge_pages(void* at, std::size_t bytes) noexcept;  // tally/huge_pages.cpp

// Leaves new elements as they are: they are written right away, by several threads. Long arrays ask
// for huge pages, since clearing small ones takes the kernel longer than filling them takes us.
template <class T>
struct LeaveUninitialised : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = LeaveUninitialised<U>;
  };
  T* allocate(std::size_t n) {
    if (n * sizeof(T) < huge_worthwhile) return std::allocator<T>::allocate(n);
    void* const at = ::operator new (n * sizeof(T), std::align_val_t{huge_page});
    ask_for_huge_pages(at, n * sizeof(T));
    return static_cast<T*>(at);
  }
  void deallocate(T* at, std::size_t n) noexcept {
    if (n * sizeof(T) < huge_worthwhile) return std::allocator<T>::deallocate(at, n);
    ::operator delete (at, std::align_val_t{huge_page});
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
