#include <freefall/core/window_mean.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/constrained/rattle.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/implicit_newmark.h>
#include <freefall/integrators/zhang_skeel.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/multiplier_matrix.h>

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "particle_problems.h"
#include "pendulum_problems.h"
#include "symplectic_defect.h"

using namespace freefall;
using namespace pendulum_problems;
using particle_problems::distance;
using particle_problems::run;

namespace
{
using Make = std::function<std::unique_ptr<OneStepMethod>()>;
using Form = ZhangSkeel::Form;
using Coordinates = ZhangSkeel::Coordinates;

Make zhang_skeel(Form form, Coordinates coordinates = Coordinates::x)
{
  return [=]
  {
    ZhangSkeel::Settings settings;
    settings.beta = 0.4;
    settings.form = form;
    settings.coordinates = coordinates;
    return std::make_unique<ZhangSkeel>(settings);
  };
}
Make newmark(std::optional<int> n_iterations)
{
  return [=]
  {
    ImplicitNewmark::Settings settings;
    settings.beta = 0.4;
    settings.newton.tolerance = 1e-13;
    settings.newton.fixed_iterations = n_iterations;
    return std::make_unique<ImplicitNewmark>(settings);
  };
}

/// The double pendulum in the angles of both rods against the vertical, TO (4.1): (angles, rates)'.
Eigen::Vector4d rate_of_angles(const Eigen::Vector4d &y)
{
  const double L1 = 1, L2 = std::sqrt(2.), c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]);
  Eigen::Matrix2d mass;
  mass << 2 * L1 * L1, L1 * L2 * c, L1 * L2 * c, L2 * L2;
  const Eigen::Vector2d force(-L1 * L2 * s * y[3] * y[3] - 2 * L1 * std::sin(y[0]), L1 * L2 * s * y[2] * y[2] - L2 * std::sin(y[1]));
  const Eigen::Vector2d acceleration = mass.inverse() * force;
  return {y[2], y[3], acceleration[0], acceleration[1]};
}
}  // namespace

BOOST_AUTO_TEST_SUITE(penalised_pendula)

