#include <fmt/format.h>
#include <freefall/output/readable_number.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace freefall
{
namespace
{
/// The decimal exponent of a finite number other than 0 after it is rounded to three digits: 999.6 has exponent 3.
int rounded_exponent(double value)
{
  const std::string text = fmt::format("{:.2e}", std::fabs(value));
  return std::atoi(text.c_str() + text.find('e') + 1);
}
}  // namespace

std::string readable_number(double value, const std::string &before_prefix, const std::string &unit)
{
  constexpr std::array<const char *, 11> prefixes = {"f", "p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
  constexpr int lowest = -5;
  if (value == 0) return "0" + before_prefix + unit;
  const int thousands = std::isfinite(value) ? static_cast<int>(std::floor(rounded_exponent(value) / 3.)) : lowest - 1;
  if (thousands < lowest || thousands - lowest >= static_cast<int>(prefixes.size()))
    return fmt::format("{:.3g}{}{}", value, before_prefix, unit);
  const int n_decimals = 2 - (rounded_exponent(value) - 3 * thousands);
  return fmt::format("{:.{}f}{}{}{}", value / std::pow(10., 3 * thousands), n_decimals, before_prefix,
                     prefixes[thousands - lowest], unit);
}

std::string readable_time(double seconds)
{
  return std::fabs(seconds) < 0.9995 ? readable_number(seconds, " ", "s") : fmt::format("{:.5g} s", seconds);
}

std::string readable_duration(double seconds)
{
  if (!(seconds < 3.2e9)) return "more than 100 years";
  const std::int64_t total = std::llround(std::fmax(seconds, 0));
  const std::int64_t hours = total / 3600, minutes = total / 60 % 60;
  if (total < 60) return fmt::format("{} s", total);
  if (hours == 0) return fmt::format("{}:{:02}", minutes, total % 60);
  if (hours < 24) return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}
}  // namespace freefall
