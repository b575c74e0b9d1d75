#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/particle_parameters.h>
#include <freefall/systems/particles/water_cluster.h>
#include <freefall/systems/tally.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;
namespace tt = boost::test_tools;

namespace
{
std::unique_ptr<ParticleSystem> cluster(const water::Settings &settings)
{
  auto system = std::make_unique<ParticleSystem>(3, water::make_cluster(settings));
  water::add_potentials(*system);
  return system;
}

std::unique_ptr<System> from_parameters(const std::string &text)
{
  ParameterSection root;
  declare_particle_parameters(root);
  read_prm(text, "water", root);
  return parse_particle_parameters(root);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(water_cluster)

BOOST_AUTO_TEST_CASE(the_dimer_is_that_of_jorgensen)
{
  // TIP3P in the gas phase (Jorgensen et al. 1983): -6.50 kcal/mol at 2.74 Angstrom, both rounded.
  double lowest = 0, distance = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
  {
    const auto system = cluster({2, seed});
    const Eigen::VectorXd &q = system->initial_state().q;
    const double energy = system->potential_energy(q);
    if (energy > lowest) continue;
    lowest = energy;
    distance = (q.segment<3>(0) - q.segment<3>(9)).norm();
  }
  BOOST_TEST_MESSAGE("dimer: " << lowest << " kcal/mol at " << distance << " Angstrom");
  BOOST_TEST(std::abs(lowest + 6.50) < 0.05);
  BOOST_TEST(std::abs(distance - 2.74) < 0.02);
}

BOOST_AUTO_TEST_CASE(pair_energies_are_those_of_the_plain_formula)
{
  const auto system = cluster({3, 4});
  const Eigen::VectorXd &q = system->initial_state().q;
  const double charges[] = {-0.834, 0.417, 0.417};
  double expected = 0;
  for (int a = 0; a < 9; ++a)
    for (int b = a + 1; b < 9; ++b)
    {
      if (a / 3 == b / 3) continue;
      const double r = (q.segment<3>(3 * a) - q.segment<3>(3 * b)).norm();
      expected += 332.06371 * charges[a % 3] * charges[b % 3] / r;
      if (a % 3 == 0 && b % 3 == 0) expected += 582000 * std::pow(r, -12) - 595 * std::pow(r, -6);
    }
  BOOST_TEST(system->potential_energy(q) == expected, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_cluster_is_rigid_relaxed_centred_and_a_function_of_its_seed)
{
  const auto system = cluster({7, 3}), again = cluster({7, 3}), other = cluster({7, 4});
  const Eigen::VectorXd &q = system->initial_state().q;
  BOOST_TEST((q == again->initial_state().q));
  BOOST_TEST((q - other->initial_state().q).norm() > 1);
  for (int a = 0; a < 7; ++a)
  {
    const Eigen::Vector3d o = q.segment<3>(9 * a), h1 = q.segment<3>(9 * a + 3), h2 = q.segment<3>(9 * a + 6);
    // Rounding of coordinates of some Angstrom.
    BOOST_TEST((h1 - o).norm() == 0.9572, tt::tolerance(1e-14));
    BOOST_TEST((h2 - o).norm() == 0.9572, tt::tolerance(1e-14));
    BOOST_TEST(std::acos((h1 - o).dot(h2 - o) / (0.9572 * 0.9572)) * 180 / M_PI == 104.52, tt::tolerance(1e-13));
  }
  // At a minimum the energy is below that of any small rigid move of one molecule.
  const double energy = system->potential_energy(q);
  for (int a = 0; a < 7; ++a)
    for (int axis = 0; axis < 3; ++axis)
      for (const double step : {-0.01, 0.01})
      {
        Eigen::VectorXd moved = q;
        for (int i = 0; i < 3; ++i) moved[9 * a + 3 * i + axis] += step;
        BOOST_TEST(system->potential_energy(moved) > energy);
      }
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (int i = 0; i < 21; ++i) centre += system->particles()[i].mass * q.segment<3>(3 * i);
  BOOST_TEST(centre.norm() < 1e-11);
}

BOOST_AUTO_TEST_CASE(velocities_are_those_of_a_heat_bath_on_the_tangent_space)
{
  double sum = 0, squares = 0;
  const int n_seeds = 40;
  for (int seed = 1; seed <= n_seeds; ++seed)
  {
    water::Settings settings{4, static_cast<std::uint64_t>(seed), 300};
    settings.force_tolerance = 0.1;
    auto system = cluster(settings);
    auto rigid = std::make_shared<ConstraintSet>();
    water::add_rigid_geometry(*system, *rigid);
    system->set_constraints(rigid);
    system->set_boltzmann_constant(water::boltzmann_constant);
    const State &state = system->initial_state();
    BOOST_TEST(system->n_degrees_of_freedom() == 24);
    // Rounding of velocities of some 1 Angstrom in the unit of time.
    BOOST_TEST(constraint_residuals(*system, state).velocity < 1e-13);
    BOOST_TEST(system->linear_momentum(state).norm() < 1e-12);
    // Three of the 24 degrees of freedom, those of the centre of mass, are at rest.
    const double temperature = system->temperature(state) * 24 / 21;
    sum += temperature;
    squares += temperature * temperature;
  }
  const double mean = sum / n_seeds, error = std::sqrt((squares / n_seeds - mean * mean) / (n_seeds - 1));
  BOOST_TEST_MESSAGE("initial temperature " << mean << " +- " << error);
  BOOST_TEST(std::abs(mean - 300) < 3 * error);
  BOOST_TEST(error < 30);
}

BOOST_AUTO_TEST_CASE(the_section_water_makes_rigid_or_stiff_molecules)
{
  const std::string water = "subsection Particles\n subsection Water\n set Molecules = 2\n end\nend\n";
  const auto rigid = from_parameters(water);
  BOOST_TEST_REQUIRE(rigid->constraints());
  BOOST_TEST(rigid->constraints()->size() == 6);
  BOOST_TEST(rigid->terms().size() == 2u);
  const auto stiff = from_parameters(water + "subsection Constraints\n set Penalty = 40\nend\n");
  BOOST_TEST(!stiff->constraints());
  BOOST_TEST(stiff->terms().size() == 3u);
  BOOST_TEST((stiff->initial_state().q == rigid->initial_state().q));
  // Two oxygens have one distance.
  const auto tally = rigid->make_tally();
  BOOST_TEST_REQUIRE((tally != nullptr));
  tally->sample(rigid->initial_state());
  const auto table = tally->tables().at(0);
  BOOST_TEST(table.name == "radial_distribution");
  BOOST_TEST_REQUIRE(table.rows.size() == 100u);
  const double distance = (rigid->initial_state().q.segment<3>(0) - rigid->initial_state().q.segment<3>(9)).norm();
  for (std::size_t bin = 0; bin < 100; ++bin)
  {
    const bool is_there = static_cast<int>(10 * distance) == static_cast<int>(bin);
    BOOST_TEST(table.rows[bin][1].value == (is_there ? 10. : 0.), tt::tolerance(1e-14));
    BOOST_TEST(table.rows[bin][2].value == (10 * distance < bin + 1. ? 1. : 0.), tt::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_SUITE_END()
