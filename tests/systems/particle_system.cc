#include <freefall/core/errors.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_system.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;
using namespace freefall::particle_potentials;

namespace
{
std::vector<Particle> three()
{
  return {{"sun", 5, 1, {0.1, 0.2, 0}, {0.3, 0, 0}},
          {"earth", 2, -2, {1.5, 0, 0}, {0, 1, 0}},
          {"moon", 0.5, 1.5, {1.5, 0.4, 0}, {0.2, 1.5, 0}}};
}

void check_refused(int dimension, std::vector<Particle> particles, const std::string &expected)
{
  BOOST_CHECK_EXCEPTION(ParticleSystem(dimension, particles), InputError,
                        [&](const InputError &error)
                        {
                          BOOST_TEST_MESSAGE(error.what());
                          return std::string(error.what()).find(expected) != std::string::npos;
                        });
}

/// The gradient of the whole system against central differences of its energy.
void check_gradient(const ParticleSystem &system)
{
  Eigen::VectorXd gradient, q = system.initial_state().q;
  system.gradient(q, gradient);
  BOOST_TEST_REQUIRE(gradient.norm() > 1e-3);
  for (int dof = 0; dof < system.n_dofs(); ++dof)
  {
    const double h = 1e-5;
    Eigen::VectorXd up = q, down = q;
    up[dof] += h;
    down[dof] -= h;
    const double expected = (system.potential_energy(up) - system.potential_energy(down)) / (2 * h);
    // Truncation h^2 times third derivatives of size 100, rounding 1e-16 / h.
    BOOST_TEST(std::abs(gradient[dof] - expected) < 1e-7 * (1 + gradient.norm()));
  }
}
}  // namespace

BOOST_AUTO_TEST_SUITE(particle_system)

BOOST_AUTO_TEST_CASE(coordinates_masses_and_names_are_in_order)
{
  const ParticleSystem system(2, three());
  BOOST_TEST(system.n_dofs() == 6);
  BOOST_TEST(system.diagonal_mass()[3] == 2);
  BOOST_TEST(system.initial_state().q[2] == 1.5);
  BOOST_TEST(system.initial_state().v[5] == 1.5);
  BOOST_TEST(system.dof_name(5) == "moon y");
  BOOST_TEST(system.index_of("earth") == 1);
}

