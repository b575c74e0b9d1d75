#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/integrator.h>
#include <freefall/systems/system.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace freefall
{
/// The names that a parameter file can choose from. Adding a problem or an integrator is one row in tables.cc.

/// A kind of system.
struct ProblemRow
{
  std::string name;
  std::string description;
  std::function<void(ParameterSection &root)> declare;
  /// Throws InputError.
  std::function<std::unique_ptr<System>(const ParameterSection &root)> make;
};
const std::vector<ProblemRow> &problem_table();

/// An integrator; its parameters are those of the section Integrator/TITLE, the name with a capital letter.
struct IntegratorRow
{
  std::string name;
  std::string description;
  std::function<void(ParameterSection &section)> declare;
  /// Throws InputError.
  std::function<std::unique_ptr<Integrator>(const ParameterSection &section)> make;

  std::string title() const;
};
const std::vector<IntegratorRow> &integrator_table();

/// What `freefall list` prints: a heading, then names with one line each.
struct Listing
{
  std::string heading;
  std::vector<std::pair<std::string, std::string>> entries;
};
std::vector<Listing> all_listings();
}  // namespace freefall
