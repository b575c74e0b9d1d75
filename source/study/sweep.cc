#include <freefall/core/text.h>
#include <freefall/study/sweep.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
namespace
{
/// More values than this are a slip of the finger.
constexpr int max_values = 1000;

std::vector<std::string> listed_values(const ParameterSection &section)
{
  const std::string text = section.text("Values");
  const bool has_bars = text.find('|') != std::string::npos;
  std::vector<std::string> values = split(text, has_bars ? '|' : ',');
  for (const auto &value : values)
    if (value.empty())
      throw section.error("Values", "has an empty value. Separate values by commas, or by | where values hold commas.");
  return values;
}

std::vector<std::string> range_values(const ParameterSection &section, const std::string &key, bool geometric)
{
  const auto numbers = section.numbers(key);
  if (numbers.size() != 3) throw section.error(key, "must be three numbers: first, last, count.");
  const double count = numbers[2];
  if (count != std::floor(count) || count < 2 || count > max_values)
    throw section.error(key, fmt::format("the count, the third number, must be a whole number from 2 to {}.", max_values));
  if (numbers[0] == numbers[1]) throw section.error(key, "first and last must differ.");
  if (geometric && !(numbers[0] * numbers[1] > 0))
    throw section.error(key, "first and last of a geometric range must have the same sign and not be 0.");
  return number_range(numbers[0], numbers[1], static_cast<int>(count), geometric);
}

std::string replace_all(std::string text, const std::string &old, const std::string &replacement)
{
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + replacement.size()))
    text.replace(at, old.size(), replacement);
  return text;
}
}  // namespace

std::string Sweep::setting(int i) const { return replace_all(value_template, "{}", values[i]); }

bool Sweep::is_for(const std::string &variant) const
{
  return variants.empty() || std::find(variants.begin(), variants.end(), variant) != variants.end();
}

std::vector<std::string> number_range(double first, double last, int count, bool geometric)
{
  std::vector<std::string> values;
  for (int i = 0; i < count; ++i)
  {
    const double s = static_cast<double>(i) / (count - 1);
    const double value = geometric ? first * std::pow(last / first, s) : first + s * (last - first);
    values.push_back(fmt::format("{:.12g}", i == 0 ? first : i == count - 1 ? last : value));
  }
  return values;
}

void declare_sweep_parameters(ParameterSection &section)
{
  section.declare("Parameter", "", Pattern::text(),
                  "What is swept, as \"Section/Key\" of the base file; several, separated by commas, get the same value. A "
                  "section * stands for every section that has such a key: Integrator/*/Time step.");
  section.declare("Values", "", Pattern::text(),
                  "The values, separated by commas; or by | where values hold commas: 4, 1, 1 | 8, 2, 2.");
  section.declare("Linear", "", Pattern::numbers(), "In place of Values: first, last, count; equal differences.");
  section.declare("Geometric", "", Pattern::numbers(), "In place of Values: first, last, count; equal ratios.");
  section.declare("Template", "{}", Pattern::text(),
                  "What the parameter is set to; every {} becomes the value: \"{}, {}, {}\" for a vector of three.");
  section.declare("Group", "", Pattern::text(),
                  "Sweeps of the same group go together, first value with first value and so on; otherwise every value of "
                  "one sweep meets every value of the others.");
  section.declare("Variants", "", Pattern::text(), "Only for these variants, separated by commas; for all when empty.");
}

Sweep parse_sweep_parameters(const ParameterSection &section)
{
  Sweep sweep;
  sweep.name = section.label();
  if (sweep.name.empty()) throw section.error("", "needs a name, which becomes a column: subsection Sweep spacing");
  sweep.keys = split(section.text("Parameter"), ',');
  if (sweep.keys.empty()) throw section.error("Parameter", "must name a parameter, such as Integrator/Explicit Newmark/Time step.");
  int n_given = 0;
  for (const char *key : {"Values", "Linear", "Geometric"}) n_given += !trim(section.text(key)).empty();
  if (n_given != 1) throw section.error("", "must have exactly one of Values, Linear and Geometric.");
  if (!section.text("Values").empty())
    sweep.values = listed_values(section);
  else if (!section.text("Linear").empty())
    sweep.values = range_values(section, "Linear", false);
  else
    sweep.values = range_values(section, "Geometric", true);
  for (std::size_t i = 0; i < sweep.values.size(); ++i)
    if (std::find(sweep.values.begin(), sweep.values.begin() + i, sweep.values[i]) != sweep.values.begin() + i)
      throw section.error("", fmt::format("has the value {} twice.", sweep.values[i]));
  sweep.value_template = section.text("Template");
  if (sweep.value_template.find("{}") == std::string::npos)
    throw section.error("Template", "must contain {}, which becomes the value.");
  sweep.group = section.text("Group");
  sweep.variants = split(section.text("Variants"), ',');
  return sweep;
}
}  // namespace freefall
