#include "mesh_text.h"

#include <fmt/format.h>
#include <freefall/core/text.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace freefall
{
namespace
{
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
}  // namespace

void MeshText::skip_blanks()
{
  while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
}

bool MeshText::at_end()
{
  skip_blanks();
  return position_ == text_.size();
}

std::string_view MeshText::peek()
{
  skip_blanks();
  std::size_t end = position_;
  while (end < text_.size() && !is_blank(text_[end])) ++end;
  return text_.substr(position_, end - position_);
}

std::string_view MeshText::word(const char *wanted)
{
  const auto found = peek();
  if (found.empty()) throw ends_before(wanted);
  position_ += found.size();
  return found;
}

std::string_view MeshText::line()
{
  const std::size_t end = std::min(text_.find('\n', position_), text_.size());
  auto found = text_.substr(position_, end - position_);
  position_ = std::min(end + 1, text_.size());
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

double MeshText::number(const char *wanted)
{
  const auto found = word(wanted);
  double value = 0;
  const auto [end, problem] = std::from_chars(found.data(), found.data() + found.size(), value);
  // Underflow to zero is what a mesh generator means by 1e-320.
  const bool is_tiny = problem == std::errc::result_out_of_range && found.find("e-") != std::string_view::npos;
  if (is_tiny) return 0;
  if (problem != std::errc() || end != found.data() + found.size() || !std::isfinite(value))
    throw error(fmt::format("expected {}, a number, but found '{}'.", wanted, abbreviate(found)));
  return value;
}

long MeshText::integer(const char *wanted)
{
  const auto found = word(wanted);
  long value = 0;
  const auto [end, problem] = std::from_chars(found.data(), found.data() + found.size(), value);
  if (problem != std::errc() || end != found.data() + found.size())
    throw error(fmt::format("expected {}, an integer, but found '{}'.", wanted, abbreviate(found)));
  return value;
}

std::size_t MeshText::count(const char *wanted, std::size_t bytes_each)
{
  const long value = integer(wanted);
  if (value < 0) throw error(fmt::format("{} is negative: {}.", wanted, value));
  if (static_cast<std::size_t>(value) > n_left() / bytes_each)
    throw error(fmt::format("{} is {}, more than the rest of the file can hold. Is it cut off?", wanted, value));
  return static_cast<std::size_t>(value);
}

void MeshText::expect(std::string_view expected)
{
  const auto found = word(std::string(expected).c_str());
  if (found != expected) throw error(fmt::format("expected {}, but found '{}'.", expected, abbreviate(found)));
}

InputError MeshText::error(const std::string &what) const
{
  // After line() the place is behind the end of the line that is meant.
  const auto place = static_cast<std::ptrdiff_t>(position_ > 0 ? position_ - 1 : 0);
  const auto line = 1 + std::count(text_.begin(), text_.begin() + place, '\n');
  return InputError(fmt::format("{}:{}: {}", path_, line, what));
}

InputError MeshText::ends_before(const char *wanted) const
{
  return error(fmt::format("the file ends where {} should be. Is it cut off?", wanted));
}
}  // namespace freefall
