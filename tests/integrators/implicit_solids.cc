#include <freefall/core/errors.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/energy_momentum.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/generalised_alpha.h>
#include <freefall/integrators/implicit_midpoint.h>
#include <freefall/integrators/implicit_newmark.h>
#include <freefall/integrators/pushforward_newmark.h>
#include <freefall/integrators/subdivided_step.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/integrators/zhang_skeel.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "particle_problems.h"
#include "systems/cube_impact.h"

using namespace freefall;
using particle_problems::distance;
using particle_problems::run;

namespace
{
using Make = std::function<std::unique_ptr<OneStepMethod>()>;
using Form = ZhangSkeel::Form;

NewtonSolver::Settings newton(double tolerance = 1e-12)
{
  NewtonSolver::Settings settings;
  settings.tolerance = tolerance;
  return settings;
}
Make newmark(double beta, double gamma = 0.5)
{
  return [=] { return std::make_unique<ImplicitNewmark>(ImplicitNewmark::Settings{beta, gamma, newton()}); };
}
Make pushforward()
{
  return [] { return std::make_unique<PushforwardNewmark>(PushforwardNewmark::Settings{0.25, newton()}); };
}
Make midpoint()
{
  return [] { return std::make_unique<ImplicitMidpoint>(newton()); };
}
Make energy_momentum()
{
  return [] { return std::make_unique<EnergyMomentum>(newton()); };
}
Make alpha(GeneralisedAlpha::Family family, double radius)
{
  return [=] { return std::make_unique<GeneralisedAlpha>(GeneralisedAlpha::Settings{family, radius, newton()}); };
}
Make zhang_skeel(Form form, ShiftedSolver::Method method = ShiftedSolver::Method::automatic)
{
  return [=]
  {
    ZhangSkeel::Settings settings;
    settings.form = form;
    settings.solver.method = method;
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
};
std::vector<Method> methods()
{
  using Family = GeneralisedAlpha::Family;
  return {{"Newmark", newmark(0.25), 2},
          {"pushforward Newmark", pushforward(), 2},
          {"implicit midpoint", midpoint(), 2},
          {"energy-momentum", energy_momentum(), 2},
          {"generalised-alpha", alpha(Family::chung_hulbert, 0.8), 2},
          {"HHT-alpha", alpha(Family::hht, 0.8), 2},
          {"Zhang-Skeel", zhang_skeel(Form::full), 2},
          {"simplified Zhang-Skeel", zhang_skeel(Form::simplified), 2},
          {"Zhang-Skeel of order 4", fourth_order(zhang_skeel(Form::full)), 4},
          {"implicit midpoint of order 4", fourth_order(midpoint()), 4},
          {"energy-momentum of order 4", fourth_order(energy_momentum()), 4}};
}

/// A bar of length 1 and mass 0.01 that is stretched and twisted by its initial velocity; waves travel at about speed 1.
SolidSettings bar(int n, double amplitude, double spin)
{
  SolidBody body;
  body.name = "bar";
  body.mesh.box.size = {1, 0.1, 0.1};
  body.mesh.box.subdivisions = {n, 1, 1};
  body.material = NeoHookean{0.3, 0.4};
  body.density = 1;
  body.initial_velocity = [=](const Eigen::Vector3d &x)
  {
    const double wave = amplitude * std::cos(3.14159 * x[0]);
    return Eigen::Vector3d(wave + 0.1 - spin * x[1], spin * (x[0] - 0.5) - wave * x[2], wave * x[1]);
  };
  SolidSettings settings;
  settings.bodies = {body};
  return settings;
}

Eigen::VectorXd momenta(const SolidSystem &system, const State &state)
{
  const NamedValues values = system.observe(state);
  Eigen::VectorXd result(6);
  for (int i = 0; i < 6; ++i) result[i] = values[i].value;
  return result;
}

double energy_of(const SolidSystem &system, const State &state) { return system.energy_balance(state).total(); }
}  // namespace

BOOST_AUTO_TEST_SUITE(implicit_solids)

BOOST_AUTO_TEST_CASE(every_method_has_its_order_on_a_bar)
{
  const SolidSystem system(bar(3, 0.2, 0.3));
  const double time = 0.5;
  const State exact = run(system, std::make_unique<GaussCollocation>(3), time / 200, 200);
  for (const Method &method : methods())
  {
    const int n = method.order == 2 ? 160 : 64;
    const double coarse = distance(run(system, method.make(), time / n, n), exact);
    const double fine = distance(run(system, method.make(), time / (2 * n), 2 * n), exact);
    const double order = std::log2(coarse / fine);
    BOOST_TEST_MESSAGE(method.name << ": errors " << coarse << ", " << fine << ", order " << order);
    // The fastest vibrations of the bar are not yet resolved as well as the slow ones.
    BOOST_TEST(std::abs(order - method.order) < 0.25, method.name << ": observed order " << order);
    BOOST_TEST(fine > 1e-11);
  }
}

BOOST_AUTO_TEST_CASE(a_free_rotating_body_keeps_its_momenta_at_steps_beyond_the_explicit_limit)
{
  // Linearly implicit methods see a rotation as a stretch: the body turns by two degrees in a step.
  const SolidSystem system(bar(4, 0.02, 0.4));
  const State &start = system.initial_state();
  const double dt = 3 * system.critical_step(start.q).time_step;
  const Eigen::VectorXd before = momenta(system, start);
  for (const Method &method : methods())
  {
    if (method.order > 2) continue;
    const State end = run(system, method.make(), dt, 50);
    const Eigen::VectorXd change = momenta(system, end) - before;
    const double linear = change.head(3).norm() / before.head(3).norm(), spin = change.tail(3).norm() / before.tail(3).norm();
    const double energy = std::abs(energy_of(system, end) / energy_of(system, start) - 1);
    BOOST_TEST_MESSAGE(method.name << ": linear momentum within " << linear << ", angular within " << spin << ", energy within "
                                   << energy);
    // Fifty times the tolerance of the solvers.
    BOOST_TEST(linear < 1e-10, method.name << ": linear momentum " << linear);
    const bool keeps_spin = method.name == "pushforward Newmark" || method.name == "implicit midpoint" ||
                            method.name == "energy-momentum" || method.name == "Zhang-Skeel";
    BOOST_TEST((spin < 1e-10) == keeps_spin, method.name << ": angular momentum " << spin);
    BOOST_TEST((energy < 1e-9) == (method.name == "energy-momentum"), method.name << ": energy " << energy);
  }
}

BOOST_AUTO_TEST_CASE(discrete_gradients_keep_the_energy_through_an_impact)
{
  // A wall softer than the paper's by 1000, which a step of 2e-7 s resolves.
  SolidSettings settings = paper_cube();
  settings.planes[0].stiffness = 1e11;
  const SolidSystem cube(settings);
  const double dt = 2e-7;
  State state = cube.initial_state();
  FixedStepIntegrator integrator(energy_momentum()(), dt);
  integrator.initialize(cube, state);
  const double energy = energy_of(cube, state);
  double largest = 0, contact = 0;
  for (int step = 1; step <= 200; ++step)
  {
    integrator.advance(state, step * dt);
    largest = std::max(largest, std::abs(energy_of(cube, state) - energy) / energy);
    contact = std::max(contact, cube.energy_balance(state).contact / energy);
  }
  BOOST_TEST_MESSAGE("energy within " << largest << ", contact up to " << contact);
  BOOST_TEST(contact > 1e-3);
  // The tolerance of Newton's iteration, relative to the motion of a step, in each of 200 steps.
  BOOST_TEST(largest < 1e-9);
}

BOOST_AUTO_TEST_CASE(solvers_agree_within_an_integrator)
{
  SolidSettings settings = paper_cube();
  settings.planes[0].stiffness = 1e11;
  const SolidSystem cube(settings);
  using Solver = ShiftedSolver::Method;
  const State direct = run(cube, zhang_skeel(Form::full, Solver::direct)(), 2e-6, 10);
  for (const Solver method : {Solver::jacobi, Solver::multigrid})
  {
    const State other = run(cube, zhang_skeel(Form::full, method)(), 2e-6, 10);
    // Ten solves with the tolerance 1e-12; v is 1e3.
    BOOST_TEST(distance(direct, other) < 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(damping_methods_lose_energy_and_the_others_do_not)
{
  // A vibrating bar at ten times the explicit limit, 300 steps.
  const SolidSystem system(bar(4, 0.05, 0));
  const double dt = 10 * system.critical_step(system.initial_state().q).time_step;
  const double before = energy_of(system, system.initial_state());
  const auto loss = [&](const Make &make) { return 1 - energy_of(system, run(system, make(), dt, 300)) / before; };
  const double damped = loss(alpha(GeneralisedAlpha::Family::chung_hulbert, 0.5));
  const double less_damped = loss(alpha(GeneralisedAlpha::Family::chung_hulbert, 0.9));
  BOOST_TEST_MESSAGE("losses " << damped << ", " << less_damped << ", Newmark " << loss(newmark(0.25)) << ", Newmark 0.36 0.7 "
                               << loss(newmark(0.36, 0.7)));
  BOOST_TEST(damped > less_damped);
  BOOST_TEST(less_damped > 0);
  BOOST_TEST(loss(newmark(0.36, 0.7)) > damped);
}

BOOST_AUTO_TEST_CASE(a_step_that_fails_leaves_the_state_and_is_cut_when_adaptive)
{
  const SolidSystem cube(paper_cube());
  NewtonSolver::Settings impatient = newton();
  impatient.max_iterations = 4;
  const auto make = [&] { return std::make_unique<ImplicitNewmark>(ImplicitNewmark::Settings{0.25, 0.5, impatient}); };
  const double dt = 4e-6;
  State state = cube.initial_state();
  FixedStepIntegrator plain(make(), dt);
  plain.initialize(cube, state);
  State before = state;
  bool failed = false;
  for (int step = 1; step <= 5 && !failed; ++step)
    try
    {
      plain.advance(state, step * dt);
      before = state;
    }
    catch (const StepFailed &error)
    {
      failed = true;
      BOOST_TEST(std::string(error.what()).find("Newton's iteration") != std::string::npos, error.what());
    }
  BOOST_TEST_REQUIRE(failed);
  BOOST_TEST(distance(state, before) == 0);
  BOOST_TEST(state.time == before.time);

  FixedStepIntegrator adaptive(std::make_unique<SubdividedStep>(make(), 1024), dt);
  adaptive.initialize(cube, state);
  adaptive.advance(state, state.time + dt);
  BOOST_TEST(state.time == before.time + dt, boost::test_tools::tolerance(1e-12));
  double n_cut = 0;
  for (const auto &value : adaptive.summary())
    if (value.name == "n_cut_steps") n_cut = value.value;
  BOOST_TEST(n_cut == 1);
}

BOOST_AUTO_TEST_SUITE_END()
