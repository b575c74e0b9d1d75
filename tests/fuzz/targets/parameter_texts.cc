#include <freefall/core/errors.h>
#include <freefall/core/expression.h>
#include <freefall/core/formula.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/text.h>
#include <freefall/simulation/simulation.h>
#include <freefall/simulation/tables.h>
#include <freefall/systems/fem/solid_parameters.h>

#include "../fuzz_target.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

using namespace freefall;

namespace
{
/// More than this is built nowhere here: dense algebra of many particles is slow, and no matter of reading.
constexpr std::size_t most_particles = 200;

std::string written(const ParameterSection &root)
{
  std::ostringstream text;
  write_prm(root, text);
  return text.str();
}

/// What was read can be written and read again, and is the same.
void check_round_trip(const ParameterSection &root)
{
  ParameterSection again;
  Simulation::declare_parameters(again);
  const std::string text = written(root);
  try
  {
    read_prm(text, "written.prm", again);
  }
  catch (const InputError &error)
  {
    throw std::logic_error(std::string("what was read is written so that it cannot be read: ") + error.what());
  }
  if (written(again) != text) throw std::logic_error("what was read is written as something else");
}

/// The stages after reading that need no mesh and no time.
void parse_values(const ParameterSection &root)
{
  const auto &integrators = root.section("Integrator");
  for (const auto &row : integrator_table())
    if (row.name == integrators.text("Name")) row.make(integrators.section(row.title()));
  if (root.text("Problem") == "solid")
    parse_solid_parameters(root);
  else if (root.section("Particles").list("Particle").size() <= most_particles)
    for (const auto &row : problem_table())
      if (row.name == root.text("Problem")) row.make(root);
}

template <typename Read>
void read_and_check(const Read &read)
{
  ParameterSection root;
  Simulation::declare_parameters(root);
  try
  {
    read(root);
    check_round_trip(root);
    parse_values(root);
  }
  catch (const InputError &)
  {
  }
}
}  // namespace

namespace fuzzing
{
void run_prm(const std::string &bytes)
{
  read_and_check([&](ParameterSection &root) { read_prm(bytes, "input.prm", root); });
}

void run_json(const std::string &bytes)
{
  read_and_check([&](ParameterSection &root) { read_json(bytes, "input.json", root); });
}

void run_settings(const std::string &bytes)
{
  read_and_check(
    [&](ParameterSection &root)
    {
      read_prm("subsection Body cube\nend\nsubsection Contact\n  subsection Plane wall\n  end\nend\n", "base.prm", root);
      for (const auto &setting : split(bytes, '\n')) apply_setting(root, setting);
    });
}

void run_formula(const std::string &bytes)
{
  const std::vector<std::string> variables{"x", "y", "t"};
  for (const double x : {0., 0.7, -1e300})
  {
    const double values[] = {x, 1.5 * x, 2.};
    try
    {
      const Formula formula(bytes, variables);
      for (int c = 0; c < formula.n_components(); ++c) formula.evaluate_finite({values[0], values[1], values[2]}, c);
    }
    catch (const InputError &)
    {
    }
    for (const auto functions : {Expression::Functions::smooth, Expression::Functions::with_kinks})
      try
      {
        const Expression expression(bytes, variables, functions);
        expression(static_cast<const double *>(values));
      }
      catch (const InputError &)
      {
      }
  }
}
}  // namespace fuzzing
