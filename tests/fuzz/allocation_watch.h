#pragma once

#include <cstddef>

/// How much memory operator new hands out: the largest sum outstanding since reset(). Counts nothing in a sanitizer build, which has
/// an operator new of its own.
namespace allocation_watch
{
void reset();
std::size_t peak();
}  // namespace allocation_watch
