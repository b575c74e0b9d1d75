#include <freefall/core/errors.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/systems/particles/jacobi_reduction.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/radial_kepler.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;
using namespace freefall::particle_potentials;

namespace
{
std::unique_ptr<ParticleSystem> molecule()
{
  auto system = std::make_unique<ParticleSystem>(3, std::vector<Particle>{{"a", 1, 1, {-0.9, 0.5, 0.1}, {0.1, 0.2, 0.3}},
                                                                          {"b", 2, -1, {0.05, 0, -0.2}, {0, -0.15, 0.1}},
                                                                          {"c", 1.5, 2, {0.8, 0.6, 0}, {0.05, 0.2, 0}},
                                                                          {"d", 0.7, 1, {1.2, -0.6, 0.4}, {-0.5, 0.2, 0}}});
  add_newtonian_gravity(*system, 0.6);
  add_coulomb(*system, 0.3);
  add_lennard_jones(*system, {0.1, 0.8});
  add_bonds(*system, {{0, 1}, {2, 3}}, std::vector<laws::HarmonicBond>{{4, 1}, {5, 0.9}});
  add_angles(*system, {{0, 1, 2, 0.8, 1.8}, {1, 2, 3, 0.5, 1.5}});
  return system;
}

State run(const System &system, std::unique_ptr<OneStepMethod> method, double dt, int n_steps)
{
  State state = system.initial_state();
  FixedStepIntegrator integrator(std::move(method), dt);
  integrator.initialize(system, state);
  integrator.advance(state, n_steps * dt);
  return state;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(reductions)

BOOST_AUTO_TEST_CASE(jacobi_coordinates_go_there_and_back)
{
  const JacobiReduction reduction(molecule());
  BOOST_TEST(reduction.n_dofs() == 9);
  const State &whole = reduction.particles().initial_state();
  const State back = reduction.reconstruct(reduction.initial_state());
  BOOST_TEST_REQUIRE(whole.q.norm() > 1);
  // A few roundings of numbers of size 1.
  BOOST_TEST((back.q - whole.q).norm() < 1e-15);
  BOOST_TEST((back.v - whole.v).norm() < 1e-15);
  // (37) for the second vector, and (42).
  BOOST_TEST(reduction.initial_state().q[3] == 0.8 - (1 * -0.9 + 2 * 0.05) / 3, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(reduction.diagonal_mass()[3] == 1.5 * 3 / 4.5, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(reduction.dof_name(4) == "Jacobi vector to c y");
}

BOOST_AUTO_TEST_CASE(energies_and_observed_values_are_those_of_all_particles)
{
  const JacobiReduction reduction(molecule());
  const State &state = reduction.initial_state(), &whole = reduction.particles().initial_state();
  const EnergyBalance reduced = reduction.energy_balance(state), full = reduction.particles().energy_balance(whole);
  BOOST_TEST(reduced.kinetic == full.kinetic, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(reduced.internal == full.internal, boost::test_tools::tolerance(1e-14));
  const NamedValues values = reduction.observe(state), expected = reduction.particles().observe(whole);
  BOOST_TEST_REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) BOOST_TEST(std::abs(values[i].value - expected[i].value) < 1e-14);
}

BOOST_AUTO_TEST_CASE(reduced_terms_have_the_derivatives_and_differences_of_their_energy)
{
  const JacobiReduction reduction(molecule());
  int n_terms = 0;
  for (const auto &family : reduction.terms())
    for (int term = 0; term < family->n_terms(); ++term)
    {
      ++n_terms;
      const int n = family->dofs_per_term();
      std::vector<double> x(n), gradient(n), up(n), down(n), hessian(n * n), direction(n), third(n);
      for (int a = 0; a < n; ++a)
      {
        x[a] = reduction.initial_state().q[family->dofs(term)[a]];
        direction[a] = std::sin(1.0 + a);
      }
      family->gradient(term, x.data(), gradient.data());
      family->hessian(term, x.data(), hessian.data());
      family->third_derivative(term, x.data(), direction.data(), third.data());
      Eigen::Map<Eigen::VectorXd> g(gradient.data(), n);
      BOOST_TEST_REQUIRE(g.norm() > 1e-6);
      const double h = 1e-5;
      for (int a = 0; a < n; ++a)
      {
        auto moved = x;
        moved[a] += h;
        family->gradient(term, moved.data(), up.data());
        const double forward = family->value(term, moved.data());
        moved[a] -= 2 * h;
        family->gradient(term, moved.data(), down.data());
        // Truncation h^2 times third derivatives, which are below 1e3 times the gradient.
        BOOST_TEST(std::abs((forward - family->value(term, moved.data())) / (2 * h) - gradient[a]) < 1e-6 * g.norm());
        for (int b = 0; b < n; ++b)
        {
          BOOST_TEST(std::abs((up[b] - down[b]) / (2 * h) - hessian[a * n + b]) < 1e-5 * g.norm());
          // Along tiny steps the mixed difference is the Hessian.
          if (a != b)
            BOOST_TEST(std::abs(family->mixed_difference(term, x.data(), a, 1e-9, b, 1e-9) / 1e-18 - hessian[a * n + b]) <
                       1e-5 * g.norm());
        }
        BOOST_TEST(std::abs(family->difference(term, x.data(), a, 1e-12) / 1e-12 - gradient[a]) < 1e-8 * g.norm());
      }
      std::vector<double> ahead(n), behind(n), there(n * n), here(n * n);
      for (int a = 0; a < n; ++a)
      {
        ahead[a] = x[a] + h * direction[a];
        behind[a] = x[a] - h * direction[a];
      }
      family->hessian(term, ahead.data(), there.data());
      family->hessian(term, behind.data(), here.data());
      for (int a = 0; a < n; ++a)
      {
        double expected = 0;
        for (int b = 0; b < n; ++b) expected += (there[a * n + b] - here[a * n + b]) / (2 * h) * direction[b];
        BOOST_TEST(std::abs(third[a] - expected) < 1e-4 * g.norm());
      }
    }
  BOOST_TEST(n_terms == 6 * 3 + 2 + 2);
}

BOOST_AUTO_TEST_CASE(the_reduced_motion_is_the_motion_and_keeps_linear_momentum)
{
  const JacobiReduction reduction(molecule());
  const State whole = run(reduction.particles(), std::make_unique<GaussCollocation>(4), 0.01, 100);
  const State reduced = run(reduction, std::make_unique<GaussCollocation>(4), 0.01, 100);
  const State reconstructed = reduction.reconstruct(reduced);
  BOOST_TEST_REQUIRE((whole.q - reduction.particles().initial_state().q).norm() > 0.1);
  // Both are accurate to rounding; neighbours separate by a factor of tens.
  BOOST_TEST((whole.q - reconstructed.q).norm() < 1e-12);
  BOOST_TEST((whole.v - reconstructed.v).norm() < 1e-12);
}

BOOST_AUTO_TEST_CASE(what_depends_on_the_place_cannot_be_reduced)
{
  const auto refuses = [](auto add, const std::string &kind)
  {
    auto system = molecule();
    add(*system);
    BOOST_CHECK_EXCEPTION(JacobiReduction(std::move(system)), InputError,
                          [&](const InputError &error)
                          { return std::string(error.what()).find("the " + kind + " does") != std::string::npos; });
  };
  refuses([](ParticleSystem &system) { add_uniform_gravity(system, {0, 0, -9.81}); }, "constant force");
  refuses([](ParticleSystem &system) { add_central_gravity(system, {3, 0, 0}, 1); }, "central gravity");
  refuses([](ParticleSystem &system) { add_external_field(system, "x*y"); }, "external field");
  auto fixed = std::make_unique<ParticleSystem>(1, std::vector<Particle>{{"a", 1, 0, {0, 0, 0}}, {"b", 1, 0, {1, 0, 0}}});
  fixed->fix(0, 0);
  BOOST_CHECK_THROW(JacobiReduction(std::move(fixed)), InputError);
}

BOOST_AUTO_TEST_CASE(the_radius_of_an_ellipse_comes_back_after_a_period)
{
  const double e = 0.6, pi = std::acos(-1.0);
  const RadialKepler system(1, 1 - e, 0, std::sqrt(1 - e * e));
  const State half = run(system, std::make_unique<GaussCollocation>(4), pi / 400, 400);
  // (69): from 1 - e at the focus to 1 + e after half a period; rounding of 400 steps.
  BOOST_TEST(half.q[0] == 1 + e, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(std::abs(half.v[0]) < 1e-12);
  BOOST_TEST(system.energy_balance(system.initial_state()).total() == -0.5, boost::test_tools::tolerance(1e-14));
  BOOST_CHECK_THROW(RadialKepler(1, -1, 0, 1), InputError);
}

BOOST_AUTO_TEST_CASE(the_angle_along_a_parabola_is_the_integral_in_closed_form)
{
  // a = 0: Theta (1/r0 - 1/r1) / v;  v = 0 and a > 0: an arctangent;  rest: Theta t / r^2.
  BOOST_TEST(angle_along_parabola(0.3, 2.0, 0, 1.5, 0.7) == 0.7 * (1 / 0.3 - 1 / 3.3) / 2, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(angle_along_parabola(0.3, 0, 0, 1.5, 0.7) == 0.7 * 1.5 / 0.09, boost::test_tools::tolerance(1e-14));
  const double r = 0.3, a = 2.5, t = 1.2, w = std::sqrt(a / (2 * r));
  const double expected = 0.7 / (r * r) * (t / (2 * (1 + w * w * t * t)) + std::atan(w * t) / (2 * w));
  BOOST_TEST(angle_along_parabola(r, 0, a, t, 0.7) == expected, boost::test_tools::tolerance(1e-14));
  // Through a turning point: the same parabola from both sides.
  BOOST_TEST(angle_along_parabola(r + 0.5 * a * t * t, -a * t, a, 2 * t, 0.7) == 2 * expected,
             boost::test_tools::tolerance(1e-14));
  BOOST_CHECK_THROW(angle_along_parabola(0.3, -1, 0, 1, 1), DomainError);
}

BOOST_AUTO_TEST_SUITE_END()
