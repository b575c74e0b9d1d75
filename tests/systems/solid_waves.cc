#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/velocity_verlet.h>

#include <fmt/format.h>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "solid_from_parameters.h"

using namespace freefall;
namespace tt = boost::test_tools;

namespace
{
/// Integrals over the body of the axial velocity and of x times it, between two planes.
struct Pulse
{
  double sum = 0, moment = 0;
  double place() const { return moment / sum; }
};

Pulse pulse(const SolidSystem &system, const State &state, double from, double to)
{
  Pulse pulse;
  for (int node = 0; node < system.mesh().n_nodes(); ++node)
  {
    const double x = system.mesh().nodes(0, node), m = system.diagonal_mass()[3 * node];
    if (x < from || x > to) continue;
    pulse.sum += m * state.v[3 * node];
    pulse.moment += m * state.v[3 * node] * x;
  }
  return pulse;
}

State advanced(const SolidSystem &system, double time)
{
  State state = system.initial_state();
  FixedStepIntegrator newmark(std::make_unique<VelocityVerlet>(), 0.5 * system.critical_step(state.q).time_step);
  newmark.initialize(system, state);
  newmark.advance(state, time);
  return state;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(solid_waves)

BOOST_AUTO_TEST_CASE(a_pulse_travels_at_the_speed_of_a_bar_in_every_element)
{
  // A bell of velocity splits in two halves. In a slender bar they travel at sqrt(E / rho) = 1 m/s whatever Poisson's ratio;
  // Love's correction for lateral inertia, (nu k r)^2 / 2 with k = 1/0.06 and r = 0.01/sqrt(6), is below 0.1 %.
  for (const ElementType type : element_types())
  {
    const bool quadratic = shape_of(type).is_quadratic;
    const auto bar = solid_from(fmt::format(
      "subsection Body bar\nset Velocity = 1e-6 * exp(-((x - 0.5) / 0.06)^2); 0; 0\nsubsection Mesh\nset Element = {}\n"
      "set Size = 1, 0.01, 0.01\nset Subdivisions = {}, 1, 1\nset Cut = 5\nend\nsubsection Material\nset Young modulus "
      "= 1\nset Poisson ratio = 0.3\nset Density = 1\nend\nend\n",
      shape_of(type).name, quadratic ? 50 : 100));
    const double start = 0.5;
    const State state = advanced(*bar, 0.25);
    const Pulse right = pulse(*bar, state, start, 1), left = pulse(*bar, state, 0, start);
    BOOST_TEST_MESSAGE(shape_of(type).name << ": " << (right.place() - start) / state.time);
    BOOST_TEST((right.place() - start) / state.time == 1, tt::tolerance(0.01));
    BOOST_TEST((start - left.place()) / state.time == 1, tt::tolerance(0.01));
    BOOST_TEST(right.sum == left.sum, tt::tolerance(0.01));
  }
}

BOOST_AUTO_TEST_SUITE_END()
