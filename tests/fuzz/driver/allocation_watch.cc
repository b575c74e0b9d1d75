#include "../allocation_watch.h"

#include <malloc.h>
#include <algorithm>
#include <cstdlib>
#include <new>

namespace
{
std::size_t outstanding = 0, largest = 0, at_reset = 0;
}

namespace allocation_watch
{
void reset() { largest = at_reset = outstanding; }
std::size_t peak() { return largest - at_reset; }
}  // namespace allocation_watch

#ifndef __SANITIZE_ADDRESS__
// One thread only, as the rest of the program.
namespace
{
void *allocate(std::size_t n)
{
  void *place = std::malloc(n > 0 ? n : 1);
  if (!place) throw std::bad_alloc();
  outstanding += malloc_usable_size(place);
  largest = std::max(largest, outstanding);
  return place;
}

void release(void *place) noexcept
{
  outstanding -= place ? malloc_usable_size(place) : 0;
  std::free(place);
}
}  // namespace

void *operator new(std::size_t n) { return allocate(n); }
void *operator new[](std::size_t n) { return allocate(n); }
void operator delete(void *place) noexcept { release(place); }
void operator delete[](void *place) noexcept { release(place); }
void operator delete(void *place, std::size_t) noexcept { release(place); }
void operator delete[](void *place, std::size_t) noexcept { release(place); }
#endif
