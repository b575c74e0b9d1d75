#include <freefall/core/errors.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/implicit_newmark.h>
#include <freefall/integrators/pushforward_newmark.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/integrators/zhang_skeel.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "particle_problems.h"
#include "small_systems.h"
#include "symplectic_defect.h"

using namespace freefall;
using namespace particle_problems;

namespace
{
using Make = std::function<std::unique_ptr<OneStepMethod>()>;
using Form = ZhangSkeel::Form;

NewtonSolver::Settings tight()
{
  NewtonSolver::Settings settings;
  settings.tolerance = 1e-14;
  return settings;
}
Make newmark(double beta, double gamma = 0.5)
{
  return [=] { return std::make_unique<ImplicitNewmark>(ImplicitNewmark::Settings{beta, gamma, tight()}); };
}
Make pushforward(double beta)
{
  return [=] { return std::make_unique<PushforwardNewmark>(PushforwardNewmark::Settings{beta, tight()}); };
}
Make zhang_skeel(Form form, double beta = 0.25)
{
  return [=]
  {
    ZhangSkeel::Settings settings;
    settings.beta = beta;
    settings.form = form;
    settings.stiff_terms = {"bond"};
    return std::make_unique<ZhangSkeel>(settings);
  };
}
Make fourth_order(const Make &make)
{
  return [=] { return std::make_unique<Composition>(make(), Composition::Kind::suzuki, 4); };
}

struct Method
{
  std::string name;
  Make make;
  int order;
  bool is_symplectic;        ///< in q and v
  bool keeps_spin;           ///< in q and v
};

std::vector<Method> methods()
{
  return {{"Newmark", newmark(0.25), 2, false, false},
          {"Newmark, beta 1/6", newmark(1. / 6), 2, false, false},
          {"pushforward Newmark", pushforward(0.25), 2, true, true},
          {"Zhang-Skeel", zhang_skeel(Form::full), 2, true, true},
          {"simplified Zhang-Skeel", zhang_skeel(Form::simplified), 2, false, false},
          {"Zhang-Skeel of order 4", fourth_order(zhang_skeel(Form::full)), 4, true, true},
          {"Newmark of order 4", fourth_order(newmark(0.25)), 4, false, false},
          {"simplified Zhang-Skeel of order 4", fourth_order(zhang_skeel(Form::simplified)), 4, false, false},
          {"pushforward Newmark of order 4", fourth_order(pushforward(0.25)), 4, true, true}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(implicit_methods)

BOOST_AUTO_TEST_CASE(every_method_has_its_order_on_a_nonlinear_oscillator)
{
  const auto system = coupled_well();
  const double time = 3;
  const State exact = run(*system, std::make_unique<GaussCollocation>(4), time / 300, 300);
  for (const Method &method : methods())
  {
    const int n = method.order == 2 ? 300 : 60;
    const double coarse = distance(run(*system, method.make(), time / n, n), exact);
    const double fine = distance(run(*system, method.make(), time / (2 * n), 2 * n), exact);
    const double order = std::log2(coarse / fine);
    BOOST_TEST_MESSAGE(method.name << ": errors " << coarse << ", " << fine << ", order " << order);
    BOOST_TEST(std::abs(order - method.order) < 0.2, method.name << ": observed order " << order);
    BOOST_TEST(method.make()->order() == method.order);
    BOOST_TEST(fine > 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(damped_newmark_is_of_first_order)
{
  const auto system = coupled_well();
  const State exact = run(*system, std::make_unique<GaussCollocation>(4), 0.01, 300);
  const double coarse = distance(run(*system, newmark(0.36, 0.7)(), 0.01, 300), exact);
  const double fine = distance(run(*system, newmark(0.36, 0.7)(), 0.005, 600), exact);
  BOOST_TEST(std::abs(std::log2(coarse / fine) - 1) < 0.1);
  BOOST_TEST(newmark(0.36, 0.7)()->order() == 1);
  BOOST_TEST(!newmark(0.36, 0.7)()->is_symmetric());
}

BOOST_AUTO_TEST_CASE(zhang_skeel_is_symplectic_and_the_simplified_form_is_not)
{
  const auto system = coupled_well();
  for (const Method &method : methods())
  {
    const double defect = symplectic_defect(*system, system->initial_state(), method.make, 0.5);
    BOOST_TEST_MESSAGE(method.name << ": symplectic up to " << defect);
    if (method.is_symplectic)
      BOOST_TEST(defect < 1e-10, method.name << ": " << defect);  // of the differences
    else
      BOOST_TEST(defect > 1e-6, method.name << ": " << defect);
  }
}

BOOST_AUTO_TEST_CASE(momenta_are_kept_by_the_full_and_not_by_the_simplified_form)
{
  const auto system = bent_molecule();
  const State &start = system->initial_state();
  for (const Method &method : methods())
  {
    const State end = run(*system, method.make(), 0.2, 500);
    const double linear = (system->linear_momentum(end) - system->linear_momentum(start)).norm();
    const double spin = (system->angular_momentum(end) - system->angular_momentum(start)).norm();
    BOOST_TEST_MESSAGE(method.name << ": linear momentum within " << linear << ", angular within " << spin);
    // Rounding of 500 steps of up to five stages.
    BOOST_TEST(linear < 1e-12, method.name);
    if (method.keeps_spin)
      BOOST_TEST(spin < 1e-11, method.name << ": " << spin);
    else
      BOOST_TEST(spin > 1e-9, method.name << ": " << spin);
  }
}

BOOST_AUTO_TEST_CASE(methods_go_back_to_where_they_came_from)
{
  const auto system = bent_molecule();
  for (const Method &method : methods())
  {
    State state = run(*system, method.make(), 0.1, 100);
    BOOST_TEST_REQUIRE(distance(state, system->initial_state()) > 0.1);
    state.v = -state.v;
    FixedStepIntegrator integrator(method.make(), 0.1);
    integrator.initialize(*system, state);
    integrator.advance(state, state.time + 100 * 0.1);
    state.v = -state.v;
    // Newton's tolerance and rounding, 200 steps of up to five stages.
    BOOST_TEST(distance(state, system->initial_state()) < 1e-11, method.name);
    BOOST_TEST(method.make()->is_symmetric());
  }
}

BOOST_AUTO_TEST_CASE(a_quarter_is_the_limit_of_stability_at_any_step)
{
  // omega dt = 40: stable for beta >= 1/4; below, for omega dt < 2 / sqrt(1 - 4 beta), which is 20 at beta = 0.2475.
  const small_systems::Spring spring(1600);
  const auto grows = [&](const Make &make) { return std::abs(run(spring, make(), 1, 80).q[0]) > 1e3; };
  for (const double beta : {0.25, 0.3, 0.5})
  {
    BOOST_TEST(!grows(newmark(beta)), "Newmark " << beta);
    BOOST_TEST(!grows(pushforward(beta)), "pushforward " << beta);
    BOOST_TEST(!grows(zhang_skeel(Form::simplified, beta)), "Zhang-Skeel " << beta);
  }
  for (const double beta : {0., 0.2, 0.2475})
  {
    BOOST_TEST(grows(newmark(beta)), "Newmark " << beta);
    BOOST_TEST(grows(pushforward(beta)), "pushforward " << beta);
    BOOST_TEST(grows(zhang_skeel(Form::simplified, beta)), "Zhang-Skeel " << beta);
  }
}

BOOST_AUTO_TEST_CASE(newmark_is_pushforward_newmark_in_other_coordinates)
{
  const auto system = coupled_well();
  const double dt = 0.3, beta = 0.25;
  Eigen::VectorXd gradient;
  State q = system->initial_state(), x = q;
  system->gradient(q.q, gradient);
  x.q += beta * dt * dt * system->solve_mass(gradient);
  FixedStepIntegrator first(newmark(beta)(), dt), second(pushforward(beta)(), dt);
  first.initialize(*system, q);
  second.initialize(*system, x);
  first.advance(q, 50 * dt);
  second.advance(x, 50 * dt);
  system->gradient(q.q, gradient);
  const Eigen::VectorXd image = q.q + beta * dt * dt * system->solve_mass(gradient);
  // Newton's tolerance over 50 steps.
  BOOST_TEST((image - x.q).norm() < 1e-12);
  BOOST_TEST((q.v - x.v).norm() < 1e-12);
}

BOOST_AUTO_TEST_CASE(newmark_with_beta_zero_is_explicit_newmark)
{
  const auto system = bent_molecule();
  const State implicit_result = run(*system, newmark(0)(), 0.05, 100);
  const State explicit_result = run(*system, std::make_unique<VelocityVerlet>(), 0.05, 100);
  BOOST_TEST(distance(implicit_result, explicit_result) < 1e-12);  // rounding
}

BOOST_AUTO_TEST_CASE(the_stiff_split_takes_steps_that_the_stiff_bonds_alone_would_forbid)
{
  // Bonds 1e6 times stiffer than the angle: explicit steps end near 2 / sqrt(1e6 (1 + 1/2)).
  auto system = std::make_unique<ParticleSystem>(2, std::vector<Particle>{{"left", 1, 0, {-0.9, 0.5, 0}, {0.01, 0.02, 0}},
                                                                          {"middle", 2, 0, {0, 0, 0}, {0, -0.015, 0}},
                                                                          {"right", 1, 0, {0.8, 0.6, 0}, {0.005, 0.02, 0}}});
  particle_potentials::add_bonds(*system, {{0, 1}, {1, 2}},
                                 std::vector<laws::QuarticBond>{{1e6, 0, 0, std::hypot(0.9, 0.5)}, {1e6, 0, 0, 1}});
  particle_potentials::add_angles(*system, {{0, 1, 2, 0.8, 1.8}});
  const double dt = 0.02, critical = system->critical_step(system->initial_state().q).time_step;
  BOOST_TEST(dt > 10 * critical);
  // TO 2.2: stable from beta = 1/4 + O(1 / stiffness) on.
  const State end = run(*system, zhang_skeel(Form::stiff_split, 0.3)(), dt, 2000);
  BOOST_TEST(end.q.allFinite());
  // Bounded, where the explicit method multiplies the energy by 1e10 within a few steps. A bond is stretched by up to dt v before
  // the method sees it, which is an energy of 1e6/2 (dt v)^2, about 0.1.
  const double energy = system->energy_balance(system->initial_state()).total(), later = system->energy_balance(end).total();
  BOOST_TEST_MESSAGE("energy " << energy << ", later " << later);
  BOOST_TEST(std::abs(later - energy) < 0.3);
  BOOST_CHECK_THROW(run(*system,
                        []
                        {
                          ZhangSkeel::Settings settings;
                          settings.form = Form::stiff_split;
                          settings.stiff_terms = {"hinge"};
                          return std::make_unique<ZhangSkeel>(settings);
                        }(),
                        dt, 1),
                    InputError);
}

BOOST_AUTO_TEST_CASE(an_indefinite_operator_stops_zhang_skeel_and_leaves_the_state)
{
  // V = -x^2/2 + ...: at the origin the Hessian is -1, and M + dt^2/4 Hess V changes sign at dt = 2.
  auto system = std::make_unique<ParticleSystem>(1, std::vector<Particle>{{"ball", 1, 0, {0.01, 0, 0}, {0, 0, 0}}});
  particle_potentials::add_external_field(*system, "x^4/4 - x^2/2");
  State state = system->initial_state();
  FixedStepIntegrator integrator(zhang_skeel(Form::full)(), 2.5);
  integrator.initialize(*system, state);
  BOOST_CHECK_EXCEPTION(integrator.advance(state, 2.5), StepFailed,
                        [](const StepFailed &error)
                        {
                          const std::string text = error.what();
                          return text.find("step 1 from time 0") != std::string::npos &&
                                 text.find("not positive definite") != std::string::npos &&
                                 text.find("shorter step") != std::string::npos;
                        });
  BOOST_TEST(state.q[0] == 0.01);
  BOOST_TEST(state.time == 0);
  // Newton's iteration goes another way to the same equation.
  State moved = system->initial_state();
  FixedStepIntegrator newton(newmark(0.25)(), 2.5);
  newton.initialize(*system, moved);
  newton.advance(moved, 2.5);
  const double a = -(std::pow(moved.q[0], 3) - moved.q[0]), a0 = -(1e-6 - 0.01);
  BOOST_TEST(std::abs(moved.q[0] - 0.01 - 2.5 * 2.5 / 4 * (a + a0)) < 1e-13);
}

BOOST_AUTO_TEST_SUITE_END()
