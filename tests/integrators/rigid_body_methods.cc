#include <freefall/core/errors.h>
#include <freefall/integrators/cayley_hamilton_pontryagin.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/constrained/rattle.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/zhang_skeel.h>
#include <freefall/systems/rigid_body/rigid_body.h>

#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "particle_problems.h"
#include "symplectic_defect.h"

using namespace freefall;
using particle_problems::distance;
using particle_problems::run;

namespace
{
using Make = std::function<std::unique_ptr<OneStepMethod>()>;
using Form = CayleyHamiltonPontryagin::Form;

/// TO 4.5: a sphere with a dipole, or a body of three different moments in an oblique field.
RigidBody::Settings settings_of(bool is_sphere)
{
  RigidBody::Settings settings;
  settings.angular_velocity = {1, 0.2, 0.1};
  settings.strength = 1;
  if (is_sphere) return settings;
  settings.inertia = {1, 1.6, 2.1};
  settings.rotation = Eigen::AngleAxisd(0.8, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  settings.dipole = Eigen::Vector3d(1, 0, 1).normalized();
  settings.field = Eigen::Vector3d(0, 1, 2).normalized();
  return settings;
}

Make cayley(Form form)
{
  return [=] { return std::make_unique<CayleyHamiltonPontryagin>(form); };
}
Make cayley_of_order_4()
{
  return [] { return std::make_unique<Composition>(cayley(Form::second_order)(), Composition::Kind::yoshida, 4); };
}
Make rattle()
{
  return [] { return std::make_unique<Rattle>(); };
}
Make linearised(ZhangSkeel::Quadrature quadrature)
{
  return [=]
  {
    ZhangSkeel::Settings settings;
    settings.beta = 0.2;
    settings.quadrature = quadrature;
    return std::make_unique<ZhangSkeel>(settings);
  };
}

/// Observed order from n steps and twice as many to time 2, against `exact`.
double observed_order(const RigidBody &body, const Make &make, int n_steps, const State &exact)
{
  const double coarse = distance(run(body, make(), 2. / n_steps, n_steps), exact);
  const double fine = distance(run(body, make(), 1. / n_steps, 2 * n_steps), exact);
  BOOST_TEST_MESSAGE(make()->name() << ": errors " << coarse << ", " << fine << ", order " << std::log2(coarse / fine));
  BOOST_TEST(fine > 1e-12);
  return std::log2(coarse / fine);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(rigid_body_methods)

BOOST_AUTO_TEST_CASE(integrators_on_rotations_have_their_order_and_agree)
{
  for (const bool is_sphere : {true, false})
  {
    const RigidBody body(settings_of(is_sphere));
    // An independent scheme of high order in nine coordinates.
    const State exact =
      run(body, std::make_unique<Composition>(std::make_unique<Rattle>(), Composition::Kind::yoshida, 6), 0.01, 200);
    BOOST_TEST(std::abs(observed_order(body, cayley(Form::first_order), 6400, exact) - 1) < 0.1);
    BOOST_TEST(std::abs(observed_order(body, cayley(Form::second_order), 100, exact) - 2) < 0.1);
    BOOST_TEST(std::abs(observed_order(body, rattle(), 100, exact) - 2) < 0.1);
    BOOST_TEST(std::abs(observed_order(body, cayley_of_order_4(), 40, exact) - 4) < 0.3);
  }
}

BOOST_AUTO_TEST_CASE(linearised_integrators_have_their_order_on_the_penalised_body)
{
  for (const bool is_sphere : {true, false})
  {
    auto settings = settings_of(is_sphere);
    settings.penalty = 3;  // its fastest oscillation, 3 sqrt(8 / 2 d), is resolved by all steps
    const RigidBody body(settings);
    const State exact = run(body, std::make_unique<GaussCollocation>(4), 0.005, 400);
    BOOST_TEST(std::abs(observed_order(body, linearised(ZhangSkeel::Quadrature::rectangle), 800, exact) - 1) < 0.1);
    BOOST_TEST(std::abs(observed_order(body, linearised(ZhangSkeel::Quadrature::trapezoidal), 200, exact) - 2) < 0.1);
  }
}

BOOST_AUTO_TEST_CASE(linearised_integrators_are_symplectic)
{
  for (const bool is_sphere : {true, false})
  {
    auto settings = settings_of(is_sphere);
    settings.penalty = 10;
    const RigidBody body(settings);
    for (const auto quadrature : {ZhangSkeel::Quadrature::rectangle, ZhangSkeel::Quadrature::trapezoidal})
    {
      // Differences by 1e-3 of a map whose entries are about 10.
      const double defect = symplectic_defect(body, body.initial_state(), linearised(quadrature), 0.1);
      BOOST_TEST_MESSAGE("symplectic up to " << defect);
      BOOST_TEST(defect < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(rotations_stay_rotations_to_rounding)
{
  const RigidBody body(settings_of(false));
  for (const Form form : {Form::first_order, Form::second_order})
  {
    const State end = run(body, cayley(form)(), 0.1, 10000);
    const Eigen::Matrix3d R = RigidBody::rotation(end);
    // Rounding of 10,000 products: a random walk of 100 times 1e-16, or at worst 1e-12.
    BOOST_TEST((R.transpose() * R - Eigen::Matrix3d::Identity()).norm() < 1e-12);
    BOOST_TEST(R.determinant() == 1, boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(momenta_of_the_symmetries_are_kept)
{
  // Free: all of the momentum in space. With a field: the part along it.
  for (const double strength : {0., 1.})
    for (const Form form : {Form::first_order, Form::second_order})
    {
      auto settings = settings_of(false);
      settings.strength = strength;
      const RigidBody body(settings);
      const auto discrete_momentum = [&](const State &state)
      {
        // What the first-order form transports is D(-dt O) J O.
        const Eigen::Vector3d O = RigidBody::angular_velocity(state), JO = body.inertia().cwiseProduct(O), w = -0.1 * O;
        if (form == Form::second_order) return body.angular_momentum(state);
        return Eigen::Vector3d(RigidBody::rotation(state) * (JO + w.cross(JO) / 2 + w.dot(JO) / 4 * w));
      };
      const Eigen::Vector3d change =
        discrete_momentum(run(body, cayley(form)(), 0.1, 1000)) - discrete_momentum(body.initial_state());
      // Rounding of 1000 steps, a few 1e-15 each.
      BOOST_TEST(std::abs(change.dot(settings.field)) < 1e-11);
      BOOST_TEST((change.norm() < 1e-11) == (strength == 0), change.norm());
    }
}

BOOST_AUTO_TEST_CASE(the_energy_of_variational_integrators_oscillates_and_does_not_drift)
{
  const RigidBody body(settings_of(false));
  const double start = body.energy_balance(body.initial_state()).total();
  const auto largest_error = [&](double from, double to)
  {
    State state = body.initial_state();
    FixedStepIntegrator integrator(cayley(Form::second_order)(), 0.1);
    integrator.initialize(body, state);
    double largest = 0;
    for (double t = 0; t < to; t += 1)
    {
      integrator.advance(state, t);
      if (t >= from) largest = std::max(largest, std::abs(body.energy_balance(state).total() - start));
    }
    return largest;
  };
  const double early = largest_error(0, 200), late = largest_error(4800, 5000);
  BOOST_TEST_MESSAGE("energy within " << early << ", then " << late);
  BOOST_TEST(early > 1e-6);
  // The oscillation is quasi-periodic: windows of the same length see nearly the same.
  BOOST_TEST(late < 1.5 * early);
}

BOOST_AUTO_TEST_CASE(a_step_that_has_no_solution_in_numbers_fails_and_leaves_the_state)
{
  auto settings = settings_of(false);
  settings.angular_velocity = {3e160, 4e160, 5e160};  // its momentum, squared, is beyond the range of numbers
  const RigidBody body(settings);
  State state = body.initial_state();
  FixedStepIntegrator integrator(cayley(Form::second_order)(), 1);
  integrator.initialize(body, state);
  BOOST_CHECK_EXCEPTION(integrator.advance(state, 1), StepFailed,
                        [](const StepFailed &error)
                        { return std::string(error.what()).find("a shorter one helps") != std::string::npos; });
  BOOST_TEST(state.time == 0);
  BOOST_TEST((state.q == body.initial_state().q));
  BOOST_TEST((state.v == body.initial_state().v));
}

BOOST_AUTO_TEST_CASE(other_systems_are_refused)
{
  const auto well = particle_problems::coupled_well();
  BOOST_CHECK_THROW(run(*well, cayley(Form::first_order)(), 0.1, 1), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
