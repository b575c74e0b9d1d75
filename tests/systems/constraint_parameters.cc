#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/particle_parameters.h>
#include <freefall/systems/penalty_terms.h>
#include <freefall/constraints/distance_constraint.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>


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

/// Three particles in a row in the plane, the first two apart by 1, the last two by 1.
const std::string three =
  "subsection Particles\n  set Dimension = 2\n"
  "  subsection Particle a\n    set Position = 0, 0\n  end\n"
  "  subsection Particle b\n    set Position = 1, 0\n    set Mass = 2\n  end\n"
  "  subsection Particle c\n    set Position = 1, 1\n    set Velocity = 0.5, 0\n  end\nend\n";

std::string constraints(const std::string &text) { return three + "subsection Constraints\n" + text + "end\n"; }
std::string distance(const std::string &name, const std::string &particles, const std::string &length)
{
  return "subsection Distance " + name + "\n set Particles = " + particles + "\n set Length = " + length + "\nend\n";
}

void check_refused(const std::string &text, const std::vector<std::string> &expected)
{
  BOOST_CHECK_EXCEPTION(parse(constraints(text)), InputError,
                        [&](const InputError &error)
                        {
                          BOOST_TEST_MESSAGE(error.what());
                          for (const std::string &part : expected)
                            if (std::string(error.what()).find(part) == std::string::npos) return false;
                          return true;
                        });
}
}  // namespace

BOOST_AUTO_TEST_SUITE(constraint_parameters)

BOOST_AUTO_TEST_CASE(every_kind_of_constraint_is_read)
{
  const auto system = parse(constraints(
    distance("ab", "a, b", "1") + "subsection Anchor p\n set Particle = c\n set Point = 1, 0\nend\n" +
    "subsection Fixed point f\n set Particle = a\nend\n"
    "subsection Surface s\n set Particles = b\n set Formula = y - x + 1\nend\n"));
  BOOST_TEST_REQUIRE(system->constraints());
  const ConstraintSet &set = *system->constraints();
  BOOST_TEST_REQUIRE(set.size() == 5);
  BOOST_TEST(set[0].name() == "Anchor 'p'");
  BOOST_TEST(set[1].name() == "Distance 'ab'");
  BOOST_TEST(set[2].name() == "Fixed point 'f' x");
  BOOST_TEST(set[4].name() == "Surface 's' of 'b'");
  const auto residuals = constraint_residuals(*system, system->initial_state());
  BOOST_TEST(residuals.position == 0);
  BOOST_TEST(residuals.velocity == 0);
  const NamedValues values = system->observe(system->initial_state());
  BOOST_TEST(values.back().name == "multiplier_5");
}

BOOST_AUTO_TEST_CASE(distances_from_a_file_are_those_written_out)
{
  std::ofstream("test_rods.csv") << "first,second,length\na,b,1\nb,c,1\n";
  const auto system = parse(constraints("set Distance file = test_rods.csv\n"));
  BOOST_TEST_REQUIRE(system->constraints()->size() == 2);
  BOOST_TEST((*system->constraints())[1].name() == "Distance 'b - c'");
  std::ofstream("test_rods.csv") << "first,second\na,b\nb,d\n";
  check_refused("set Distance file = test_rods.csv\n", {"test_rods.csv:3", "there is no particle 'd'"});
  std::remove("test_rods.csv");
}

BOOST_AUTO_TEST_CASE(multipliers_are_the_forces_of_a_pendulum)
{
  // A pendulum at rest, horizontal: no force yet; hanging: its weight; moving: v^2 / L more.
  for (const bool is_hanging : {false, true})
  {
    const std::string position = is_hanging ? "0, -2" : "2, 0", velocity = is_hanging ? "3, 0" : "0, 0";
    const auto system = parse("subsection Particles\n set Dimension = 2\n subsection Particle bob\n set Mass = 1.5\n set Position = " +
                              position + "\n set Velocity = " + velocity + "\n end\nend\n" +
                              "subsection Potentials\n set Gravity = 0, -10, 0\nend\n" +
                              "subsection Constraints\n subsection Anchor rod\n set Particle = bob\n set Point = 0, 0\n set Form = "
                              "length\n end\nend\n");
    const double tension = constraint_multipliers(*system, system->initial_state())[0];
    BOOST_TEST(tension == (is_hanging ? 1.5 * (10 + 9. / 2) : 0.), boost::test_tools::tolerance(1e-14));
  }
}

