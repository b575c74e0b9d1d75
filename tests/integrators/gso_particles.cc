#include <freefall/integrators/discrete_gradient_method.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/force_stepping/force_stepping.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/systems/particles/jacobi_reduction.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/radial_kepler.h>

#include <integrators/argon.h>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

/// The numbers of GSO 6.1 and 6.2.
namespace
{
const double pi = std::acos(-1.0);

std::unique_ptr<ParticleSystem> kepler(double e)
{
  auto system = std::make_unique<ParticleSystem>(
    2, std::vector<Particle>{{"body", 1, 0, {1 - e, 0, 0}, {0, std::sqrt((1 + e) / (1 - e)), 0}}});
  particle_potentials::add_central_gravity(*system, {0, 0, 0}, 1);
  return system;
}

struct Result
{
  double average_step, energy_error;
  State state;
};

/// Average step, largest relative error of the conserved energy, and the state at the end.
Result force_stepping_run(const System &system, double spacing, force_stepping::GridKind grid, double end)
{
  ForceSteppingSettings settings;
  settings.engine = ForceSteppingEngine::kinetic;
  settings.grid = grid;
  settings.spacing = {spacing};
  settings.shift = GridShift::none;
  ForceStepping integrator(settings);
  State state = system.initial_state();
  integrator.initialize(system, state);
  const double energy = *integrator.conserved_energy(state);
  Result result{0, 0, {}};
  for (int i = 1; i <= 100; ++i)
  {
    integrator.advance(state, end * i / 100);
    result.energy_error = std::max(result.energy_error, std::abs(*integrator.conserved_energy(state) / energy - 1));
  }
  result.average_step = end / static_cast<double>(integrator.statistics().n_steps);
  result.state = state;
  return result;
}

double final_energy(const System &system, std::unique_ptr<OneStepMethod> method, double dt, double end)
{
  State state = system.initial_state();
  FixedStepIntegrator integrator(std::move(method), dt);
  integrator.initialize(system, state);
  integrator.advance(state, end);
  return system.energy_balance(state).total();
}
}  // namespace

BOOST_AUTO_TEST_SUITE(gso_particles)

BOOST_AUTO_TEST_CASE(force_stepping_takes_the_steps_of_the_paper_on_an_ellipse)
{
  const Result result = force_stepping_run(*kepler(0.85), 0.022, force_stepping::GridKind::kuhn, 64 * pi);
  BOOST_TEST_MESSAGE("average step " << result.average_step << ", energy error " << result.energy_error);
  // 0.0125 in the paper; METHODS.md: the mean is sensitive, 0.0115 to 0.0145 is agreement.
  BOOST_TEST(result.average_step > 0.0115);
  BOOST_TEST(result.average_step < 0.0145);
  // Rounding of 16 thousand events; 6e-14 was measured.
  BOOST_TEST(result.energy_error < 1e-11);
}

BOOST_AUTO_TEST_CASE(force_stepping_takes_the_steps_of_the_paper_along_the_radius)
{
  const double e = 0.85;
  const RadialKepler system(1, 1 - e, 0, std::sqrt(1 - e * e));
  const Result result = force_stepping_run(system, 0.0067, force_stepping::GridKind::kuhn, 64 * pi);
  // 0.0125, to two digits.
  BOOST_TEST(result.average_step == 0.0125, boost::test_tools::tolerance(0.02));
  BOOST_TEST(result.energy_error < 1e-11);
}

BOOST_AUTO_TEST_CASE(at_high_eccentricity_newmark_loses_the_energy_and_labudde_greenspan_keeps_it)
{
  const auto system = kepler(0.99);
  BOOST_TEST(std::abs(final_energy(*system, std::make_unique<VelocityVerlet>(), 0.000175, 4 * pi) + 0.5) > 0.1);
  // Rounding of 72 thousand implicit steps, of energies up to 100.
  BOOST_TEST(std::abs(final_energy(*system, std::make_unique<DiscreteGradientMethod>(), 0.000175, 4 * pi) + 0.5) < 1e-11);
  const Result result = force_stepping_run(*system, 0.000247, force_stepping::GridKind::kuhn, 16 * pi);
  BOOST_TEST_MESSAGE("average step " << result.average_step << ", energy error " << result.energy_error);
  // 0.000175 over these 8 periods; the mean is as sensitive as at e = 0.85, and 7 % lower over the first two.
  BOOST_TEST(result.average_step == 0.000175, boost::test_tools::tolerance(0.05));
  // Rounding of 288 thousand events, with kinetic energies 200 times the conserved one at each perihelion: 2e-12 was measured.
  BOOST_TEST(result.energy_error < 1e-11);
}

BOOST_AUTO_TEST_CASE(the_argon_cluster_has_the_energy_and_the_steps_of_the_paper)
{
  const JacobiReduction system(test::argon());
  // -10.5193, to half a unit of its last digit.
  BOOST_TEST(std::abs(system.energy_balance(system.initial_state()).total() / test::argon_epsilon + 10.5193) < 5e-5);
  const Result result = force_stepping_run(system, 0.02, force_stepping::GridKind::mirrored_kuhn, 0.2);
  BOOST_TEST_MESSAGE("average step " << result.average_step << ", energy error " << result.energy_error);
  // 3.12 fs over 10 ns; this is the first fiftieth of it.
  BOOST_TEST(result.average_step == 3.12e-6, boost::test_tools::tolerance(0.05));
  BOOST_TEST(result.energy_error < 1e-11);
  const State whole = system.reconstruct(result.state);
  // 66.34 times 100 times rounding, for seven atoms.
  BOOST_TEST(system.particles().linear_momentum(whole).norm() < 1e-10);
}

BOOST_AUTO_TEST_SUITE_END()