BOOST_AUTO_TEST_CASE(the_reference_of_high_order_is_the_motion_in_angles)
{
  // Runge-Kutta 4 with 40,000 steps to time 10: far below the tolerance.
  Eigen::Vector4d y(0, std::atan(1.), 0, 0);
  const double h = 2.5e-4;
  for (int i = 0; i < 40000; ++i)
  {
    const Eigen::Vector4d k1 = rate_of_angles(y), k2 = rate_of_angles(y + h / 2 * k1), k3 = rate_of_angles(y + h / 2 * k2),
                          k4 = rate_of_angles(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const State end = run(*double_pendulum(0),
                        std::make_unique<Composition>(std::make_unique<Rattle>(), Composition::Kind::yoshida, 6), 5e-3, 2000);
  const double L2 = std::sqrt(2.);
  BOOST_TEST(std::abs(end.q[0] - std::sin(y[0])) < 1e-9);
  BOOST_TEST(std::abs(end.q[2] - std::sin(y[0]) - L2 * std::sin(y[1])) < 1e-9);
  BOOST_TEST(std::abs(end.q[3] + std::cos(y[0]) + L2 * std::cos(y[1])) < 1e-9);
}

BOOST_AUTO_TEST_CASE(zhang_skeel_is_symplectic_to_the_accuracy_of_differences_and_the_simplified_form_is_not)
{
  // TO Figure 1: the step is 8 times what the stiffest spring would allow an explicit method, divided by 2.
  const auto system = double_pendulum(20);
  for (const int n_steps : {0, 7, 40})
  {
    const State state = run(*system, zhang_skeel(Form::full)(), 0.1, n_steps);
    const double full = symplectic_defect(*system, state, zhang_skeel(Form::full), 0.1, 2e-4);
    const double simplified = symplectic_defect(*system, state, zhang_skeel(Form::simplified), 0.1, 2e-4);
    BOOST_TEST_MESSAGE("after " << n_steps << " steps: full " << full << ", simplified " << simplified);
    // Rounding of products of derivatives of about 10, 1e-16 times 100 over 2e-4.
    BOOST_TEST(full < 2e-9);
    BOOST_TEST(simplified > 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(one_newton_iteration_makes_newmark_linearly_implicit_and_keeps_its_order)
{
  const auto system = double_pendulum(5);
  const State exact = run(*system, std::make_unique<GaussCollocation>(4), 0.005, 400);
  const auto error = [&](int n_steps) { return distance(run(*system, newmark(1)(), 2. / n_steps, n_steps), exact); };
  const double order = std::log2(error(800) / error(1600));
  BOOST_TEST(std::abs(order - 2) < 0.15, "observed order " << order);

  const auto stiff = double_pendulum(20);
  const auto one = newmark(1)(), two = newmark(2)(), all = newmark(std::nullopt)();
  State start = stiff->initial_state();
  start.v << 0.3, 0, 0.5, 0.2;
  State first = start, second = start, solved = start;
  for (const auto &[method, next] : {std::pair{one.get(), &first}, {two.get(), &second}, {all.get(), &solved}})
  {
    method->start(*stiff, start);
    method->step(start, 0.1, *next);
  }
  BOOST_TEST(one->summary()[0].name == "n_newton_iterations");
  BOOST_TEST(one->summary()[0].value == 1);
  BOOST_TEST(two->summary()[0].value == 2);
  BOOST_TEST(distance(first, solved) > 1e-7);  // far above what Newton's tolerance leaves
  // The second iteration squares the error, up to a factor.
  BOOST_TEST(distance(second, solved) < 0.3 * distance(first, solved));
}

BOOST_AUTO_TEST_CASE(the_multiplier_of_a_whirling_bead_shows_in_q_and_not_in_x)
{
  // A bead on a stiff rod goes round at the rate 1 without gravity: lambda = 1/2. In x the acceleration adds 2 beta (omega h)^2.
  const double omega = 20, h = 0.1, beta = 0.4, radius = std::sqrt(1 + 0.5 / (omega * omega));
  auto system = std::make_unique<ParticleSystem>(2, std::vector<Particle>{{"bob", 1, 0, {radius, 0, 0}, {0, radius, 0}}});
  auto set = std::make_shared<ConstraintSet>();
  set->add(std::make_unique<DistanceConstraint>(
    DistanceConstraint::from_point("rod", {0, 1}, {0, 0}, 1, DistanceConstraint::Form::square)));
  system->penalise(set, omega);
  const auto mean_multiplier = [&](Coordinates coordinates)
  {
    State state = system->initial_state();
    if (coordinates == Coordinates::x) state.q *= 1 - beta * h * h;  // x = q + beta h^2 M^-1 grad V, the acceleration being -q
    FixedStepIntegrator integrator(zhang_skeel(Form::full, coordinates)(), h);
    integrator.initialize(*system, state);
    double sum = 0;
    for (int i = 1; i <= 1000; ++i)
    {
      integrator.advance(state, i * h);
      sum += omega * omega * (state.q.squaredNorm() - 1);
    }
    return sum / 1000;
  };
  const double in_q = mean_multiplier(Coordinates::q), in_x = mean_multiplier(Coordinates::x);
  BOOST_TEST_MESSAGE("mean multiplier in q " << in_q << ", in x " << in_x);
  BOOST_TEST(std::abs(in_q - 0.5) < 0.02);  // of order h^2
  BOOST_TEST(std::abs(in_x - 0.5) > 1);
}

BOOST_AUTO_TEST_CASE(multipliers_of_penalties_converge_in_the_mean_and_not_at_instants)
{
  // TO (1.8) and Figure 2b: |lambda - mean of omega^2 g over 0.2| falls with omega, |lambda - omega^2 g| does not.
  const double window = 0.2, end = 4, h = 1e-3;
  const auto rigid = double_pendulum(0);
  const auto differences = [&](double omega)
  {
    const auto soft = double_pendulum(omega);
    State exact = rigid->initial_state(), state = soft->initial_state();
    FixedStepIntegrator rattle(std::make_unique<Rattle>(), h), method(zhang_skeel(Form::full, Coordinates::q)(), h);
    rattle.initialize(*rigid, exact);
    method.initialize(*soft, state);
    WindowMean expected(window), found(window);
    double in_the_mean = 0, at_instants = 0;
    Eigen::VectorXd g;
    for (int i = 1; i <= end / h; ++i)
    {
      rattle.advance(exact, i * h);
      method.advance(state, i * h);
      rigid->constraints()->value(state.q, g);
      const Eigen::VectorXd lambda = constraint_multipliers(*rigid, exact);
      expected.add(i * h, lambda);
      found.add(i * h, omega * omega * g);
      if (i * h < window) continue;
      in_the_mean = std::max(in_the_mean, (expected.mean() - found.mean()).cwiseAbs().maxCoeff());
      at_instants = std::max(at_instants, (lambda - omega * omega * g).cwiseAbs().maxCoeff());
    }
    BOOST_TEST_MESSAGE("omega " << omega << ": " << in_the_mean << " in the mean, " << at_instants << " at instants");
    return std::pair(in_the_mean, at_instants);
  };
  const auto [coarse_mean, coarse_instant] = differences(20);
  const auto [fine_mean, fine_instant] = differences(80);
  BOOST_TEST(fine_mean < 0.5 * coarse_mean);
  BOOST_TEST(fine_instant > 0.7 * coarse_instant);
  BOOST_TEST(fine_instant > 0.1);
}

BOOST_AUTO_TEST_CASE(solves_of_chains_are_linear_in_their_length)
{
  const auto entries_per_bead = [](int n)
  {
    const auto system = straight_chain(n, 20);
    const auto method = zhang_skeel(Form::full)();
    State state = system->initial_state(), next = state;
    method->start(*system, state);
    method->step(state, 0.01, next);
    double entries = 0;
    for (const auto &value : method->summary())
    {
      if (value.name == "n_factor_entries") entries = value.value;
      if (value.name == "n_linear_iterations") BOOST_TEST(value.value == 0);  // a direct solve, whatever the size
    }
    return entries / n;
  };
  const double short_chain = entries_per_bead(100), long_chain = entries_per_bead(10000);
  BOOST_TEST_MESSAGE("entries of the factors a bead: " << short_chain << ", " << long_chain);
  // At least the lower triangle itself: 3 entries of its own block and 4 of the one before.
  BOOST_TEST(short_chain > 5);
  BOOST_TEST(long_chain < 1.05 * short_chain);

  MultiplierMatrix matrix;
  const auto rigid = straight_chain(10000, 0);
  matrix.attach(*rigid);
  BOOST_TEST(matrix.is_banded());
  BOOST_TEST(matrix.bandwidth() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
