#pragma once

#include <freefall/core/parameters.h>

#include <string>
#include <vector>

namespace freefall
{
/// One parameter (or several that take the same value) and the values it goes through.
struct Sweep
{
  std::string name;                    ///< the column of study.csv
  std::vector<std::string> keys;       ///< "Section/Key"; `*` in place of a section means every section that has the rest
  std::vector<std::string> values;     ///< as a parameter file would say them, before the template
  std::string value_template = "{}";   ///< what is set: every {} becomes the value
  std::string group;                   ///< sweeps of one group go together, value by value
  std::vector<std::string> variants;   ///< the sweep is for these only; for all when empty

  /// The text that the parameters get for values[i].
  std::string setting(int i) const;
  bool is_for(const std::string &variant) const;
};

/// The keys of one section "Sweep NAME" of a study file.
void declare_sweep_parameters(ParameterSection &section);
/// Throws InputError.
Sweep parse_sweep_parameters(const ParameterSection &section);

/// `count` numbers from `first` to `last`, both included, in equal differences or ratios, rounded to 12 digits, as text.
std::vector<std::string> number_range(double first, double last, int count, bool geometric);
}  // namespace freefall
