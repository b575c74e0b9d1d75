#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace freefall
{
/// A view of contiguous values that somebody else owns (C++17 has no std::span).
template <typename T>
class Span
{
public:
  Span() = default;
  Span(T *data, std::size_t size) : first_(data), size_(size) {}
  Span(std::vector<std::remove_const_t<T>> &values) : Span(values.data(), values.size()) {}
  template <typename U = T, typename = std::enable_if_t<std::is_const_v<U>>>
  Span(const std::vector<std::remove_const_t<T>> &values) : Span(values.data(), values.size())
  {
  }

  T *data() const { return first_; }
  T *begin() const { return first_; }
  T *end() const { return first_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T &operator[](std::size_t i) const { return first_[i]; }

private:
  T *first_ = nullptr;
  std::size_t size_ = 0;
};
}  // namespace freefall
