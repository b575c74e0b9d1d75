#include <freefall/integrators/constrained/rattle.h>
#include <freefall/integrators/constrained/shake.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/langevin_method.h>
#include <freefall/integrators/zhang_skeel.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/water_cluster.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "particle_problems.h"

using namespace freefall;
using particle_problems::distance;
using particle_problems::run;

namespace
{
constexpr double dt = 0.05;  // 2.44 fs
constexpr double omega = 40;

std::unique_ptr<ParticleSystem> cluster(int n_molecules, bool is_rigid)
{
  water::Settings settings{n_molecules, 2, 50};
  settings.force_tolerance = 1e-3;
  auto system = std::make_unique<ParticleSystem>(3, water::make_cluster(settings));
  water::add_potentials(*system);
  auto geometry = std::make_shared<ConstraintSet>();
  water::add_rigid_geometry(*system, *geometry);
  if (is_rigid)
    system->set_constraints(geometry);
  else
    system->penalise(geometry, omega);
  system->set_boltzmann_constant(water::boltzmann_constant);
  return system;
}

std::unique_ptr<OneStepMethod> stiff_split(ShiftedSolver::Method method = ShiftedSolver::Method::automatic)
{
  ZhangSkeel::Settings settings;
  settings.beta = 0.4;
  settings.form = ZhangSkeel::Form::stiff_split;
  settings.stiff_terms = {"penalised"};
  settings.solver.method = method;
  return std::make_unique<ZhangSkeel>(settings);
}

/// Largest deviation of a bond or of the distance of the hydrogens, Angstrom.
double largest_deviation(const Eigen::VectorXd &q)
{
  const double lengths[] = {0.9572, 0.9572, 2 * 0.9572 * std::sin(0.5 * 104.52 * M_PI / 180)};
  const int pairs[][2] = {{0, 1}, {0, 2}, {1, 2}};
  double largest = 0;
  for (Eigen::Index a = 0; a < q.size() / 9; ++a)
    for (int c = 0; c < 3; ++c)
      largest = std::max(largest, std::abs((q.segment<3>(9 * a + 3 * pairs[c][0]) - q.segment<3>(9 * a + 3 * pairs[c][1])).norm() -
                                           lengths[c]));
  return largest;
}

/// What a run of 2000 steps does to the invariants.
struct Drift
{
  double geometry = 0, linear = 0, angular = 0, energy = 0;  ///< largest
  double between_halves = 0;                                 ///< of the mean energy, from the first half of the run to the second
  double kinetic = 0;                                        ///< at the start
};

Drift drift_of(const ParticleSystem &system, std::unique_ptr<OneStepMethod> method, double step = dt)
{
  FixedStepIntegrator integrator(std::move(method), step);
  State state = system.initial_state();
  integrator.initialize(system, state);
  const Eigen::Vector3d linear = system.linear_momentum(state), angular = system.angular_momentum(state);
  const double energy = system.energy_balance(state).total();
  Drift drift;
  drift.kinetic = system.energy_balance(state).kinetic;
  for (int i = 1; i <= 200; ++i)
  {
    integrator.advance(state, 10 * i * step);
    drift.geometry = std::max(drift.geometry, largest_deviation(state.q));
    drift.linear = std::max(drift.linear, (system.linear_momentum(state) - linear).norm());
    drift.angular = std::max(drift.angular, (system.angular_momentum(state) - angular).norm());
    const double change = system.energy_balance(state).total() - energy;
    drift.energy = std::max(drift.energy, std::abs(change));
    drift.between_halves += (i > 100 ? change : -change) / 100;
  }
  BOOST_TEST_MESSAGE(integrator.method().name() << ": geometry " << drift.geometry << ", linear momentum " << drift.linear
                                                << ", angular momentum " << drift.angular << " of " << angular.norm() << ", energy "
                                                << drift.energy << ", between halves " << drift.between_halves << ", kinetic energy " << drift.kinetic);
  return drift;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(water_molecules)

BOOST_AUTO_TEST_CASE(rigid_molecules_keep_their_geometry_and_momenta)
{
  const auto system = cluster(7, true);
  for (const bool by_shake : {true, false})
    for (const auto way : {ConstraintSolver::Method::automatic, ConstraintSolver::Method::general})
    {
      std::unique_ptr<OneStepMethod> method = std::make_unique<Rattle>(Rattle::Form::rattle, way);
      if (by_shake) method = std::make_unique<Shake>(way);
      const Drift drift = drift_of(*system, std::move(method));
      BOOST_TEST(drift.geometry < 1e-12);
      // 2000 steps of rounding of forces of some 100 and of momenta of some 10.
      BOOST_TEST(drift.linear < 1e-11);
      BOOST_TEST(drift.angular < 1e-10);
      // Second order: librations of some 100 fs at a step of 2.44 fs.
      BOOST_TEST(drift.energy < 0.03 * drift.kinetic);
    }
}

BOOST_AUTO_TEST_CASE(clusters_and_the_general_solve_make_the_same_steps)
{
  const auto system = cluster(7, true);
  for (const bool by_shake : {true, false})
  {
    const auto make = [&](ConstraintSolver::Method way) -> std::unique_ptr<OneStepMethod>
    {
      if (by_shake) return std::make_unique<Shake>(way);
      return std::make_unique<Rattle>(Rattle::Form::rattle, way);
    };
    const State by_clusters = run(*system, make(ConstraintSolver::Method::automatic), dt, 100);
    const State general = run(*system, make(ConstraintSolver::Method::general), dt, 100);
    // Rounding, grown for 12 fs.
    BOOST_TEST(distance(by_clusters, general) < 1e-11);
    BOOST_TEST(distance(by_clusters, system->initial_state()) > 0.1);
  }
}

BOOST_AUTO_TEST_CASE(shake_and_rattle_have_the_same_positions)
{
  // Their velocities differ by the order dt^2 of G v, which v' = v + dt/2 a removes at the first step.
  const auto system = cluster(4, true);
  const State shake = run(*system, std::make_unique<Shake>(), dt, 50), rattle = run(*system, std::make_unique<Rattle>(), dt, 50);
  BOOST_TEST((shake.q - rattle.q).norm() < 1e-11);
  BOOST_TEST((shake.v - rattle.v).norm() > 1e-9);
}

BOOST_AUTO_TEST_CASE(the_stiff_split_keeps_linear_momentum_and_nearly_the_geometry)
{
  const auto system = cluster(7, false);
  // At 1.22 fs, a sixth of the period of a bond. At 2.44 fs the simplified form feeds energy to so stiff bonds; see
  // parameters/water_7_stiff_split.prm.
  const Drift drift = drift_of(*system, stiff_split(), dt / 2);
  BOOST_TEST(drift.linear < 1e-11);
  // g = O(omega^-2): forces of some 30 kcal/mol/Angstrom and centrifugal ones, over the stiffness omega^2 L^2 = 1500 of a bond.
  BOOST_TEST(drift.geometry > 1e-4);
  BOOST_TEST(drift.geometry < 0.06);
  // The state belongs to x = q + beta dt^2 M^-1 grad V (TO 2.2): its energy is off by (omega dt)^2 of that of the bonds, but stays.
  BOOST_TEST(drift.energy < 0.5 * drift.kinetic);
  BOOST_TEST(std::abs(drift.between_halves) < 0.05 * drift.kinetic);
}

BOOST_AUTO_TEST_CASE(a_solve_molecule_by_molecule_makes_the_steps_of_the_sparse_solve)
{
  const auto system = cluster(7, false);
  const State by_blocks = run(*system, stiff_split(), dt, 100);
  const State sparse = run(*system, stiff_split(ShiftedSolver::Method::direct), dt, 100);
  BOOST_TEST(distance(by_blocks, sparse) < 1e-10);
  BOOST_TEST(distance(by_blocks, system->initial_state()) > 0.1);
}

BOOST_AUTO_TEST_CASE(rigid_molecules_in_a_heat_bath_have_its_temperature)
{
  // Translations and rotations alike: the mean over time of the energy of each of the six, in the frame of the molecule.
  const auto system = cluster(7, true);
  HeatBath::Settings settings;
  settings.temperature = 200;
  settings.boltzmann_constant = water::boltzmann_constant;
  settings.friction = 0.5;
  settings.seed = 5;
  HeatBath bath(settings);
  FixedStepIntegrator integrator(std::make_unique<Shake>(), dt);
  integrator.couple(bath);
  State state = system->initial_state();
  integrator.initialize(*system, state);
  const double mass = water::oxygen_mass + 2 * water::hydrogen_mass;
  std::vector<double> translations, rotations;
  // Parts of 40 units of time, twenty times that in which the bath forgets a velocity, count as independent.
  const int n_parts = 50, n_samples = 160;
  for (int part = 0; part < n_parts; ++part)
  {
    double translation = 0, rotation = 0;
    for (int sample = 1; sample <= n_samples; ++sample)
    {
      integrator.advance(state, (part * n_samples + sample) * 5 * dt);
      BOOST_TEST_REQUIRE(largest_deviation(state.q) < 1e-12);
      for (int a = 0; a < 7; ++a)
      {
        Eigen::Vector3d momentum = Eigen::Vector3d::Zero();
        double kinetic = 0;
        for (int i = 0; i < 3; ++i)
        {
          const double m = system->particles()[3 * a + i].mass;
          momentum += m * state.v.segment<3>(9 * a + 3 * i);
          kinetic += 0.5 * m * state.v.segment<3>(9 * a + 3 * i).squaredNorm();
        }
        const double of_centre = momentum.squaredNorm() / (2 * mass);
        translation += of_centre / (7 * n_samples);
        rotation += (kinetic - of_centre) / (7 * n_samples);
      }
    }
    if (part < 2) continue;
    translations.push_back(translation);
    rotations.push_back(rotation);
  }
  for (const auto &[name, energies] : {std::pair<const char *, std::vector<double> &>{"translation", translations}, {"rotation", rotations}})
  {
    double mean = 0, squares = 0;
    for (const double energy : energies) mean += energy / energies.size();
    for (const double energy : energies) squares += std::pow(energy - mean, 2);
    const double unit = 1.5 * water::boltzmann_constant;
    const double error = std::sqrt(squares / (energies.size() - 1) / energies.size()) / unit;
    BOOST_TEST_MESSAGE(name << ": " << mean / unit << " +- " << error << " K");
    BOOST_TEST(std::abs(mean / unit - 200) < 3 * error);
    BOOST_TEST(error < 4);
  }
}

BOOST_AUTO_TEST_SUITE_END()
