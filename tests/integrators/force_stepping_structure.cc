#include <freefall/integrators/force_stepping/force_stepping.h>

#include <integrators/random_system.h>
#include <boost/test/unit_test.hpp>

using namespace freefall;
using namespace freefall::force_stepping;

BOOST_AUTO_TEST_SUITE(force_stepping_structure)

namespace
{
constexpr GridKind all_kinds[] = {GridKind::kuhn, GridKind::mirrored_kuhn, GridKind::union_jack};

/// (q, p) after `time` from (q, p), p = M v.
Eigen::VectorXd flow(const System &system, const ForceSteppingSettings &settings, const Eigen::VectorXd &qp, double time)
{
  const int d = system.n_dofs();
  State state{0, qp.head(d), system.solve_mass(qp.tail(d))};
  ForceStepping integrator(settings);
  integrator.initialize(system, state);
  integrator.advance(state, time);
  Eigen::VectorXd result(2 * d);
  result << state.q, system.apply_mass(state.v);
  return result;
}
}  // namespace

BOOST_AUTO_TEST_CASE(the_jacobian_of_a_step_is_symplectic)
{
  const int d = 4;
  for (const GridKind kind : all_kinds)
    for (int seed = 0; seed < 5; ++seed)
    {
      const test::RandomSystem system(d, seed);
      const ForceSteppingSettings settings{ForceSteppingEngine::local, kind, {0.2}, GridShift::random, 11};
      // One step: to the middle between the first and the second event. And several: to after the tenth.
      std::vector<double> times;
      {
        ForceStepping integrator(settings);
        integrator.observer = [&](const Event &event) { times.push_back(event.time); };
        State state = system.initial_state();
        integrator.initialize(system, state);
        integrator.advance(state, 2);
      }
      BOOST_REQUIRE(times.size() > 11);
      for (const int n : {1, 10})
      {
        const double end = 0.5 * (times[n - 1] + times[n]);
        Eigen::VectorXd start(2 * d);
        start << system.initial_state().q, system.apply_mass(system.initial_state().v);
        // Far smaller than the distance to a different sequence of events, far larger than the root of rounding.
        const double step = 1e-6;
        Eigen::MatrixXd jacobian(2 * d, 2 * d);
        for (int i = 0; i < 2 * d; ++i)
        {
          const Eigen::VectorXd unit = step * Eigen::VectorXd::Unit(2 * d, i);
          jacobian.col(i) =
            (flow(system, settings, start + unit, end) - flow(system, settings, start - unit, end)) / (2 * step);
        }
        const auto Q_q = jacobian.topLeftCorner(d, d), Q_p = jacobian.topRightCorner(d, d);
        const auto P_q = jacobian.bottomLeftCorner(d, d), P_p = jacobian.bottomRightCorner(d, d);
        // The crossing shows: without one P_q would be zero.
        BOOST_TEST(P_q.cwiseAbs().maxCoeff() > 1e-3);
        // GSO (53)-(55). Differencing: step^2 times third derivatives of the crossing times, and rounding / step = 1e-9.
        const double tolerance = 1e-6;
        BOOST_TEST((P_p.transpose() * Q_p - Q_p.transpose() * P_p).cwiseAbs().maxCoeff() < tolerance);
        BOOST_TEST((P_p.transpose() * Q_q - Q_p.transpose() * P_q - Eigen::MatrixXd::Identity(d, d)).cwiseAbs().maxCoeff() <
                   tolerance);
        BOOST_TEST((Q_q.transpose() * P_q - P_q.transpose() * Q_q).cwiseAbs().maxCoeff() < tolerance);
      }
    }
}

