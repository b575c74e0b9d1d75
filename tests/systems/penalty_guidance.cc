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
double value(const NamedValues &values, const std::string &name)
{
  for (const auto &entry : values)
    if (entry.name == name) return entry.value;
  BOOST_FAIL("no value " << name);
  return 0;
}

/// A bar along x of 20 x 2 x 2 cells of 0.05 m flies at `speed` against a wall. lambda = 0 keeps it one-dimensional: the wave
/// speed is sqrt(2 mu / rho) = 1 m/s, the modulus of uniaxial strain 1 Pa.
std::unique_ptr<SolidSystem> bar(const std::string &element, double speed, const std::string &stiffness)
{
  return solid_from(
    fmt::format("subsection Body bar\nset Velocity = {}; 0; 0\nsubsection Mesh\nset Element = {}\nset Size = 1, "
                "0.1, 0.1\nset Subdivisions = 20, 2, 2\nset Cut = 5\nend\nsubsection Material\nset Lame lambda = "
                "0\nset Lame mu = 0.5\nset Density = 1\nend\nend\nsubsection Contact\nset Boundary ids = upper "
                "x\nsubsection Plane wall\nset Point = 1, 0, 0\nset Normal = -1, 0, 0\n{}end\nend\n",
                speed, element, stiffness));
}
}  // namespace

BOOST_AUTO_TEST_SUITE(penalty_guidance)

BOOST_AUTO_TEST_CASE(automatic_stiffness_is_modulus_times_size_for_cubes)
{
  // The node in the middle of the end stands for one cell face of h^2, a layer of height h: modulus * h.
  const auto system = bar("linear hexahedra", 0.01, "");
  BOOST_TEST(system->planes()[0].stiffness == 1 * 0.05, tt::tolerance(1e-12));
  BOOST_TEST(value(system->summary(), "stiffness_of_plane_wall") == 0.05, tt::tolerance(1e-12));
  BOOST_TEST(value(system->summary(), "lowest_element_in_contact") == 0.05, tt::tolerance(1e-12));
  // A normal that is not normalised makes gaps longer: the force at a given depth stays.
  const auto longer = bar("linear hexahedra", 0.01, "set Normalise normal = false\n");
  BOOST_TEST(longer->planes()[0].stiffness == 0.05, tt::tolerance(1e-12));
  const auto tetrahedra = bar("linear tetrahedra", 0.01, "");
  BOOST_TEST(tetrahedra->planes()[0].stiffness > 0.02);
  BOOST_TEST(tetrahedra->planes()[0].stiffness < 0.1);
}

BOOST_AUTO_TEST_CASE(penetration_is_the_strain_of_the_impact_and_the_step_hardly_suffers)
{
  for (const ElementType type : element_types())
  {
    const double speed = 0.01;  // over the wave speed of 1 m/s: a strain of one per cent
    const auto system = bar(shape_of(type).name, speed, "");
    const double with = value(system->summary(), "critical_time_step"),
                 without = value(system->summary(), "critical_time_step_without_contact");
    State state = system->initial_state();
    BOOST_TEST(system->critical_step(state.q).time_step == with);
    FixedStepIntegrator newmark(std::make_unique<VelocityVerlet>(), 0.5 * with);
    newmark.initialize(*system, state);
    double deepest = 0, force = 0;
    int n_looks = 0;
    while (state.time < 1.5)
    {
      newmark.advance(state, state.time + 0.005);
      const auto watched = system->watched(state);
      BOOST_TEST_REQUIRE(value(watched, "deepest_penetration_per_element") <= value(watched, "deepest_penetration") / 0.04);
      deepest = std::max(deepest, value(watched, "deepest_penetration_per_element"));
      if (state.time < 0.5) continue;
      force -= value(system->observe(state), "contact_force_x");
      ++n_looks;
    }
    BOOST_TEST_MESSAGE(shape_of(type).name << ": penetration " << deepest << " heights, step " << with << " of " << without);
    // p / modulus = 0.01 of a height at most where all nodes carry alike; the wave front overshoots, up to twice.
    BOOST_TEST(deepest > 0.002);
    BOOST_TEST(deepest < 0.03);
    BOOST_TEST(with > 0.5 * without);
    BOOST_TEST(with < without);
    // The impact itself: force rho c v A = 1e-4 N on average; 200 looks at the ripples behind the front.
    BOOST_TEST(force / n_looks == 1e-4, tt::tolerance(0.03));
  }
}

BOOST_AUTO_TEST_SUITE_END()
