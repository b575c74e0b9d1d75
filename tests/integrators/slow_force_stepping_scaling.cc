#include <freefall/integrators/force_stepping/force_stepping.h>
#include <freefall/systems/fem/solid_system.h>

#include <systems/cube_impact.h>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;
using namespace freefall::force_stepping;

BOOST_AUTO_TEST_SUITE(slow_force_stepping_scaling)

BOOST_AUTO_TEST_CASE(the_average_step_falls_with_the_spacing_and_with_the_square_of_the_number_of_nodes)
{
  // GSO Figure 23, over the first 40 us, in which the impact happens: all crossings counted.
  const auto average_step = [](const std::string &mesh, double h)
  {
    const SolidSystem system(paper_cube(mesh));
    ForceStepping integrator({ForceSteppingEngine::kinetic, GridKind::kuhn, {h}, GridShift::random, 1});
    State state = system.initial_state();
    integrator.initialize(system, state);
    integrator.advance(state, 40e-6);
    return 40e-6 / integrator.statistics().n_steps;
  };
  std::vector<double> steps;
  for (const std::string mesh : {"I", "II", "III"})
  {
    steps.push_back(average_step(mesh, 5e-4));
    const double order = std::log2(steps.back() / average_step(mesh, 2.5e-4));
    BOOST_TEST_MESSAGE("mesh " << mesh << ": average step " << steps.back() << " s, order in h " << order);
    BOOST_TEST(std::fabs(order - 1) < 0.25);
  }
  // 71, 125 and 429 nodes. The meshes are not similar (II is cut otherwise), so the exponent is only near 2.
  const double exponent = -std::log(steps[2] / steps[0]) / std::log(429. / 71.);
  BOOST_TEST_MESSAGE("exponent in the number of nodes between meshes I and III: " << exponent);
  BOOST_TEST(std::fabs(exponent - 2) < 0.4);
  BOOST_TEST(steps[1] < steps[0]);
  BOOST_TEST(steps[2] < steps[1]);
}

BOOST_AUTO_TEST_SUITE_END()
