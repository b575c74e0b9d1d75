#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/formula.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/pattern.h>
#include <freefall/core/text.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace freefall
{
namespace
{
constexpr int smallest_int = std::numeric_limits<int>::min();
constexpr int largest_int = std::numeric_limits<int>::max();

/// "positive " before and " in [0, 1]" behind the noun.
struct BoundsText
{
  std::string before;
  std::string behind;
};

BoundsText describe_bounds(const Bounds &bounds)
{
  const bool has_lower = std::isfinite(bounds.lower), has_upper = std::isfinite(bounds.upper);
  if (has_lower && has_upper)
    return {"", fmt::format(" in {}{}, {}{}", bounds.lower_included ? '[' : '(', bounds.lower, bounds.upper,
                            bounds.upper_included ? ']' : ')')};
  if (has_lower && bounds.lower == 0) return {bounds.lower_included ? "non-negative " : "positive ", ""};
  if (has_lower) return {"", fmt::format(" {} {}", bounds.lower_included ? "of at least" : "above", bounds.lower)};
  if (has_upper && bounds.upper == 0) return {bounds.upper_included ? "non-positive " : "negative ", ""};
  if (has_upper) return {"", fmt::format(" {} {}", bounds.upper_included ? "of at most" : "below", bounds.upper)};
  return {};
}

std::string describe_range(int min, int max)
{
  if (min == smallest_int && max == largest_int) return "";
  if (max == largest_int) return fmt::format(" of at least {}", min);
  if (min == smallest_int) return fmt::format(" of at most {}", max);
  return fmt::format(" from {} to {}", min, max);
}

/// A remedy for the commonest mistakes with numbers; may be empty.
std::string hint_for_number(const std::string &text)
{
  if (text.empty()) return "Nothing is given.";
  std::string with_point = text;
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  if (with_point != text && parse_number(with_point))
    return fmt::format("Write decimals with a point: {}.", abbreviate(with_point));
  const bool looks_like_number = text.find_first_not_of("0123456789+-.eE") == std::string::npos;
  if (looks_like_number && text.find_first_of("0123456789") != std::string::npos)
    return fmt::format("\"{}\" is not a number in the range of double precision.", abbreviate(text));
  return "";
}
}  // namespace

bool Bounds::contain(double x) const
{
  return (lower_included ? x >= lower : x > lower) && (upper_included ? x <= upper : x < upper);
}

Pattern Pattern::number(const std::string &unit, const Bounds &bounds)
{
  Pattern pattern(Kind::number);
  pattern.unit_ = unit;
  pattern.bounds_ = bounds;
  return pattern;
}

Pattern Pattern::integer(int min, int max)
{
  Pattern pattern(Kind::integer);
  pattern.min_ = min;
  pattern.max_ = max;
  return pattern;
}

Pattern Pattern::boolean() { return Pattern(Kind::boolean); }

Pattern Pattern::choice(const std::vector<std::string> &names)
{
  if (names.empty()) throw std::logic_error("a choice pattern needs names");
  Pattern pattern(Kind::choice);
  pattern.names_ = names;
  return pattern;
}

Pattern Pattern::text() { return Pattern(Kind::text); }

Pattern Pattern::vector(int n, const std::string &unit, const Bounds &bounds)
{
  if (n < 1) throw std::logic_error("a vector pattern needs at least one component");
  Pattern pattern(Kind::vector);
  pattern.n_components_ = n;
  pattern.unit_ = unit;
  pattern.bounds_ = bounds;
  return pattern;
}

Pattern Pattern::numbers(const std::string &unit, const Bounds &bounds)
{
  Pattern pattern(Kind::numbers);
  pattern.unit_ = unit;
  pattern.bounds_ = bounds;
  return pattern;
}

Pattern Pattern::integers(int min, int max)
{
  Pattern pattern(Kind::integers);
  pattern.min_ = min;
  pattern.max_ = max;
  return pattern;
}

Pattern Pattern::formula(int n_components, const std::vector<std::string> &variables, const std::string &unit)
{
  if (n_components < 1) throw std::logic_error("a formula pattern needs at least one component");
  Pattern pattern(Kind::formula);
  pattern.n_components_ = n_components;
  pattern.names_ = variables;
  pattern.unit_ = unit;
  return pattern;
}

Pattern Pattern::or_word(const std::string &word) const
{
  Pattern pattern = *this;
  pattern.words_.push_back(trim(word));
  return pattern;
}

bool Pattern::is_word(const std::string &text) const
{
  return std::find(words_.begin(), words_.end(), trim(text)) != words_.end();
}

std::optional<std::string> Pattern::check(const std::string &text) const
{
  if (is_word(text)) return std::nullopt;
  const std::optional<std::string> wrong = mismatch(trim(text));
  if (!wrong) return std::nullopt;
  return fmt::format("must be {}.{}{}", describe(), wrong->empty() ? "" : " ", *wrong);
}

std::optional<std::string> Pattern::mismatch(const std::string &text) const
{
  const std::string description_suffices;
  switch (kind_)
  {
    case Kind::number:
    {
      const auto value = parse_number(text);
      if (!value) return hint_for_number(text);
      if (!bounds_.contain(*value)) return description_suffices;
      return std::nullopt;
    }
    case Kind::integer:
    {
      const auto value = parse_integer(text);
      if (!value || *value < min_ || *value > max_) return description_suffices;
      return std::nullopt;
    }
    case Kind::boolean:
      if (!parse_boolean(text)) return description_suffices;
      return std::nullopt;
    case Kind::choice:
    {
      if (std::find(names_.begin(), names_.end(), text) != names_.end()) return std::nullopt;
      std::vector<std::string> candidates = names_;
      candidates.insert(candidates.end(), words_.begin(), words_.end());
      return trim(did_you_mean(text, candidates));
    }
    case Kind::text:
      return std::nullopt;
    case Kind::vector:
    case Kind::numbers:
    case Kind::integers:
      return mismatch_of_list(text);
    case Kind::formula:
      return mismatch_of_formula(text);
  }
  throw std::logic_error("unknown kind of pattern");
}

std::optional<std::string> Pattern::mismatch_of_list(const std::string &text) const
{
  const std::vector<std::string> parts = split(text, ',');
  for (const std::string &part : parts)
  {
    if (kind_ == Kind::integers)
    {
      const auto value = parse_integer(part);
      if (!value || *value < min_ || *value > max_) return fmt::format("\"{}\" is not allowed.", abbreviate(part));
    }
    else
    {
      const auto value = parse_number(part);
      if (!value) return fmt::format("\"{}\" is not a number.", abbreviate(part));
      if (!bounds_.contain(*value)) return fmt::format("{} is not allowed.", part);
    }
  }
  if (kind_ == Kind::vector && static_cast<int>(parts.size()) != n_components_) return fmt::format("Found {}.", parts.size());
  return std::nullopt;
}

std::optional<std::string> Pattern::mismatch_of_formula(const std::string &text) const
{
  try
  {
    const Formula formula(text, names_);
    if (formula.n_components() == n_components_) return std::nullopt;
    return fmt::format("Found {}.", formula.n_components());
  }
  catch (const InputError &error)
  {
    std::string what = error.what();
    what.front() = 'F';
    return what;
  }
}

std::string Pattern::describe() const
{
  std::string description = describe_without_words();
  for (const std::string &word : words_) description += ", or " + word;
  return description;
}

std::string Pattern::describe_without_words() const
{
  const std::string unit = unit_.empty() ? "" : " in " + unit_;
  const BoundsText bounds = describe_bounds(bounds_);
  // An interval and its unit read best as "a number in [0, 1] m".
  const std::string bounds_and_unit =
    bounds.behind.empty() || unit_.empty() ? bounds.behind + unit : bounds.behind + " " + unit_;
  switch (kind_)
  {
    case Kind::number:
      return fmt::format("a {}number{}", bounds.before, bounds_and_unit);
    case Kind::integer:
      return "an integer" + describe_range(min_, max_);
    case Kind::boolean:
      return "true or false (or yes or no)";
    case Kind::choice:
      return names_.size() == 1 ? names_.front() : "one of " + join(names_, ", ");
    case Kind::text:
      return "text";
    case Kind::vector:
      if (n_components_ == 1) return fmt::format("a {}number{}", bounds.before, bounds_and_unit);
      return fmt::format("{} {}numbers{}, separated by commas", n_components_, bounds.before, bounds_and_unit);
    case Kind::numbers:
      return fmt::format("any count of {}numbers{}, separated by commas", bounds.before, bounds_and_unit);
    case Kind::integers:
      return fmt::format("any count of integers{}, separated by commas", describe_range(min_, max_));
    case Kind::formula:
    {
      const std::string variables = names_.empty() ? "" : " of " + join(names_, ", ");
      if (n_components_ == 1) return fmt::format("a formula{}{}", variables, unit);
      return fmt::format("{} formulas{}{}, separated by ;", n_components_, variables, unit);
    }
  }
  throw std::logic_error("unknown kind of pattern");
}
}  // namespace freefall
