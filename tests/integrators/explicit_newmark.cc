#include <freefall/integrators/explicit_newmark.h>

#include "small_systems.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;
using namespace small_systems;
namespace tt = boost::test_tools;

namespace
{
ExplicitNewmark with_step(double dt)
{
  ExplicitNewmark::Settings settings;
  settings.time_step = dt;
  return ExplicitNewmark(settings);
}

State run(const System &system, double dt, double end)
{
  State state = system.initial_state();
  auto newmark = with_step(dt);
  newmark.initialize(system, state);
  newmark.advance(state, end);
  return state;
}

/// A spring that hardens while it runs, as elements do under compression.
class HardeningSpring : public Spring
{
public:
  HardeningSpring() : Spring(1) {}
  CriticalStep critical_step(const Eigen::VectorXd &q) const override { return {q[0] < 0.9 ? 0.05 : 0.2, "a made-up law"}; }
};
}  // namespace

BOOST_AUTO_TEST_SUITE(explicit_newmark)

BOOST_AUTO_TEST_CASE(error_is_of_second_order_on_spring_and_two_bodies)
{
  const Spring spring(1);
  const TwoBodies bodies;
  const auto spring_error = [&](double dt) { return std::abs(run(spring, dt, 10).q[0] - std::cos(10.0)); };
  const Eigen::VectorXd reference = run(bodies, 1.0 / 12800, 3).q;
  const auto bodies_error = [&](double dt) { return (run(bodies, dt, 3).q - reference).norm(); };
  // Halving a small step divides the error by 4 up to terms of the next order.
  BOOST_TEST(std::log2(spring_error(0.02) / spring_error(0.01)) == 2, tt::tolerance(0.01));
  BOOST_TEST(std::log2(bodies_error(0.01) / bodies_error(0.005)) == 2, tt::tolerance(0.03));
}

BOOST_AUTO_TEST_CASE(linear_and_angular_momentum_are_kept_to_rounding)
{
  const TwoBodies bodies;
  const auto before = bodies.observe(bodies.initial_state());
  const State state = run(bodies, 0.01, 1000);
  const auto after = bodies.observe(state);
  // The pair drifts to x = 100: roundings of q x v of 1e-14 in each of 1e5 steps add like a random walk to 300 * 1e-14.
  for (std::size_t i = 0; i < before.size(); ++i) BOOST_TEST(std::abs(after[i].value - before[i].value) < 1e-11);
}

BOOST_AUTO_TEST_CASE(energy_error_of_two_bodies_stays_bounded_and_falls_with_the_square_of_the_step)
{
  const TwoBodies bodies;
  const double initial = bodies.energy_balance(bodies.initial_state()).total();
  const auto largest = [&](double dt, double from, double to)
  {
    State state = bodies.initial_state();
    auto newmark = with_step(dt);
    newmark.initialize(bodies, state);
    newmark.advance(state, from);
    double error = 0;
    while (state.time < to)
    {
      newmark.advance(state, state.time + dt);
      error = std::max(error, std::abs(bodies.energy_balance(state).total() - initial));
    }
    return error;
  };
  const double early = largest(0.01, 0, 50), late = largest(0.01, 950, 1000);
  BOOST_TEST_REQUIRE(early > 1e-8);
  BOOST_TEST(late < 1.5 * early);  // no drift: the same size after 300 revolutions
  BOOST_TEST(early / largest(0.005, 0, 50) == 4, tt::tolerance(0.1));
}

BOOST_AUTO_TEST_CASE(motion_is_reversible)
{
  const TwoBodies bodies;
  State state = run(bodies, 0.01, 20);
  state.v = -state.v;
  state.time = 0;
  auto newmark = with_step(0.01);
  newmark.initialize(bodies, state);
  newmark.advance(state, 20);
  // 4000 steps of an orbit whose errors grow like t: 1e-16 * 4000 steps, times 10 for the growth.
  BOOST_TEST((state.q - bodies.initial_state().q).norm() < 1e-11);
  BOOST_TEST((state.v + bodies.initial_state().v).norm() < 1e-11);
}

