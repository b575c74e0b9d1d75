#include <freefall/core/errors.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/discrete_gradient_method.h>
#include <freefall/integrators/dormand_prince.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/runge_kutta_4.h>
#include <freefall/integrators/symplectic_euler.h>
#include <freefall/integrators/velocity_verlet.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "particle_problems.h"

using namespace freefall;
using namespace particle_problems;

namespace
{
using Make = std::function<std::unique_ptr<OneStepMethod>()>;

struct Method
{
  std::string name;
  Make make;
  int order;
  int n_steps;  ///< over time 3, the coarser of two runs: in the range where the error is that of the method, above rounding
  bool keeps_momentum = true;  ///< linear and angular, to rounding
  bool keeps_energy = false;   ///< to rounding
  bool is_symmetric = true;
};

Make composition(Composition::Kind kind, int order)
{
  return [=] { return std::make_unique<Composition>(std::make_unique<VelocityVerlet>(), kind, order); };
}
Make gauss(int n_stages)
{
  return [=] { return std::make_unique<GaussCollocation>(n_stages); };
}

std::vector<Method> methods()
{
  using Form = SymplecticEuler::Form;
  using Kind = Composition::Kind;
  return {
    {"symplectic Euler", [] { return std::make_unique<SymplecticEuler>(Form::kick_drift); }, 1, 3000, true, false, false},
    {"adjoint symplectic Euler", [] { return std::make_unique<SymplecticEuler>(Form::drift_kick); }, 1, 3000, true, false,
     false},
    {"explicit Newmark", [] { return std::make_unique<VelocityVerlet>(); }, 2, 300},
    {"LaBudde-Greenspan", [] { return std::make_unique<DiscreteGradientMethod>(); }, 2, 300, true, true},
    {"implicit midpoint", gauss(1), 2, 300},
    {"Runge-Kutta 4", [] { return std::make_unique<RungeKutta4>(); }, 4, 100, false, false, false},
    {"Gauss collocation with 2 stages", gauss(2), 4, 60},
    {"Gauss collocation with 3 stages", gauss(3), 6, 24},
    {"Gauss collocation with 4 stages", gauss(4), 8, 8},
    {"Yoshida composition of order 4 of explicit Newmark", composition(Kind::yoshida, 4), 4, 100},
    {"Yoshida composition of order 6 of explicit Newmark", composition(Kind::yoshida, 6), 6, 40},
    {"Yoshida composition of order 8 of explicit Newmark", composition(Kind::yoshida, 8), 8, 24},
    {"Suzuki composition of order 4 of explicit Newmark", composition(Kind::suzuki, 4), 4, 60},
    {"Suzuki composition of order 6 of explicit Newmark", composition(Kind::suzuki, 6), 6, 12},
    {"Suzuki composition of order 8 of explicit Newmark", composition(Kind::suzuki, 8), 8, 6},
    {"Yoshida composition of order 4 of LaBudde-Greenspan",
     [] { return std::make_unique<Composition>(std::make_unique<DiscreteGradientMethod>(), Kind::yoshida, 4); }, 4, 100, true,
     true},
  };
}

/// The same by two unrelated methods, far below the errors that are measured.
State exact_solution(const System &system, double time)
{
  const State gauss = run(system, std::make_unique<GaussCollocation>(4), time / 300, 300);
  const State composed = run(system, composition(Composition::Kind::suzuki, 8)(), time / 60, 60);
  BOOST_TEST_REQUIRE(distance(gauss, composed) < 1e-13);
  return gauss;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(particle_methods)

BOOST_AUTO_TEST_CASE(every_method_has_its_order_on_a_coupled_nonlinear_problem)
{
  const auto system = coupled_well();
  const double time = 3;
  const State exact = exact_solution(*system, time);
  for (const Method &method : methods())
  {
    BOOST_TEST(method.make()->name() == method.name);
    BOOST_TEST(method.make()->order() == method.order);
    const double coarse = distance(run(*system, method.make(), time / method.n_steps, method.n_steps), exact);
    const double fine = distance(run(*system, method.make(), time / (2 * method.n_steps), 2 * method.n_steps), exact);
    const double order = std::log2(coarse / fine);
    BOOST_TEST_MESSAGE(method.name << ": errors " << coarse << ", " << fine << ", order " << order);
    // The next term of the error expansion is still seen at these steps.
    BOOST_TEST(std::abs(order - method.order) < 0.25, method.name << ": observed order " << order);
    BOOST_TEST(fine > 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(symmetric_methods_go_back_to_where_they_came_from)
{
  const auto system = bent_molecule();
  for (const Method &method : methods())
  {
    State state = run(*system, method.make(), 0.05, 200);
    BOOST_TEST_REQUIRE(distance(state, system->initial_state()) > 0.1);
    state.v = -state.v;
    FixedStepIntegrator integrator(method.make(), 0.05);
    integrator.initialize(*system, state);
    integrator.advance(state, state.time + 200 * 0.05);
    state.v = -state.v;
    const double returned = distance(state, system->initial_state());
    BOOST_TEST_MESSAGE(method.name << ": returns within " << returned);
    // Rounding of 400 steps of up to 125 stages each, on a motion that separates neighbours slowly.
    BOOST_TEST((returned < 1e-11) == method.is_symmetric, method.name << ": returns within " << returned);
    BOOST_TEST(method.make()->is_symmetric() == method.is_symmetric);
  }
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_steps_keep_what_the_method_claims)
{
  const auto system = bent_molecule();
  const State &start = system->initial_state();
  const double energy = system->energy_balance(start).total();
  for (const Method &method : methods())
  {
    if (method.order > 6) continue;  // they are made of the same parts; 1e5 steps of 125 stages would take minutes
    State state = start;
    const double dt = 0.02;
    FixedStepIntegrator integrator(method.make(), dt);
    integrator.initialize(*system, state);
    double energy_error = 0, momentum_error = 0, early_error = 0;
    for (int part = 1; part <= 100; ++part)
    {
      integrator.advance(state, part * 1000 * dt);
      const double error = std::abs(system->energy_balance(state).total() - energy);
      energy_error = std::max(energy_error, error);
      if (part <= 50) early_error = energy_error;
      momentum_error = std::max(momentum_error, (system->linear_momentum(state) - system->linear_momentum(start)).norm());
      // About the origin, from which the molecule drifts away: rounding grows with the distance.
      const double lever = 1 + state.q.norm();
      momentum_error =
        std::max(momentum_error, (system->angular_momentum(state) - system->angular_momentum(start)).norm() / lever);
    }
    BOOST_TEST(integrator.statistics().n_steps == 100000);
    BOOST_TEST_MESSAGE(method.name << ": energy within " << energy_error << " (first half " << early_error
                                   << "), momenta within " << momentum_error);
    // Rounding of 1e5 steps is a random walk: 1e-16 sqrt(1e5) for each of up to 25 stages.
    BOOST_TEST((momentum_error < 1e-12) == method.keeps_momentum, method.name << ": momenta " << momentum_error);
    if (method.keeps_energy) BOOST_TEST(energy_error < 1e-11, method.name << ": energy " << energy_error);
    // A bounded oscillation, sampled 50 times in each half, does not double; a drift does.
    const bool is_bounded = energy_error < 1.5 * early_error + 1e-11;
    BOOST_TEST(is_bounded == (method.name != "Runge-Kutta 4"),
               method.name << ": energy " << early_error << ", " << energy_error);
  }
}

BOOST_AUTO_TEST_CASE(gauss_nodes_and_weights_are_those_of_the_textbook)
{
  const GaussCollocation two(2);
  const double root = std::sqrt(3.0);
  // One rounding of each number.
  BOOST_TEST(two.nodes()[0] == 0.5 - root / 6, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(two.matrix()(0, 1) == 0.25 - root / 6, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(two.matrix()(1, 0) == 0.25 + root / 6, boost::test_tools::tolerance(1e-15));
  for (int s = 1; s <= 4; ++s)
  {
    const GaussCollocation method(s);
    const auto &b = method.weights();
    const auto &a = method.matrix();
    BOOST_TEST(b.sum() == 1, boost::test_tools::tolerance(1e-15));
    // The condition of symplecticity, b_i a_ij + b_j a_ji = b_i b_j.
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) BOOST_TEST(std::abs(b[i] * a(i, j) + b[j] * a(j, i) - b[i] * b[j]) < 1e-16);
  }
  BOOST_CHECK_THROW(GaussCollocation(5), InputError);
}

BOOST_AUTO_TEST_CASE(only_symmetric_methods_can_be_composed)
{
  using Kind = Composition::Kind;
  BOOST_CHECK_THROW(Composition(std::make_unique<RungeKutta4>(), Kind::yoshida, 6), InputError);
  BOOST_CHECK_THROW(Composition(std::make_unique<VelocityVerlet>(), Kind::yoshida, 5), InputError);
  BOOST_CHECK_THROW(Composition(std::make_unique<VelocityVerlet>(), Kind::suzuki, 2), InputError);
  const Composition composition(std::make_unique<VelocityVerlet>(), Kind::suzuki, 6);
  BOOST_TEST(composition.fractions().size() == 25);
}

BOOST_AUTO_TEST_CASE(the_embedded_pair_meets_its_tolerance_and_does_not_depend_on_the_times_asked_for)
{
  const auto system = coupled_well();
  double previous = 1;
  for (const double tolerance : {1e-6, 1e-9, 1e-12})
  {
    State state = system->initial_state();
    DormandPrince integrator({tolerance, tolerance});
    integrator.initialize(*system, state);
    integrator.advance(state, 3);
    BOOST_TEST(state.time >= 3);
    const State exact = exact_solution(*system, state.time);
    const double error = distance(state, exact);
    BOOST_TEST_MESSAGE("tolerance " << tolerance << ": error " << error << " after " << integrator.statistics().n_steps
                                    << " steps");
    // The tolerance is for each step; tens of steps add up.
    BOOST_TEST(error < 100 * tolerance);
    BOOST_TEST(error < previous);
    previous = error;

    State parts = system->initial_state();
    DormandPrince other({tolerance, tolerance});
    other.initialize(*system, parts);
    for (int i = 1; i <= 30; ++i) other.advance(parts, 3.0 * i / 30);
    BOOST_TEST(parts.time == state.time);
    BOOST_TEST((parts.q == state.q));
    BOOST_TEST((parts.v == state.v));
  }
  BOOST_CHECK_THROW(DormandPrince({0, 1e-9}), InputError);
}

BOOST_AUTO_TEST_CASE(a_step_outside_the_domain_leaves_the_state_as_it_was)
{
  // The formula has no value for x <= 0, and the particle flies there.
  ParticleSystem system(1, {{"ball", 1, 0, {1, 0, 0}, {-1, 0, 0}}});
  particle_potentials::add_external_field(system, "1e-9*log(x)");
  std::vector<std::unique_ptr<Integrator>> integrators;
  for (const Method &method : methods()) integrators.push_back(std::make_unique<FixedStepIntegrator>(method.make(), 0.3));
  integrators.push_back(std::make_unique<DormandPrince>(DormandPrince::Tolerances{1e-9, 1e-12}));
  for (const auto &integrator : integrators)
  {
    State state = system.initial_state();
    integrator->initialize(system, state);
    BOOST_CHECK_THROW(integrator->advance(state, 3), StepFailed);
    // The field is too weak to change the flight: this is the state at the time that it has. Symplectic Euler, which looks
    // at the force where a step begins, may end one step outside.
    BOOST_TEST(std::abs(state.q[0] - (1 - state.time)) < 1e-6);
    BOOST_TEST(state.q[0] > -0.3);
    BOOST_TEST(state.time > 0.2);
  }
}

BOOST_AUTO_TEST_SUITE_END()
