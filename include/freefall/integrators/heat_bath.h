#pragma once

#include <freefall/core/archive.h>
#include <freefall/core/parameters.h>
#include <freefall/integrators/constrained/constraint_solver.h>
#include <freefall/systems/system.h>

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace freefall
{
/// A heat bath of Langevin dynamics: the flow of the Ornstein-Uhlenbeck process for the velocities, positions held (TO 4.5).
///
///   mass proportional:  M dv = -gamma M v dt + sqrt(2 gamma k_B T M) dW        gamma in 1 / time
///   uniform:            M dv = -gamma v dt + sqrt(2 gamma k_B T) dW            gamma in mass / time, as printed in TO
///
/// Over a time dt the flow is exact: with the rate r = gamma or gamma / m,
///   v(dt) = exp(-r dt) v + sqrt((1 - exp(-2 r dt)) k_B T / m) xi,   xi normal.
/// With constraints v is then projected on the tangent space, orthogonally in the metric of the masses, which is exact for the
/// mass proportional form.
///
/// xi is a function of the seed, the number of the exchange and the global number of the dof: the same for any number of ranks
/// and after a restart. Fixed dofs keep their velocities.
///
/// heat() is the kinetic energy that came from the bath; total energy - heat is what a run conserves.
class HeatBath
{
public:
  enum class Friction
  {
    mass_proportional,
    uniform
  };
  struct Settings
  {
    double temperature = 0;                        ///< K, or any unit that the constant goes with
    double boltzmann_constant = 1.380649e-23;      ///< energy / K
    double friction = 0;                           ///< gamma
    Friction form = Friction::mass_proportional;
    std::uint64_t seed = 1;
  };
  static void declare_parameters(ParameterSection &root);
  /// The section Thermostat; nothing when it asks for none. Throws InputError.
  static std::optional<Settings> parse_parameters(const ParameterSection &root);

  explicit HeatBath(const Settings &settings) : settings_(settings) {}

  /// The system outlives the object. Throws InputError for a mass that is not diagonal, and for uniform friction with constraints.
  void attach(const System &system);
  /// Moves v by dt >= 0. Collective for a distributed system.
  void exchange(double dt, const Eigen::VectorXd &q, Eigen::VectorXd &v);

  const Settings &settings() const { return settings_; }
  double heat() const { return heat_; }
  void archive(Archive &archive);

private:
  void set_factors(double dt);

  Settings settings_;
  const System *system_ = nullptr;
  std::unique_ptr<ConstraintSolver> constraints_;  ///< of a system that has some
  std::uint64_t n_exchanges_ = 0;
  double heat_ = 0;
  double factors_step_ = -1;             ///< dt of the factors
  Eigen::VectorXd decay_, amplitude_;    ///< exp(-r dt), standard deviation of the noise; 1 and 0 in fixed dofs
  std::vector<std::uint32_t> numbers_;   ///< global numbers of the dofs; empty where they are the own ones
  std::vector<double> noise_;
  Eigen::VectorXd before_, gradients_, impulse_;
};
}  // namespace freefall
