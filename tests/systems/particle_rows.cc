#include <freefall/constraints/constraint_set.h>
#include <freefall/core/parameter_file.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/particle_parameters.h>
#include <freefall/systems/particles/particle_system.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
std::unique_ptr<System> parse(const std::string &text)
{
  ParameterSection root;
  declare_particle_parameters(root);
  read_prm(text, "test.prm", root);
  return parse_particle_parameters(root);
}

std::string row(const std::string &keys) { return "subsection Particles\n set Dimension = 2\n subsection Row bead\n" + keys + "end\nend\n"; }
std::string chain(const std::string &keys) { return "subsection Constraints\n subsection Chain rods\n set Row = bead\n" + keys + "end\nend\n"; }
}  // namespace

BOOST_AUTO_TEST_SUITE(particle_rows)

BOOST_AUTO_TEST_CASE(particles_of_a_row_are_where_the_formulas_say)
{
  const auto system = parse(row("set Number = 4\n set Mass = 2.5\n set Position = k; -2*k/n\n set Velocity = 0; sin(k)\n"));
  const auto &particles = dynamic_cast<const ParticleSystem &>(*system).particles();
  BOOST_TEST_REQUIRE(particles.size() == 4u);
  BOOST_TEST(particles[2].name == "bead_3");
  BOOST_TEST(particles[2].mass == 2.5);
  BOOST_TEST(particles[2].position == Eigen::Vector3d(3, -1.5, 0));
  BOOST_TEST(particles[2].velocity == Eigen::Vector3d(0, std::sin(3.), 0));
}

BOOST_AUTO_TEST_CASE(noise_is_normal_and_its_seed_gives_it_again)
{
  const auto positions = [](int seed)
  {
    return parse(row("set Number = 5000\n set Position = 1; 2\n set Position noise = 0.1\n set Seed = " + std::to_string(seed) + "\n"))
      ->initial_state()
      .q;
  };
  const Eigen::VectorXd first = positions(3);
  BOOST_TEST((first == positions(3)));
  BOOST_TEST((first - positions(4)).norm() > 1);
  double sum = 0, squares = 0, fourths = 0;
  for (Eigen::Index i = 0; i < first.size(); ++i)
  {
    const double z = (first[i] - (i % 2 ? 2 : 1)) / 0.1;
    sum += z, squares += z * z, fourths += z * z * z * z;
  }
  // Five standard errors of 10,000 normal numbers: those of z, z^2 and z^4 are 1, sqrt(2) and sqrt(96) hundredths.
  BOOST_TEST(std::abs(sum / 1e4) < 0.05);
  BOOST_TEST(std::abs(squares / 1e4 - 1) < 0.07);
  BOOST_TEST(std::abs(fourths / 1e4 - 3) < 0.49);
}

BOOST_AUTO_TEST_CASE(a_chain_joins_neighbours_and_the_anchor)
{
  const auto system = parse(row("set Number = 4\n set Position = k; -2*k\n") + chain("set Anchor = 0, 0\n set Form = square\n"));
  BOOST_TEST_REQUIRE(system->constraints());
  BOOST_TEST(system->constraints()->size() == 4);
  const auto residuals = constraint_residuals(*system, system->initial_state());
  BOOST_TEST(residuals.position == 0);
  const auto open = parse(row("set Number = 4\n set Position = k; -2*k\n") + chain(""));
  BOOST_TEST(open->constraints()->size() == 3);
}

BOOST_AUTO_TEST_SUITE_END()