BOOST_AUTO_TEST_CASE(map_of_a_step_is_symplectic)
{
  const TwoBodies bodies;
  const double dt = 0.1, e = 1e-6;
  Eigen::Matrix<double, 8, 8> jacobian;
  for (int k = 0; k < 8; ++k)
  {
    Eigen::Matrix<double, 8, 1> ends[2];
    for (const int side : {0, 1})
    {
      State state = bodies.initial_state();
      (k < 4 ? state.q[k] : state.v[k - 4]) += side ? e : -e;
      auto newmark = with_step(dt);
      newmark.initialize(bodies, state);
      newmark.advance(state, dt);
      ends[side] << state.q, state.v;
    }
    jacobian.col(k) = (ends[1] - ends[0]) / (2 * e);
  }
  Eigen::Matrix<double, 8, 8> form = Eigen::Matrix<double, 8, 8>::Zero();
  form.topRightCorner<4, 4>().setIdentity();
  form.bottomLeftCorner<4, 4>() = -Eigen::Matrix4d::Identity();
  // Central differences: e^2 times third derivatives of size 10, and 1e-16 / e.
  BOOST_TEST((jacobian.transpose() * form * jacobian - form).cwiseAbs().maxCoeff() < 1e-8);
  BOOST_TEST((jacobian - Eigen::Matrix<double, 8, 8>::Identity()).norm() > 0.01);
}

BOOST_AUTO_TEST_CASE(stability_limit_is_the_critical_step)
{
  const Spring spring(100);
  BOOST_TEST(spring.critical_step(spring.initial_state().q).time_step == 0.2, tt::tolerance(1e-12));
  const auto amplitude = [&](double dt)
  {
    ExplicitNewmark::Settings settings;
    settings.time_step = dt;
    settings.allow_unstable = true;
    ExplicitNewmark newmark(settings);
    State state = spring.initial_state();
    newmark.initialize(spring, state);
    double largest = 0;
    for (int n = 1; n <= 1000; ++n)
    {
      newmark.advance(state, n * dt);
      largest = std::max(largest, std::abs(state.q[0]));
    }
    return largest;
  };
  BOOST_TEST(amplitude(0.199) < 20);  // near the limit the discrete ellipse is long, but closed
  BOOST_TEST(amplitude(0.201) > 1e20);
}

BOOST_AUTO_TEST_CASE(given_step_above_the_critical_one_is_refused_unless_allowed)
{
  const Spring spring(100);
  auto newmark = with_step(0.21);
  BOOST_CHECK_EXCEPTION(newmark.initialize(spring, spring.initial_state()), InputError,
                        [](const InputError &error) {
                          return std::string(error.what()).find("0.21 s is above the critical step 0.2 s, limited by dof 0") !=
                                 std::string::npos;
                        });
}

BOOST_AUTO_TEST_CASE(automatic_step_is_the_safety_factor_times_the_critical_one)
{
  const Spring spring(100);
  ExplicitNewmark::Settings settings;
  settings.safety_factor = 0.5;
  ExplicitNewmark newmark(settings);
  newmark.initialize(spring, spring.initial_state());
  BOOST_TEST(newmark.time_step() == 0.1, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(automatic_step_follows_a_falling_critical_step_and_counts_the_change)
{
  const HardeningSpring spring;
  const auto run_in_pieces = [&](double piece)
  {
    ExplicitNewmark::Settings settings;
    settings.safety_factor = 1;
    settings.check_interval = 3;
    auto newmark = std::make_unique<ExplicitNewmark>(settings);
    State state = spring.initial_state();
    newmark->initialize(spring, state);
    while (state.time < 2) newmark->advance(state, std::min(2.0, state.time + piece));
    BOOST_TEST(newmark->time_step() == 0.05);
    BOOST_TEST(newmark->statistics().smallest_time_step == 0.05);
    BOOST_TEST(newmark->statistics().largest_time_step == 0.2);
    BOOST_TEST(newmark->summary()[1].value == 1);
    return state;
  };
  const State whole = run_in_pieces(2), pieces = run_in_pieces(0.07);
  BOOST_TEST(whole.time == pieces.time);
  BOOST_TEST(whole.q[0] == pieces.q[0]);  // the same to the last bit, however the run is split
}

BOOST_AUTO_TEST_CASE(failed_step_leaves_the_last_good_state)
{
  const Spring spring(1, /* breaks at */ 1.5);
  State state = spring.initial_state();
  state.v[0] = 2;
  auto newmark = with_step(0.01);
  newmark.initialize(spring, state);
  BOOST_CHECK_EXCEPTION(newmark.advance(state, 10), StepFailed,
                        [](const StepFailed &error)
                        { return std::string(error.what()).find("the spring broke") != std::string::npos; });
  BOOST_TEST(std::abs(state.q[0]) <= 1.5);
  BOOST_TEST(std::abs(state.q[0]) > 1.4);
  BOOST_TEST(state.time == newmark.statistics().n_steps * 0.01, tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_SUITE_END()
