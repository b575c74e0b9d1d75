#include <freefall/core/formula.h>
#include <freefall/core/nearest_name.h>
#include <freefall/systems/particles/particle_rows.h>

#include <fmt/format.h>
#include <cmath>
#include <random>

namespace freefall
{
namespace
{
/// More would be a slip of the finger.
constexpr int max_particles_of_a_row = 10000000;

std::string name_of(const ParameterSection &row, int k)
{
  return fmt::format("{}_{}", row.label().empty() ? "particle" : row.label(), k);
}

/// Normal deviates by Box and Muller from a generator that the C++ standard defines to the bit (its distributions it does not).
class NormalDeviates
{
public:
  explicit NormalDeviates(int seed) : generator_(static_cast<std::uint64_t>(seed)) {}
  double operator()()
  {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * M_PI * uniform());
  }

private:
  /// In (0, 1].
  double uniform() { return (static_cast<double>(generator_() >> 11) + 1) / 9007199254740992.; }
  std::mt19937_64 generator_;
};

/// A formula of k and n with one component for each dimension; nothing for an empty value that may be.
std::optional<Formula> formula_of(const ParameterSection &row, const std::string &key, int dimension)
{
  if (row.text(key).empty() && key == "Velocity") return std::nullopt;
  try
  {
    Formula formula(row.text(key), {"k", "n"});
    if (formula.n_components() != dimension)
      throw InputError(fmt::format("has {} formula{}; it must have {}, one for each dimension, separated by ;.",
                                   formula.n_components(), formula.n_components() == 1 ? "" : "s", dimension));
    return formula;
  }
  catch (const InputError &error)
  {
    throw row.error(key, error.what());
  }
}

Eigen::Vector3d evaluate(const ParameterSection &row, const std::string &key, const Formula &formula, int k, int n)
{
  Eigen::Vector3d value = Eigen::Vector3d::Zero();
  try
  {
    for (int axis = 0; axis < formula.n_components(); ++axis)
      value[axis] = formula.evaluate_finite({static_cast<double>(k), static_cast<double>(n)}, axis);
  }
  catch (const InputError &error)
  {
    throw row.error(key, error.what());
  }
  return value;
}
}  // namespace

void declare_row_parameters(ParameterSection &particles)
{
  particles.declare_list(
    "Row", "Many particles NAME_1, NAME_2, ... by formulas of their number: a chain or a lattice.",
    [](ParameterSection &row)
    {
      row.declare("Number", "10", Pattern::integer(1, max_particles_of_a_row), "n, how many particles.");
      row.declare("Mass", "1", Pattern::number("", Bounds::positive()), "m of each.");
      row.declare("Charge", "0", Pattern::number(), "q of each.");
      row.declare("Position", "k", Pattern::text(),
                  "At the start: as many formulas of k = 1, ..., n and of n as Dimension says, separated by ; such as k; -2*k.");
      row.declare("Velocity", "", Pattern::text(), "At the start, in the same way; nothing means at rest.");
      row.declare("Position noise", "0", Pattern::number("", Bounds::non_negative()),
                  "Standard deviation of independent normal numbers that are added to the positions.");
      row.declare("Velocity noise", "0", Pattern::number("", Bounds::non_negative()), "The same for the velocities.");
      row.declare("Seed", "1", Pattern::integer(0), "Of the noise; the same seed gives the same numbers.");
    });
}

void add_rows(const ParameterSection &particles, int dimension, std::vector<Particle> &list)
{
  for (const ParameterSection *row : particles.list("Row"))
  {
    const int n = row->integer("Number");
    const auto position = formula_of(*row, "Position", dimension), velocity = formula_of(*row, "Velocity", dimension);
    const double position_noise = row->number("Position noise"), velocity_noise = row->number("Velocity noise");
    NormalDeviates deviates(row->integer("Seed"));
    for (int k = 1; k <= n; ++k)
    {
      Particle particle{name_of(*row, k), row->number("Mass"), row->number("Charge")};
      particle.position = evaluate(*row, "Position", *position, k, n);
      if (velocity) particle.velocity = evaluate(*row, "Velocity", *velocity, k, n);
      for (int axis = 0; axis < dimension && position_noise > 0; ++axis) particle.position[axis] += position_noise * deviates();
      for (int axis = 0; axis < dimension && velocity_noise > 0; ++axis) particle.velocity[axis] += velocity_noise * deviates();
      list.push_back(std::move(particle));
    }
  }
}

ParticleRow find_row(const ParameterSection &particles,
                     const ParticleSystem &system,
                     const ParameterSection &section,
                     const std::string &key)
{
  std::vector<std::string> names;
  for (const ParameterSection *row : particles.list("Row"))
  {
    names.push_back(row->label());
    if (row->label() == section.text(key)) return {system.index_of(name_of(*row, 1)), row->integer("Number")};
  }
  if (names.empty()) throw section.error(key, "must be the name of a section Particles/Row NAME, and there is none.");
  throw section.error(key, fmt::format("there is no Row \"{}\" in Particles.{}", section.text(key),
                                       did_you_mean(section.text(key), names)));
}
}  // namespace freefall
