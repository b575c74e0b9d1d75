#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/force_stepping/force_stepping.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/systems/particles/jacobi_reduction.h>

#include <integrators/argon.h>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

/// Very many steps of the frozen argon cluster of GSO 6.2.
BOOST_AUTO_TEST_SUITE(slow_soak)

BOOST_AUTO_TEST_CASE(a_hundred_million_events_leave_energy_and_linear_momentum_where_they_were)
{
  const JacobiReduction system(test::argon());
  ForceStepping integrator({ForceSteppingEngine::local, force_stepping::GridKind::mirrored_kuhn, {0.02}, GridShift::random, 1});
  State state = system.initial_state();
  integrator.initialize(system, state);
  const double energy = *integrator.conserved_energy(state);
  double energy_error = 0, momentum = 0, largest_single = 0;
  for (int part = 1; integrator.statistics().n_steps < 100000000; ++part)
  {
    integrator.advance(state, 1. * part);
    energy_error = std::max(energy_error, std::abs(*integrator.conserved_energy(state) / energy - 1));
    for (const auto &value : system.observe(state))
      if (value.name == "linear_momentum_x" || value.name == "linear_momentum_y")
        momentum = std::max(momentum, std::abs(value.value));
    largest_single = std::max(largest_single, 66.34 * state.v.cwiseAbs().maxCoeff());
  }
  BOOST_TEST_MESSAGE(integrator.statistics().n_steps << " events: energy within " << energy_error << ", momentum within "
                                                     << momentum << " of " << largest_single);
  // A random walk of rounding, 1e-16 sqrt(1e8) = 1e-12 and a factor for what an event does.
  BOOST_TEST(energy_error < 1e-11);
  // The centre of mass is no coordinate: only the sum over the atoms is rounded.
  BOOST_TEST(momentum < 1e-14 * largest_single);
}

BOOST_AUTO_TEST_CASE(ten_million_verlet_steps_keep_the_momenta_to_rounding_and_the_energy_without_drift)
{
  const auto system = test::argon();
  FixedStepIntegrator integrator(std::make_unique<VelocityVerlet>(), 0.8e-6);
  State state = system->initial_state();
  integrator.initialize(*system, state);
  const double energy = system->energy_balance(state).total();
  const double angular = system->angular_momentum(state)[2];
  double momentum = 0, angular_error = 0, first_tenth = 0, largest = 0, scale = 0;
  for (int part = 1; part <= 10000; ++part)
  {
    integrator.advance(state, 0.8e-6 * 1000. * part);
    scale = std::max(scale, 66.34 * state.v.norm());
    momentum = std::max(momentum, system->linear_momentum(state).norm());
    angular_error = std::max(angular_error, std::abs(system->angular_momentum(state)[2] - angular));
    largest = std::max(largest, std::abs(system->energy_balance(state).total() / energy - 1));
    if (part == 1000) first_tenth = largest;
  }
  BOOST_TEST(integrator.statistics().n_steps == 10000000);
  BOOST_TEST_MESSAGE("momentum " << momentum << ", angular momentum " << angular_error << ", scale " << scale << "; energy "
                                 << first_tenth << " in the first tenth, " << largest << " in all");
  // Rounding of 1e7 steps: 1e-16 sqrt(1e7) of the momenta, ten times that for the pairs of a step.
  BOOST_TEST(momentum < 3e-12 * scale);
  BOOST_TEST(angular_error < 3e-12 * scale);
  // The energy is not constant: it oscillates with dt^2, and an oscillation does not grow. A drift would be ten times more.
  BOOST_TEST(largest < 2 * first_tenth);
}

BOOST_AUTO_TEST_SUITE_END()
