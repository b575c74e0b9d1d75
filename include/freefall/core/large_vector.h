#pragma once

#include <sys/mman.h>
#include <cstddef>
#include <new>
#include <vector>

namespace freefall
{
/// Allocates on cache lines; from a huge page (2 MiB) on, on huge pages where the system grants them. Arrays that are read here
/// and there then cost far fewer misses of the address translation.
template <typename T>
struct LargeAllocator
{
  using value_type = T;
  static constexpr std::size_t cache_line = 64, huge_page = std::size_t(1) << 21;

  LargeAllocator() = default;
  template <typename U>
  LargeAllocator(const LargeAllocator<U> &)
  {
  }

  T *allocate(std::size_t n)
  {
    const std::size_t bytes = n * sizeof(T);
    void *memory = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
    if (bytes >= huge_page) madvise(memory, bytes, MADV_HUGEPAGE);  // advice: nothing is lost where it is not taken
#endif
    return static_cast<T *>(memory);
  }
  void deallocate(T *memory, std::size_t n) { ::operator delete(memory, alignment(n * sizeof(T))); }

  friend bool operator==(const LargeAllocator &, const LargeAllocator &) { return true; }
  friend bool operator!=(const LargeAllocator &, const LargeAllocator &) { return false; }

private:
  static std::align_val_t alignment(std::size_t bytes) { return std::align_val_t(bytes >= huge_page ? huge_page : cache_line); }
};

template <typename T>
using LargeVector = std::vector<T, LargeAllocator<T>>;
}  // namespace freefall