BOOST_AUTO_TEST_CASE(momenta_and_temperature_are_observed)
{
  ParticleSystem system(2, three());
  system.set_boltzmann_constant(0.5);
  const NamedValues values = system.observe(system.initial_state());
  BOOST_TEST_REQUIRE(values.size() == 4);
  BOOST_TEST(values[0].name == "linear_momentum_x");
  BOOST_TEST(values[0].value == 5 * 0.3 + 0.5 * 0.2, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(values[1].name == "linear_momentum_y");
  BOOST_TEST(values[2].name == "angular_momentum_z");
  BOOST_TEST(values[2].value == 5 * (-0.2 * 0.3) + 2 * 1.5 + 0.5 * (1.5 * 1.5 - 0.4 * 0.2),
             boost::test_tools::tolerance(1e-14));
  BOOST_TEST(values[3].name == "temperature");
  const double kinetic = system.energy_balance(system.initial_state()).kinetic;
  BOOST_TEST(values[3].value == kinetic / (3 * 0.5), boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(pairs_computed_in_batches_agree_with_single_terms)
{
  for (int dimension = 1; dimension <= 3; ++dimension)
  {
    std::vector<Particle> particles;
    for (int i = 0; i < 13; ++i)
    {
      Particle particle{"p" + std::to_string(i), 1 + 0.1 * i, std::sin(i + 1.)};
      for (int axis = 0; axis < dimension; ++axis) particle.position[axis] = axis == 0 ? 1.1 * i : std::sin(3. * i + axis);
      particles.push_back(particle);
    }
    ParticleSystem system(dimension, particles);
    add_newtonian_gravity(system, 0.7);
    add_coulomb(system, 1.2);
    add_lennard_jones(system, {1.5, 1.0});
    add_lennard_jones(system, {0.8, 1.1}, 2.5);
    add_morse_pairs(system, {0.5, 1.3, 1.2});
    const Eigen::VectorXd &q = system.initial_state().q;
    for (const auto &family : system.terms())
    {
      Eigen::VectorXd fast = Eigen::VectorXd::Zero(q.size()), plain = fast;
      family->add_gradient(q, fast);
      family->LocalTerms::add_gradient(q, plain);
      BOOST_TEST_REQUIRE(plain.norm() > 1e-3);
      // Sums of a dozen terms in another order; batched exp is good to a few roundings.
      BOOST_TEST((fast - plain).norm() < 1e-14 * plain.norm() * 10);
      BOOST_TEST(family->energy(q) == family->LocalTerms::energy(q), boost::test_tools::tolerance(1e-13));
    }
    check_gradient(system);
  }
}

BOOST_AUTO_TEST_CASE(neighbour_lists_give_the_sum_over_all_pairs_bit_for_bit)
{
  for (int dimension = 1; dimension <= 3; ++dimension)
  {
    const int edge = dimension == 1 ? 150 : dimension == 2 ? 13 : 6;
    std::vector<Particle> particles;
    for (int i = 0; i < static_cast<int>(std::pow(edge, dimension) + 0.5); ++i)
    {
      Particle particle{"p" + std::to_string(i), 1, std::sin(i + 1.)};
      // Neighbours in space have numbers far apart.
      int number = (i * 7 + 3) % static_cast<int>(std::pow(edge, dimension) + 0.5);
      for (int axis = 0; axis < dimension; ++axis, number /= edge)
        particle.position[axis] = 1.1 * (number % edge) + 0.1 * std::sin(2. * i + axis);
      particles.push_back(particle);
    }
    ParticleSystem all(dimension, particles), listed(dimension, particles), whole(dimension, particles);
    add_lennard_jones(all, {1.5, 1.0}, 2.5);
    add_coulomb(all, 1.2, 3.);
    add_morse_pairs(all, {0.5, 1.3, 1.2}, 2.);
    add_lennard_jones(listed, {1.5, 1.0}, Cutoff(2.5, 0.4));
    add_coulomb(listed, 1.2, Cutoff(3, 0.3));
    add_morse_pairs(listed, {0.5, 1.3, 1.2}, Cutoff(2, 0.5));
    add_lennard_jones(whole, {1.5, 1.0});
    Eigen::VectorXd q = all.initial_state().q, expected, found;
    // Far enough that lists are made anew several times.
    for (int step = 0; step < 40; ++step)
    {
      all.gradient(q, expected);
      listed.gradient(q, found);
      BOOST_TEST_REQUIRE(expected.norm() > 1e-3);
      BOOST_TEST((found == expected), "step " << step << " in " << dimension << " dimensions");
      BOOST_TEST(listed.potential_energy(q) == all.potential_energy(q));
      for (int i = 0; i < q.size(); ++i) q[i] += 0.006 * std::sin(1.0 + 3 * i);
    }
    // The same as single terms, but for rounding; and not the same as without a cut-off.
    for (const auto &family : listed.terms())
    {
      Eigen::VectorXd plain = Eigen::VectorXd::Zero(q.size()), fast = plain;
      family->LocalTerms::add_gradient(q, plain);
      family->add_gradient(q, fast);
      BOOST_TEST((fast - plain).norm() < 1e-13 * plain.norm());
      BOOST_TEST(family->energy(q) == family->LocalTerms::energy(q), boost::test_tools::tolerance(1e-12));
    }
    BOOST_TEST(std::abs(whole.terms()[0]->energy(q) - listed.terms()[0]->energy(q)) > 1e-3);
  }
}

BOOST_AUTO_TEST_CASE(the_trajectory_has_the_columns_of_each_particle)
{
  const ParticleSystem system(2, three());
  const NamedValues values = system.trajectory(system.initial_state());
  BOOST_TEST_REQUIRE(values.size() == 12);
  BOOST_TEST(values[4].name == "earth.x");
  BOOST_TEST(values[4].value == 1.5);
  BOOST_TEST(values[11].name == "moon.vy");
  BOOST_TEST(values[11].value == 1.5);
  const Snapshot snapshot = system.snapshot(system.initial_state(), SnapshotGeometry::deformed);
  BOOST_TEST_REQUIRE(snapshot.point_texts.size() == 1);
  BOOST_TEST(snapshot.point_texts[0].values[1] == "earth");
}

BOOST_AUTO_TEST_CASE(all_other_potentials_add_up)
{
  ParticleSystem system(2, three());
  add_bonds(system, {{0, 1}}, std::vector<laws::HarmonicBond>{{3, 1}});
  add_bonds(system, {{1, 2}}, std::vector<laws::QuarticBond>{{3, 1, 2, 0.5}});
  add_bonds(system, {{0, 2}}, std::vector<laws::Morse>{{3, 1, 1.2}});
  add_angles(system, {{0, 1, 2, 0.7, 1.2}});
  add_central_gravity(system, {0.5, -2, 0}, 1.5);
  add_uniform_gravity(system, {0, -9.81, 0});
  add_external_field(system, "x*y^2");
  add_on_site(system, "1 - cos(q)");
  BOOST_TEST(system.terms().size() == 8);
  check_gradient(system);
  const EnergyBalance balance = system.energy_balance(system.initial_state());
  BOOST_TEST(balance.external_work == 0);
  const Snapshot snapshot = system.snapshot(system.initial_state(), SnapshotGeometry::deformed);
  BOOST_TEST(snapshot.points.cols() == 3);
  BOOST_TEST(snapshot.cell_types.size() == 6);
  BOOST_TEST(snapshot.cell_types[5] == 3);
  BOOST_TEST(snapshot.connectivity[3 + 2 * 2 + 1] == 2);
  Eigen::VectorXd gradient;
  system.gradient(system.initial_state().q, gradient);
  BOOST_TEST(snapshot.point_fields[1].name == "force");
  BOOST_TEST(snapshot.point_fields[1].values[3 * 2 + 1] == -gradient[5]);
}

BOOST_AUTO_TEST_CASE(lattices_have_neighbours_and_rings)
{
  std::vector<Particle> particles;
  for (int i = 0; i < 5; ++i) particles.push_back({"site " + std::to_string(i), 1, 0, {0.1 * std::sin(1.0 + i), 0, 0}});
  for (const bool is_ring : {false, true})
  {
    ParticleSystem system(1, particles);
    add_nearest_neighbours(system, "d^2/2 + d^4/4", is_ring);
    BOOST_TEST(system.terms()[0]->n_terms() == (is_ring ? 5 : 4));
    check_gradient(system);
  }
}

BOOST_AUTO_TEST_CASE(fixed_coordinates_feel_no_force)
{
  ParticleSystem system(2, three());
  add_newtonian_gravity(system, 1);
  system.fix(1, 0);
  BOOST_TEST(system.fixed_dofs()[0] == 2);
  Eigen::VectorXd gradient;
  system.gradient(system.initial_state().q, gradient);
  BOOST_TEST(gradient[2] == 0);
  BOOST_TEST(gradient[3] != 0);
  BOOST_CHECK_THROW(system.fix(1, 1), InputError);
}

BOOST_AUTO_TEST_CASE(impossible_particles_are_refused_with_the_reason)
{
  auto particles = three();
  particles[2].name = "sun";
  check_refused(2, particles, "the particles 1 and 3 have the same name 'sun'");
  particles = three();
  particles[1].mass = -2;
  check_refused(2, particles, "particle 2 ('earth'): the mass is -2: it must be positive and finite");
  particles = three();
  particles[1].velocity[1] = std::nan("");
  check_refused(2, particles, "not finite");
  particles = three();
  particles[1].name = "earth, moon";
  check_refused(2, particles, "must not hold a comma");
  check_refused(1, three(), "y = 0.2 and its velocity 0 must be 0 in 1 dimension");
  check_refused(4, three(), "1, 2 or 3 dimensions, not 4");
  check_refused(2, {}, "there are no particles");
}

BOOST_AUTO_TEST_CASE(coincident_particles_of_a_pair_are_refused_by_name)
{
  auto particles = three();
  particles[2].position = particles[0].position;
  ParticleSystem system(2, particles);
  add_newtonian_gravity(system, 1);
  BOOST_CHECK_EXCEPTION(system.check_initial_state(), InputError,
                        [](const InputError &error) {
                          return std::string(error.what()).find("the particles 'moon', 'sun' are not possible: gravity pair") !=
                                 std::string::npos;
                        });
  Eigen::VectorXd gradient;
  BOOST_CHECK_THROW(system.gradient(system.initial_state().q, gradient), DomainError);
  BOOST_CHECK_THROW(system.potential_energy(system.initial_state().q), DomainError);
}

BOOST_AUTO_TEST_CASE(an_unknown_particle_is_answered_with_the_nearest_name)
{
  const ParticleSystem system(2, three());
  BOOST_CHECK_EXCEPTION(system.index_of("eart"), InputError,
                        [](const InputError &error)
                        { return std::string(error.what()) == "there is no particle 'eart'. Did you mean \"earth\"?"; });
}

BOOST_AUTO_TEST_SUITE_END()