BOOST_AUTO_TEST_CASE(a_state_off_the_manifold_is_reported_with_its_residual)
{
  check_refused(distance("ab", "a, b", "1.2"), {"initial positions", "0.22", "Distance 'ab'"});
  check_refused(distance("bc", "b, c", "1") + "subsection Fixed coordinate x\n set Particle = c\nend\n",
                {"initial velocities", "0.5", "Fixed coordinate 'x'"});
}

BOOST_AUTO_TEST_CASE(a_state_off_the_manifold_is_projected_where_the_file_asks_for_it)
{
  const auto system =
    parse(constraints("set Project initial state = yes\n" + distance("ab", "a, b", "1.2") + distance("ac", "a, c", "1.3")));
  const auto residuals = constraint_residuals(*system, system->initial_state());
  // Rounding of numbers of size 1.
  BOOST_TEST(residuals.position < 1e-15);
  BOOST_TEST(residuals.velocity < 1e-15);
  // Impulses between the particles leave the centre of mass where it is: 4 q = (0,0) + 2 (1,0) + (1,1).
  const Eigen::VectorXd &q = system->initial_state().q;
  BOOST_TEST(q[0] + 2 * q[2] + q[4] == 3, boost::test_tools::tolerance(1e-14));
  BOOST_TEST((q.head(2) - q.segment(2, 2)).norm() == 1.2, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(redundant_and_contradicting_constraints_are_named)
{
  check_refused(distance("one", "a, b", "1") + distance("two", "b, c", "1") + distance("again", "a, b", "1"),
                {"not independent", "Distance 'one'", "Distance 'again'"});
  check_refused("set Project initial state = yes\n" + distance("ab", "a, b", "1") + distance("bc", "b, c", "1") +
                  distance("ac", "a, c", "5"),
                {"no positions were found", "Distance '"});
  check_refused("subsection Fixed point f\n set Particle = a\nend\nsubsection Fixed coordinate x\n set Particle = a\nend\n",
                {"not independent", "Fixed coordinate 'x'", "Fixed point 'f' x"});
}

BOOST_AUTO_TEST_CASE(dependence_is_found_down_to_a_billionth_of_a_gradient)
{
  // Two anchors of one particle whose directions differ by an angle: to the eye of the Gram matrix, to that of the QR only, to none.
  for (const double angle : {1e-3, 1e-8, 1e-12})
  {
    ParticleSystem system(2, {{"bob", 1, 0, {1, 0, 0}, {}}});
    auto set = std::make_shared<ConstraintSet>();
    set->add(std::make_unique<DistanceConstraint>(
      DistanceConstraint::from_point("one", {0, 1}, {0, 0}, 1, DistanceConstraint::Form::half_square)));
    set->add(std::make_unique<DistanceConstraint>(
      DistanceConstraint::from_point("two", {0, 1}, {0, angle}, 1, DistanceConstraint::Form::half_square)));
    const auto attempt = [&] { system.set_constraints(set); };
    if (angle > 1e-10)
      attempt();
    else
      BOOST_CHECK_THROW(attempt(), InputError);
  }
}

BOOST_AUTO_TEST_CASE(mistakes_in_constraints_are_told)
{
  check_refused(distance("ab", "a, d", "1"), {"there is no particle 'd'"});
  check_refused(distance("ab", "a, a", "1"), {"names a particle twice"});
  check_refused("subsection Anchor p\n set Particle = a\n set Point = 0\nend\n", {"Point", "2 numbers"});
  check_refused("subsection Surface s\n set Particles = a\n set Formula = x +\nend\n", {"Formula"});
  check_refused("subsection Surface s\n set Particles = a\n set Formula = abs(x)\nend\n", {"Formula", "abs"});
  check_refused("subsection Fixed coordinate s\n set Particle = a\n set Axis = z\nend\n", {"Axis"});
}

BOOST_AUTO_TEST_CASE(penalised_constraints_are_terms_with_right_derivatives)
{
  const auto system = parse(constraints("set Penalty = 3\n" + distance("ab", "a, b", "0.7") +
                                        "subsection Surface s\n set Particles = c\n set Formula = x^2*y - exp(y)\nend\n"));
  BOOST_TEST(!system->constraints());
  BOOST_TEST_REQUIRE(system->terms().size() == 2);
  const Eigen::VectorXd &q = system->initial_state().q;
  // omega^2/2 g^2 with g = (1 - 0.49)/2 and g = 1 - e.
  BOOST_TEST(system->potential_energy(q) == 4.5 * (0.255 * 0.255 + std::pow(1 - std::exp(1.), 2)),
             boost::test_tools::tolerance(1e-14));
  for (const auto &family : system->terms())
  {
    const int n = family->dofs_per_term();
    std::vector<double> x(n), gradient(n), up(n), down(n), hessian(n * n), above(n * n), below(n * n), direction(n), third(n);
    for (int a = 0; a < n; ++a)
    {
      x[a] = q[family->dofs(0)[a]] + 0.1 * a;
      direction[a] = 0.5 - 0.3 * a;
    }
    family->gradient(0, x.data(), gradient.data());
    family->hessian(0, x.data(), hessian.data());
    family->third_derivative(0, x.data(), direction.data(), third.data());
    const double h = 1e-5;
    std::vector<double> forward = x, backward = x;
    for (int a = 0; a < n; ++a)
    {
      std::vector<double> right = x, left = x;
      right[a] += h;
      left[a] -= h;
      // Energies of size 10: rounding 1e-15 / h, truncation h^2.
      BOOST_TEST(std::abs((family->value(0, right.data()) - family->value(0, left.data())) / (2 * h) - gradient[a]) < 1e-7);
      family->gradient(0, right.data(), up.data());
      family->gradient(0, left.data(), down.data());
      for (int b = 0; b < n; ++b) BOOST_TEST(std::abs((up[b] - down[b]) / (2 * h) - hessian[a * n + b]) < 1e-7);
      forward[a] += h * direction[a];
      backward[a] -= h * direction[a];
      right[a] = x[a] + 0.3;
      BOOST_TEST(std::abs(family->value(0, right.data()) - family->value(0, x.data()) - family->difference(0, x.data(), a, 0.3)) <
                 1e-13);
      for (int b = 0; b < n; ++b)
      {
        if (a == b) continue;
        std::vector<double> other = x, both = right;
        other[b] += 0.2;
        both[b] += 0.2;
        const double mixed = family->value(0, both.data()) - family->value(0, right.data()) - family->value(0, other.data()) +
                             family->value(0, x.data());
        BOOST_TEST(std::abs(mixed - family->mixed_difference(0, x.data(), a, 0.3, b, 0.2)) < 1e-13);
      }
    }
    family->hessian(0, forward.data(), above.data());
    family->hessian(0, backward.data(), below.data());
    for (int a = 0; a < n; ++a)
    {
      double sum = 0;
      for (int b = 0; b < n; ++b) sum += (above[a * n + b] - below[a * n + b]) / (2 * h) * direction[b];
      BOOST_TEST(std::abs(sum - third[a]) < 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(band_and_sparse_solves_agree_with_dense_ones)
{
  // A chain has band 1; a complete graph of rods in 3d with 6 particles is beyond what is rigid, so use a ladder and a net.
  for (const bool is_net : {false, true})
  {
    std::vector<Particle> particles;
    const int nx = is_net ? 15 : 40, ny = is_net ? 15 : 1;
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        particles.push_back({std::to_string(nx * j + i), 1. + 0.1 * (i % 3), 0, {i + 0.1 * std::sin(j), j + 0.2 * std::cos(i), 0.1 * i * j}});
    auto set = std::make_shared<ConstraintSet>();
    const auto rod = [&](int a, int b)
    {
      set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between(
        "rod", {3 * a, 3 * a + 1, 3 * a + 2, 3 * b, 3 * b + 1, 3 * b + 2}, 1, DistanceConstraint::Form::half_square)));
    };
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
      {
        if (i + 1 < nx) rod(nx * j + i, nx * j + i + 1);
        if (j + 1 < ny) rod(nx * j + i, nx * (j + 1) + i);
      }
    ParticleSystem system(3, particles);
    system.fix(0, 1);
    system.set_constraints(set);
    MultiplierMatrix matrix;
    matrix.attach(system);
    BOOST_TEST(matrix.is_banded() == !is_net);
    if (!is_net) BOOST_TEST(matrix.bandwidth() == 1);
    const int m = set->size();
    Eigen::VectorXd q = system.initial_state().q, left, right, b(m);
    set->jacobian(q, left);
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += 0.05 * std::sin(3. * i);
    set->jacobian(q, right);
    Eigen::MatrixXd dense_left = Eigen::MatrixXd::Zero(m, q.size()), dense_right = dense_left;
    for (int c = 0; c < m; ++c)
      for (std::size_t a = 0; a < (*set)[c].dofs().size(); ++a)
      {
        dense_left(c, (*set)[c].dofs()[a]) = left[set->offset(c) + a];
        dense_right(c, (*set)[c].dofs()[a]) = right[set->offset(c) + a];
      }
    const Eigen::MatrixXd dense = dense_left * matrix.inverse_mass().asDiagonal() * dense_right.transpose();
    for (int c = 0; c < m; ++c) b[c] = std::cos(2. * c);
    Eigen::VectorXd x = b;
    matrix.factorise(left, right);
    matrix.solve(x);
    // Condition numbers of about 1e3.
    BOOST_TEST((dense * x - b).norm() < 1e-11);
  }
}

BOOST_AUTO_TEST_CASE(the_multiplier_is_the_mean_of_the_penalty_force)
{
  // TO (1.8): a pendulum of length and mass 1 that starts at rest at the angle a0 has lambda = g (3 cos a - 2 cos a0).
  const double gravity = 2, omega = 1000, dt = 1e-4, window = 0.05;
  const auto system = parse("subsection Particles\n  set Dimension = 2\n  subsection Particle bob\n"
                            "    set Position = 0.8, -0.6\n  end\nend\n"
                            "subsection Potentials\n  set Gravity = 0, -2, 0\nend\n"
                            "subsection Constraints\n  set Penalty = 1000\n  subsection Anchor rod\n    set Particle = bob\n"
                            "    set Point = 0, 0\n    set Length = 1\n  end\nend\n");
  State state = system->initial_state();
  FixedStepIntegrator integrator(std::make_unique<VelocityVerlet>(), dt);
  integrator.initialize(*system, state);
  double mean_error = 0, least = 1e9, greatest = 0, largest_momentary_error = 0;
  for (int part = 0; part < 40; ++part)
  {
    double penalty = 0, multiplier = 0;
    const int n = static_cast<int>(std::lround(window / dt));
    for (int step = 1; step <= n; ++step)
    {
      integrator.advance(state, part * window + step * dt);
      double now = 0;
      for (const auto &value : system->observe(state))
        if (value.name == "penalty_multiplier_1") now = value.value;
      const double exact = gravity * (3 * -state.q[1] - 2 * 0.6);
      penalty += now / n;
      multiplier += exact / n;
      largest_momentary_error = std::max(largest_momentary_error, std::abs(now - exact));
    }
    mean_error = std::max(mean_error, std::abs(penalty - multiplier));
    least = std::min(least, multiplier);
    greatest = std::max(greatest, multiplier);
  }
  BOOST_TEST_MESSAGE("multipliers from " << least << " to " << greatest << ", means within " << mean_error << ", single values within "
                                         << largest_momentary_error);
  // It starts unstretched, so the rod swings about its force with the whole of that force, lambda(0) = 1.2. The mean over a
  // window cuts the fast swing of period 2 pi / omega at a random phase: at most 2 * 1.2 / (omega window) is left.
  BOOST_TEST(largest_momentary_error > 1);
  BOOST_TEST(mean_error < 2 * 1.2 / (omega * window));
  BOOST_TEST(greatest - least > 1);
}

BOOST_AUTO_TEST_SUITE_END()
