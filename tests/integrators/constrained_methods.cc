#include <freefall/constraints/surface_constraint.h>
#include <freefall/core/errors.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/constrained/constrained_energy_momentum.h>
#include <freefall/integrators/constrained/constrained_ode_method.h>
#include <freefall/integrators/constrained/rattle.h>
#include <freefall/integrators/constrained/shake.h>
#include <freefall/integrators/explicit_newmark.h>
#include <freefall/integrators/velocity_verlet.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "constrained_problems.h"
#include "particle_problems.h"

using namespace freefall;
using namespace constrained_problems;
using particle_problems::distance;
using particle_problems::run;

namespace
{
using Make = std::function<std::unique_ptr<OneStepMethod>()>;
using Formulation = ConstrainedOde::Formulation;

struct Method
{
  std::string name;
  Make make;
  int order;
  int n_steps;  ///< over time 2, the coarser of two runs
  bool is_symplectic = true;
  bool keeps_positions = true;   ///< g = 0 to rounding
  bool keeps_velocities = true;  ///< G v = 0 to rounding
  bool is_symmetric = true;
};

Make rattle(Rattle::Form form)
{
  return [=] { return std::make_unique<Rattle>(form); };
}
Make composed(Rattle::Form form, int order)
{
  return [=] { return std::make_unique<Composition>(std::make_unique<Rattle>(form), Composition::Kind::yoshida, order); };
}
Make ode(Formulation formulation, int n_stages)
{
  return [=] { return std::make_unique<ConstrainedOdeMethod>(formulation, n_stages); };
}

std::vector<Method> methods()
{
  const auto rattle_form = Rattle::Form::rattle, composed_form = Rattle::Form::composed;
  return {
    {"RATTLE", rattle(rattle_form), 2, 200},
    {"SHAKE", [] { return std::make_unique<Shake>(); }, 2, 200, true, true, false},
    {"constrained symplectic Euler", rattle(Rattle::Form::euler), 1, 2000, true, true, true, false},
    {"adjoint constrained symplectic Euler", rattle(Rattle::Form::adjoint), 1, 2000, true, true, true, false},
    {"composed constrained symplectic Euler", rattle(composed_form), 2, 200},
    {"RATTLE of order 4", composed(rattle_form, 4), 4, 100},
    {"RATTLE of order 6", composed(rattle_form, 6), 6, 60},
    {"RATTLE of order 8", composed(rattle_form, 8), 8, 40},
    {"R (25) of order 4", composed(composed_form, 4), 4, 100},
    {"constrained energy-momentum", [] { return std::make_unique<ConstrainedEnergyMomentum>(); }, 2, 200, false, true, false},
    {"naive, Runge-Kutta 4", ode(Formulation::naive, 0), 4, 100, false, false, false, false},
    {"Hamilton-Dirac, Runge-Kutta 4", ode(Formulation::hamilton_dirac, 0), 4, 100, false, false, false, false},
    {"extended, Runge-Kutta 4", ode(Formulation::extended, 0), 4, 100, false, false, false, false},
    // G v of distances is a quadratic first integral of the naive equations, which collocation at Gauss points keeps.
    {"naive, midpoint", ode(Formulation::naive, 1), 2, 200, false, false, true},
    {"Hamilton-Dirac, midpoint", ode(Formulation::hamilton_dirac, 1), 2, 200, false, true, true},
    {"extended, midpoint", ode(Formulation::extended, 1), 2, 200, true, false, false},
    {"Hamilton-Dirac, Gauss 2", ode(Formulation::hamilton_dirac, 2), 4, 60, false, true, true},
    {"extended, Gauss 2", ode(Formulation::extended, 2), 4, 60, true, false, false},
    {"extended, Gauss 3", ode(Formulation::extended, 3), 6, 30, true, false, false},
  };
}

State exact_solution(const System &system, double time)
{
  const State composition = run(system, composed(Rattle::Form::rattle, 8)(), time / 400, 400);
  const State gauss = run(system, ode(Formulation::hamilton_dirac, 4)(), time / 400, 400);
  BOOST_TEST_REQUIRE(distance(composition, gauss) < 1e-12);
  return gauss;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(constrained_methods)

BOOST_AUTO_TEST_CASE(every_method_has_its_order_on_a_double_pendulum)
{
  const auto system = double_pendulum();
  const double time = 2;
  const State exact = exact_solution(*system, time);
  for (const Method &method : methods())
  {
    BOOST_TEST(method.make()->order() == method.order);
    const State coarse = run(*system, method.make(), time / method.n_steps, method.n_steps);
    const State fine = run(*system, method.make(), time / (2 * method.n_steps), 2 * method.n_steps);
    const double order_q = std::log2((coarse.q - exact.q).norm() / (fine.q - exact.q).norm());
    const double order_v = std::log2((coarse.v - exact.v).norm() / (fine.v - exact.v).norm());
    const Eigen::VectorXd multipliers = constraint_multipliers(*system, exact);
    const double order_lambda = std::log2((constraint_multipliers(*system, coarse) - multipliers).norm() /
                                          (constraint_multipliers(*system, fine) - multipliers).norm());
    BOOST_TEST_MESSAGE(method.name << ": error " << distance(fine, exact) << ", order " << order_q << " in q, " << order_v
                                   << " in v, " << order_lambda << " in the multipliers of the state");
    BOOST_TEST(std::abs(order_lambda - method.order) < 0.3, method.name << ": order in lambda " << order_lambda);
    // The next term of the error expansion is still seen at these steps.
    BOOST_TEST(std::abs(order_q - method.order) < 0.3, method.name << ": order in q " << order_q);
    BOOST_TEST(std::abs(order_v - method.order) < 0.3, method.name << ": order in v " << order_v);
    BOOST_TEST(distance(fine, exact) > 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(multipliers_converge_at_the_time_where_the_method_says_they_belong)
{
  const auto system = double_pendulum();
  const auto error_of = [&](ConstrainedMethod &method, int n_steps, double part_of_step)
  {
    const double dt = 1. / n_steps;
    State state = system->initial_state(), next = state;
    method.start(*system, state);
    for (int step = 0; step < n_steps; ++step)
    {
      method.step(state, dt, next);
      std::swap(state.q, next.q);
      std::swap(state.v, next.v);
    }
    const State exact = run(*system, composed(Rattle::Form::rattle, 8)(), (1 + (part_of_step - 1) * dt) / 100, 100);
    return (method.multipliers() - constraint_multipliers(*system, exact)).norm();
  };
  const auto order_of = [&](ConstrainedMethod &&method, double part_of_step)
  {
    const double coarse = error_of(method, 100, part_of_step), fine = error_of(method, 200, part_of_step);
    BOOST_TEST_MESSAGE(method.name() << ": multipliers off by " << coarse << ", " << fine);
    return std::log2(coarse / fine);
  };
  BOOST_TEST(std::abs(order_of(Rattle(), 0.5) - 2) < 0.3);
  BOOST_TEST(std::abs(order_of(Shake(), 1) - 2) < 0.3);
  // Those of the first-order schemes, and the sums over the two halves of R (25), are off by O(dt) whatever the time.
  for (const Rattle::Form form : {Rattle::Form::euler, Rattle::Form::adjoint})
    BOOST_TEST(std::abs(order_of(Rattle(form), 0.5) - 1) < 0.3);
  const double energy_momentum = order_of(ConstrainedEnergyMomentum(), 0.5);
  BOOST_TEST_MESSAGE("energy-momentum: order of the multipliers " << energy_momentum);
  BOOST_TEST(energy_momentum > 0.7);
}

BOOST_AUTO_TEST_CASE(the_manifold_is_kept_by_those_that_say_so_and_left_by_the_others)
{
  const auto system = double_pendulum();
  for (const Method &method : methods())
  {
    State state = system->initial_state();
    FixedStepIntegrator integrator(method.make(), 0.02);
    integrator.initialize(*system, state);
    double position = 0, velocity = 0;
    for (int part = 1; part <= 20; ++part)
    {
      integrator.advance(state, part);
      const auto residuals = constraint_residuals(*system, state);
      position = std::max(position, residuals.position);
      velocity = std::max(velocity, residuals.velocity);
    }
    BOOST_TEST_MESSAGE(method.name << ": largest |g| " << position << ", |G v| " << velocity);
    // First integrals of Gauss collocation collect the rounding of 1000 steps; the others solve in every step.
    BOOST_TEST((position < 1e-12) == method.keeps_positions, method.name << ": " << position);
    BOOST_TEST((velocity < 1e-12) == method.keeps_velocities, method.name << ": " << velocity);
  }
}

BOOST_AUTO_TEST_CASE(symplectic_methods_keep_the_form_on_the_manifold_and_only_they)
{
  // dq1^T M dv1 - dv1^T M dq1 of the images of the four tangent vectors of the manifold, by differences.
  const auto system = double_pendulum();
  const Eigen::VectorXd mass = system->diagonal_mass();
  const Eigen::Vector4d angles(1.2, 0.4, 0.5, -0.9);
  const double dt = 0.2, h = 1e-4;
  const auto form_of = [&](const std::function<State(const State &)> &map)
  {
    Eigen::MatrixXd dq(4, 4), dv(4, 4);
    for (int a = 0; a < 4; ++a)
    {
      // Fourth-order differences: truncation and rounding below 1e-11.
      dq.col(a).setZero();
      dv.col(a).setZero();
      for (const auto &[shift, weight] : {std::pair(1., 8. / 12), std::pair(-1., -8. / 12), std::pair(2., -1. / 12), std::pair(-2., 1. / 12)})
      {
        const State image = map(double_pendulum_state(angles + shift * h * Eigen::Vector4d::Unit(a)));
        dq.col(a) += weight / h * image.q;
        dv.col(a) += weight / h * image.v;
      }
    }
    const Eigen::MatrixXd product = dq.transpose() * mass.asDiagonal() * dv;
    return Eigen::MatrixXd(product - product.transpose());
  };
  const Eigen::MatrixXd before = form_of([](const State &state) { return state; });
  BOOST_TEST_REQUIRE(before.norm() > 0.5);
  for (const Method &method : methods())
  {
    const auto map = [&](const State &state)
    {
      const auto instance = method.make();
      State next = state;
      instance->start(*system, state);
      instance->step(state, dt, next);
      return next;
    };
    const double change = (form_of(map) - before).norm();
    BOOST_TEST_MESSAGE(method.name << ": the form changes by " << change);
    BOOST_TEST((change < 1e-9) == method.is_symplectic, method.name << ": the form changes by " << change);
  }
}

BOOST_AUTO_TEST_CASE(symmetric_methods_go_back_to_where_they_came_from)
{
  const auto system = double_pendulum();
  for (const Method &method : methods())
  {
    State state = run(*system, method.make(), 0.05, 100);
    BOOST_TEST_REQUIRE(distance(state, system->initial_state()) > 0.1);
    state.v = -state.v;
    FixedStepIntegrator integrator(method.make(), 0.05);
    integrator.initialize(*system, state);
    integrator.advance(state, state.time + 100 * 0.05);
    state.v = -state.v;
    // The central velocity of SHAKE at the start is not the tangent one that it was given: its positions go back.
    const double returned = method.name == "SHAKE" ? (state.q - system->initial_state().q).norm()
                                                   : distance(state, system->initial_state());
    BOOST_TEST_MESSAGE(method.name << ": returns within " << returned);
    // Rounding of 200 steps of a motion that separates neighbours by a factor of about 1e2.
    BOOST_TEST((returned < 1e-10) == method.is_symmetric, method.name << ": returns within " << returned);
    BOOST_TEST(method.make()->is_symmetric() == method.is_symmetric);
  }
}

BOOST_AUTO_TEST_CASE(shake_has_the_positions_of_rattle)
{
  const auto system = double_pendulum();
  const State rattle = run(*system, std::make_unique<Rattle>(), 0.02, 500), shake = run(*system, std::make_unique<Shake>(), 0.02, 500);
  // Rounding of 500 steps. The velocities differ by O(dt^2).
  BOOST_TEST((rattle.q - shake.q).norm() < 1e-11);
  BOOST_TEST((rattle.v - shake.v).norm() > 1e-6);
  // R (25) and R (37) are different methods.
  const State other = run(*system, std::make_unique<Rattle>(Rattle::Form::composed), 0.02, 500);
  BOOST_TEST((rattle.q - other.q).norm() > 1e-6);
}

BOOST_AUTO_TEST_CASE(rattle_energy_does_not_drift_while_that_of_runge_kutta_does)
{
  const auto system = pendulum(1, 0, 0, -2);
  const double energy = system->energy_balance(system->initial_state()).total();
  const auto errors = [&](std::unique_ptr<OneStepMethod> method)
  {
    FixedStepIntegrator integrator(std::move(method), 0.1);
    State state = system->initial_state();
    integrator.initialize(*system, state);
    double early = 0, all = 0;
    for (int i = 1; i <= 2000; ++i)
    {
      integrator.advance(state, i);
      all = std::max(all, std::abs(system->energy_balance(state).total() - energy));
      if (i == 500) early = all;
    }
    return std::pair(early, all);
  };
  const auto [rattle_early, rattle] = errors(std::make_unique<Rattle>());
  BOOST_TEST(rattle < 1.05 * rattle_early);  // the oscillation was sampled 500 times
  const auto [early, all] = errors(std::make_unique<ConstrainedOdeMethod>(Formulation::hamilton_dirac, 0));
  BOOST_TEST(all > 2 * early);
  const auto [gonzalez_early, gonzalez] = errors(std::make_unique<ConstrainedEnergyMomentum>());
  BOOST_TEST(gonzalez < 1e-11);  // rounding of 2e4 steps
}

BOOST_AUTO_TEST_CASE(four_particles_keep_energy_momenta_and_constraints_but_not_the_tangent_space)
{
  for (const Form form : {Form::length, Form::half_square})
  {
    const auto system = four_particles(form);
    const State &start = system->initial_state();
    const double energy = system->energy_balance(start).total();
    State state = start;
    FixedStepIntegrator integrator(std::make_unique<ConstrainedEnergyMomentum>(), 0.01);
    integrator.initialize(*system, state);
    double energy_error = 0, linear = 0, angular = 0, position = 0, velocity = 0, early_velocity = 0;
    for (int step = 1; step <= 1000; ++step)
    {
      integrator.advance(state, 0.01 * step);
      energy_error = std::max(energy_error, std::abs(system->energy_balance(state).total() - energy));
      linear = std::max(linear, (system->linear_momentum(state) - system->linear_momentum(start)).norm());
      angular = std::max(angular, (system->angular_momentum(state) - system->angular_momentum(start)).norm());
      const auto residuals = constraint_residuals(*system, state);
      position = std::max(position, residuals.position);
      velocity = std::max(velocity, residuals.velocity);
      if (step == 500) early_velocity = velocity;
    }
    BOOST_TEST_MESSAGE("energy " << energy_error << ", momenta " << linear << ", " << angular << ", |g| " << position << ", |G v| "
                                 << velocity);
    // Rounding of 1000 steps with multipliers and stiffnesses of up to 1e3.
    BOOST_TEST(energy_error < 1e-11);
    BOOST_TEST(linear < 1e-12);
    BOOST_TEST(angular < 1e-12);
    BOOST_TEST(position < 1e-14);
    // G99 Figure 3: bounded oscillations about zero, not rounding.
    BOOST_TEST(velocity > 1e-8);  // measured 2e-5; rounding would be below 1e-12
    BOOST_TEST(velocity < 2 * early_velocity);
  }
}

BOOST_AUTO_TEST_CASE(a_bead_on_a_torus_keeps_its_energy_and_its_moment_about_the_axis)
{
  // Neither the surface nor the field is quadratic: a correction along the chord would give a torque.
  ParticleSystem system(3, {{"bead", 1.3, 0, {2.5, 0, 0}, {0, 0.7, 0.4}}});
  particle_potentials::add_external_field(system, "z + 0.3*cos(x^2 + y^2)");
  auto set = std::make_shared<ConstraintSet>();
  set->add(std::make_unique<SurfaceConstraint>("torus", Expression("(sqrt(x^2 + y^2) - 2)^2 + z^2 - 0.25", {"x", "y", "z"}),
                                               std::vector<int>{0, 1, 2}));
  system.set_constraints(set);
  const State &start = system.initial_state();
  FixedStepIntegrator integrator(std::make_unique<ConstrainedEnergyMomentum>(), 0.05);
  State state = start;
  integrator.initialize(system, state);
  double energy = 0, moment = 0, position = 0, height = 0;
  for (int i = 1; i <= 400; ++i)
  {
    integrator.advance(state, 0.05 * i);
    energy = std::max(energy, std::abs(system.energy_balance(state).total() - system.energy_balance(start).total()));
    moment = std::max(moment, std::abs((system.angular_momentum(state) - system.angular_momentum(start))[2]));
    position = std::max(position, constraint_residuals(system, state).position);
    height = std::max(height, std::abs(state.q[2]));
  }
  BOOST_TEST_MESSAGE("energy " << energy << ", moment " << moment << ", |g| " << position);
  BOOST_TEST(height > 0.3);
  // Rounding of 400 steps.
  BOOST_TEST(energy < 1e-12);
  BOOST_TEST(moment < 1e-12);
  BOOST_TEST(position < 1e-14);
}

BOOST_AUTO_TEST_CASE(four_particles_converge_with_second_order_in_position)
{
  // G99 Figure 4: the relative error of q4 at T = 0.1 against a run with 1e-5.
  const auto system = four_particles();
  const auto end = [&](double dt) { return run(*system, std::make_unique<ConstrainedEnergyMomentum>(), dt, std::lround(0.1 / dt)).q.tail(3).eval(); };
  const Eigen::VectorXd exact = end(1e-5);
  const double coarse = (end(2e-3) - exact).norm() / exact.norm(), fine = (end(1e-3) - exact).norm() / exact.norm();
  BOOST_TEST_MESSAGE("relative error of q4: " << coarse << ", " << fine);
  BOOST_TEST(std::abs(std::log2(coarse / fine) - 2) < 0.2);
}

BOOST_AUTO_TEST_CASE(a_method_for_free_systems_refuses_constraints_and_the_reverse)
{
  const auto system = pendulum(1, 0, 0, 0);
  const auto free = particle_problems::coupled_well();
  FixedStepIntegrator verlet(std::make_unique<VelocityVerlet>(), 0.1);
  BOOST_CHECK_THROW(verlet.initialize(*system, system->initial_state()), InputError);
  ExplicitNewmark newmark({0.1});
  BOOST_CHECK_THROW(newmark.initialize(*system, system->initial_state()), InputError);
  FixedStepIntegrator rattle(std::make_unique<Rattle>(), 0.1);
  BOOST_CHECK_THROW(rattle.initialize(*free, free->initial_state()), InputError);
}

BOOST_AUTO_TEST_CASE(a_step_that_cannot_be_made_names_the_constraint_and_leaves_the_state)
{
  // One step by 1 at speed 2 goes beyond the reach of the rod.
  const auto system = pendulum(1, 0, 0, -2);
  for (const auto &make : {rattle(Rattle::Form::rattle), Make([] { return std::make_unique<Shake>(); })})
  {
    State state = system->initial_state();
    FixedStepIntegrator integrator(make(), 1);
    integrator.initialize(*system, state);
    BOOST_CHECK_EXCEPTION(integrator.advance(state, 1), StepFailed,
                          [](const StepFailed &error)
                          {
                            BOOST_TEST_MESSAGE(error.what());
                            return std::string(error.what()).find("rod") != std::string::npos;
                          });
    BOOST_TEST(state.time == 0);
    BOOST_TEST(distance(state, system->initial_state()) == 0);
  }
}

BOOST_AUTO_TEST_CASE(constraints_that_become_dependent_are_named)
{
  // A parallelogram of three rods between two fixed points, folded flat: a rod is then determined by the other two.
  auto system = std::make_unique<ParticleSystem>(
    2, std::vector<Particle>{{"left", 1, 0, {0.6, 0.8, 0}, {}}, {"right", 1, 0, {2.6, 0.8, 0}, {}}});
  auto set = std::make_shared<ConstraintSet>();
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("left arm", {0, 1}, {0, 0}, 1, Form::half_square)));
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between("coupler", {0, 1, 2, 3}, 2, Form::half_square)));
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("right arm", {2, 3}, {2, 0}, 1, Form::half_square)));
  system->set_constraints(set);
  State flat = system->initial_state();
  flat.q << 1, 0, 3, 0;
  flat.v << 0, 1, 0, 1;
  const std::vector<Make> makes{rattle(Rattle::Form::rattle), rattle(Rattle::Form::composed),
                                [] { return std::make_unique<Shake>(); }, ode(Formulation::naive, 0), ode(Formulation::extended, 1)};
  for (const auto &make : makes)
  {
    const auto named = [](const std::exception &error)
    {
      BOOST_TEST_MESSAGE(error.what());
      const std::string text = error.what();
      return text.find("dependent") != std::string::npos && text.find("coupler") != std::string::npos &&
             text.find("arm") != std::string::npos;
    };
    FixedStepIntegrator integrator(make(), 1e-8);
    State state = flat;
    const auto attempt = [&]
    {
      integrator.initialize(*system, state);
      integrator.advance(state, 1e-8);
    };
    BOOST_CHECK_EXCEPTION(attempt(), RunError, named);
    BOOST_TEST(distance(state, flat) == 0);
  }
  // The matrix of the energy-momentum scheme is singular only to rounding there: it goes on, on the constraints.
  State state = flat;
  FixedStepIntegrator integrator(std::make_unique<ConstrainedEnergyMomentum>(), 1e-8);
  integrator.initialize(*system, state);
  integrator.advance(state, 1e-8);
  BOOST_TEST(constraint_residuals(*system, state).position < 1e-15);
  BOOST_TEST((state.v - flat.v).norm() < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_chain_with_a_fixed_end_keeps_its_links_and_its_energy)
{
  const auto system = hanging_chain(100);
  for (const bool keeps_energy : {false, true})
  {
    State state = system->initial_state();
    std::unique_ptr<OneStepMethod> method;
    if (keeps_energy)
      method = std::make_unique<ConstrainedEnergyMomentum>();
    else
      method = std::make_unique<Rattle>();
    FixedStepIntegrator integrator(std::move(method), 0.02);
    integrator.initialize(*system, state);
    integrator.advance(state, 4);
    const auto balance = system->energy_balance(state);
    BOOST_TEST(constraint_residuals(*system, state).position < 1e-13 * 100);  // coordinates of up to 100
    BOOST_TEST(balance.kinetic > 100);
    BOOST_TEST(state.q[0] == 0);
    BOOST_TEST(std::abs(balance.total()) < (keeps_energy ? 1e-9 : 1e-1), "energy " << balance.total());
    BOOST_TEST_MESSAGE("energy error " << balance.total() << " of " << balance.kinetic);
  }
}

BOOST_AUTO_TEST_SUITE_END()