BOOST_AUTO_TEST_CASE(sherman_morrison_takes_any_symmetric_positive_definite_mass)
{
  for (const GridKind kind : all_kinds)
  {
    const test::RandomSystem system(6, 3, {4}, true);
    ForceStepping integrator({ForceSteppingEngine::sherman_morrison, kind, {0.05}, GridShift::random, 5});
    State state = system.initial_state();
    integrator.initialize(system, state);
    const double start = *integrator.conserved_energy(state);
    integrator.advance(state, 2);
    BOOST_TEST(integrator.statistics().n_steps > 500);
    // Forces with the rounding of V / h = 1e-13, over a path of size 1.
    BOOST_TEST(std::fabs(*integrator.conserved_energy(state) - start) < 1e-11);

    // Every step is a part of the parabola of Definition 2.1: M (v - v0) = -grad V_h t before the first event.
    State begin = system.initial_state(), end = begin;
    ForceStepping first({ForceSteppingEngine::sherman_morrison, kind, {0.05}, GridShift::random, 5});
    first.initialize(system, begin);
    Eigen::VectorXd gradient;
    first.engine().gradient(gradient);
    const double dt = 1e-6;
    first.advance(end, dt);
    BOOST_REQUIRE(first.statistics().n_steps == 0);
    Eigen::VectorXd residual = system.apply_mass(end.v - begin.v) / dt + gradient;
    residual[4] = 0;  // the fixed dof takes its reaction
    // Rounding of v over dt.
    BOOST_TEST(residual.cwiseAbs().maxCoeff() < 1e-9);
    BOOST_TEST(gradient.cwiseAbs().maxCoeff() > 0.1);
  }
}

BOOST_AUTO_TEST_CASE(the_trajectory_converges_to_that_of_the_smooth_potential)
{
  const test::RandomSystem system(6, 9);
  const auto end_at = [&](double h)
  {
    ForceStepping integrator({ForceSteppingEngine::local, GridKind::kuhn, {h}, GridShift::random, 5});
    State state = system.initial_state();
    integrator.initialize(system, state);
    integrator.advance(state, 1);
    return state.q;
  };
  // Velocity Verlet with a step so small that its error, O(dt^2) = 1e-8, does not matter.
  State smooth = system.initial_state();
  Eigen::VectorXd gradient;
  system.gradient(smooth.q, gradient);
  const int n = 10000;
  for (int step = 0; step < n; ++step)
  {
    smooth.v -= 0.5 / n * system.solve_mass(gradient);
    smooth.q += smooth.v / n;
    system.gradient(smooth.q, gradient);
    smooth.v -= 0.5 / n * system.solve_mass(gradient);
  }
  const double coarse = (end_at(0.08) - smooth.q).norm(), fine = (end_at(0.005) - smooth.q).norm();
  // First order at least: 16 times smaller spacing, error at least 16 times smaller up to a factor of two for luck.
  BOOST_TEST(fine < coarse / 8);
  BOOST_TEST(fine < 1e-3);
}

BOOST_AUTO_TEST_CASE(every_step_is_counted_once_in_the_histogram)
{
  const test::RandomSystem system(10, 9);
  ForceStepping integrator({ForceSteppingEngine::kinetic, GridKind::kuhn, {0.1}, GridShift::random, 5});
  State state = system.initial_state();
  double sum = 0, last = 0, smallest = 1, largest = 0;
  integrator.observer = [&](const Event &event)
  {
    sum += event.time - last;
    smallest = std::min(smallest, event.time - last);
    largest = std::max(largest, event.time - last);
    last = event.time;
  };
  integrator.initialize(system, state);
  integrator.advance(state, 2);
  std::int64_t counted = 0;
  double lower = 0, upper = 0;
  for (int bin = 0; bin + 1 < StepHistogram::n_bins; ++bin)
  {
    const auto n = integrator.histogram().count_in(bin);
    if (n == 0) continue;
    counted += n;
    lower += n * StepHistogram::lower_edge(bin);
    upper += n * StepHistogram::lower_edge(bin + 1);
  }
  BOOST_TEST(counted == integrator.statistics().n_steps);
  BOOST_TEST(lower <= sum);
  BOOST_TEST(sum <= upper);
  BOOST_TEST(upper < 1.26 * lower);
  BOOST_TEST(integrator.statistics().smallest_time_step == smallest);
  BOOST_TEST(integrator.statistics().largest_time_step == largest);
}

BOOST_AUTO_TEST_SUITE_END()
