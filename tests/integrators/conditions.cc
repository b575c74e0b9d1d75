#include <freefall/integrators/discrete_gradient_method.h>
#include <freefall/integrators/dormand_prince.h>
#include <freefall/integrators/explicit_newmark.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/force_stepping/force_stepping.h>
#include <freefall/integrators/runge_kutta_4.h>
#include <freefall/systems/conditions.h>

#include "small_systems.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;
using namespace small_systems;
namespace tt = boost::test_tools;

namespace
{
/// Springs of stiffness k (and k3/4 stretch^4 each) between neighbours of a chain.
class ChainTerm : public SimpleTerm
{
public:
  ChainTerm(int n, double stiffness, double cubic) : SimpleTerm(n), stiffness_(stiffness), cubic_(cubic) {}
  std::string kind() const override { return "chain"; }
  double value(int, const double *x) const override
  {
    double sum = 0;
    for (int i = 0; i + 1 < dofs_per_term(); ++i)
    {
      const double stretch = x[i + 1] - x[i];
      sum += stiffness_ / 2 * stretch * stretch + cubic_ / 4 * std::pow(stretch, 4);
    }
    return sum;
  }
  void gradient(int, const double *x, double *gradient) const override
  {
    std::fill(gradient, gradient + dofs_per_term(), 0.);
    for (int i = 0; i + 1 < dofs_per_term(); ++i)
    {
      const double stretch = x[i + 1] - x[i], force = stiffness_ * stretch + cubic_ * std::pow(stretch, 3);
      gradient[i] -= force;
      gradient[i + 1] += force;
    }
  }
  void hessian(int, const double *, double *hessian) const override
  {
    const int n = dofs_per_term();
    std::fill(hessian, hessian + n * n, 0.);
    for (int i = 0; i + 1 < n; ++i)
    {
      hessian[i * n + i] += stiffness_;
      hessian[(i + 1) * n + i + 1] += stiffness_;
      hessian[i * n + i + 1] = hessian[(i + 1) * n + i] = -stiffness_;
    }
  }

private:
  double stiffness_, cubic_;
};

/// Which conditions act on a DrivenChain.
struct Drive
{
  double amplitude = 0;  ///< of the support, Q = amplitude sin(3 t)
  double load = 0;       ///< f = load cos(2 t) (1 + q_2 / 2) on the last mass
  double damping = 0;    ///< rate c, C = c M
};

/// Three masses, the first one supported.
class DrivenChain : public System, public Conditions
{
public:
  explicit DrivenChain(const Drive &drive, double cubic = 0) : drive_(drive)
  {
    terms_.push_back(std::make_unique<ChainTerm>(3, 5, cubic));
    diagonal_mass_.resize(3);
    diagonal_mass_ << 1.5, 1, 0.7;
    fixed_dofs_ = {0};
    initial_state_.q.resize(3);
    initial_state_.q << 0, 0.3, -0.2;
    initial_state_.v.resize(3);
    initial_state_.v << 0, 0.1, 0.2;
    prescribe(0, initial_state_.q, initial_state_.v);
  }
  const Conditions *conditions() const override { return this; }

  bool moves_supports() const override { return drive_.amplitude != 0; }
  bool has_loads() const override { return drive_.load != 0; }
  bool has_damping() const override { return drive_.damping != 0; }
  void prescribe(double time, Eigen::VectorXd &q, Eigen::VectorXd &v) const override
  {
    if (!moves_supports()) return;
    q[0] = drive_.amplitude * std::sin(3 * time);
    v[0] = 3 * drive_.amplitude * std::cos(3 * time);
  }
  void add_loads(double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const override
  {
    forces[2] += drive_.load * std::cos(2 * time) * (1 + q[2] / 2);
  }
  void damp(const Eigen::VectorXd &, double dt, Eigen::VectorXd &v, Work &work) const override
  {
    const double factor = std::exp(-drive_.damping * dt);
    for (int dof = 1; dof < 3; ++dof)
    {
      work.damping += diagonal_mass_[dof] / 2 * v[dof] * v[dof] * (1 - factor * factor);
      v[dof] *= factor;
    }
    // The supported mass is damped as well; its support feeds that.
    const double fed = drive_.damping * diagonal_mass_[0] * v[0] * v[0] * dt;
    work.damping += fed;
    work.supports += fed;
  }

private:
  Drive drive_;
};

State run(const System &system, double dt, double end)
{
  State state = system.initial_state();
  ExplicitNewmark::Settings settings;
  settings.time_step = dt;
  ExplicitNewmark newmark(settings);
  newmark.initialize(system, state);
  newmark.advance(state, end);
  return state;
}

/// a.M a of the free dofs.
double squared_acceleration(const DrivenChain &system, const State &state)
{
  Eigen::VectorXd force;
  system.gradient(state.q, force);
  force = -force;
  if (system.has_loads()) system.add_loads(state.time, state.q, force);
  return force.tail(2).cwiseProduct(force.tail(2)).cwiseQuotient(system.diagonal_mass().tail(2)).sum();
}

double account(const System &system, const State &state)
{
  return system.energy_balance(state).total();
}
}  // namespace

BOOST_AUTO_TEST_SUITE(conditions)

BOOST_AUTO_TEST_CASE(with_a_quadratic_potential_the_account_closes_exactly_but_for_the_ends)
{
  // T + V - W + D - dt^2/8 a.M a is constant to rounding, whatever the step: see DrivenForces.
  for (const Drive drive : {Drive{0.4, 0, 0}, Drive{0, 1.3, 0}, Drive{0, 0, 0.2}, Drive{0.4, 1.3, 0.2}})
  {
    const DrivenChain chain(drive);
    const double dt = 0.1;
    const auto kept = [&](const State &state)
    { return account(chain, state) - dt * dt / 8 * squared_acceleration(chain, state); };
    const State end = run(chain, dt, 100);
    const double flow = std::abs(end.work.supports) + std::abs(end.work.loads) + end.work.damping;
    BOOST_TEST(flow > 0.1);
    // 1000 steps, each rounding energies of order 1.
    BOOST_TEST(std::abs(kept(end) - kept(chain.initial_state())) < 1e-13 * (1 + flow));
  }
}

BOOST_AUTO_TEST_CASE(with_a_hard_spring_the_account_is_off_by_the_square_of_the_step)
{
  const DrivenChain chain({0.4, 1.3, 0.05}, 8);
  const auto error = [&](double dt)
  {
    State state = chain.initial_state();
    ExplicitNewmark::Settings settings;
    settings.time_step = dt;
    ExplicitNewmark newmark(settings);
    newmark.initialize(chain, state);
    const double start = account(chain, state);
    double largest = 0, kinetic = 0;
    while (state.time < 10)
    {
      newmark.advance(state, state.time + 0.1);
      largest = std::max(largest, std::abs(account(chain, state) - start));
      kinetic = std::max(kinetic, chain.energy_balance(state).kinetic);
    }
    return largest / kinetic;
  };
  // Two halvings, so that the next order weighs little.
  BOOST_TEST(std::log2(error(0.02) / error(0.005)) == 4, tt::tolerance(0.02));
  // The term at the ends alone is dt^2/8 a.M a, (w dt)^2/4 of the energy: below a percent for w of about 10.
  BOOST_TEST(error(0.02) < 0.01);
}

BOOST_AUTO_TEST_CASE(a_damped_oscillator_moves_and_decays_at_second_order)
{
  // x'' + 2 z x' + 4 x = 0 with 2 z = 0.6.
  class DampedSpring : public Spring, public Conditions
  {
  public:
    DampedSpring() : Spring(4) {}
    const Conditions *conditions() const override { return this; }
    bool has_damping() const override { return true; }
    void damp(const Eigen::VectorXd &, double dt, Eigen::VectorXd &v, Work &work) const override
    {
      const double before = v[0] * v[0] / 2;
      v[0] *= std::exp(-0.6 * dt);
      work.damping += before - v[0] * v[0] / 2;
    }
  };
  const DampedSpring spring;
  const double z = 0.3, w = std::sqrt(4 - z * z);
  const auto error = [&](double dt)
  {
    const State state = run(spring, dt, 5);
    const double exact = std::exp(-z * state.time) * (std::cos(w * state.time) + z / w * std::sin(w * state.time));
    return std::abs(state.q[0] - exact);
  };
  BOOST_TEST(std::log2(error(0.02) / error(0.01)) == 2, tt::tolerance(0.01));
  // Stable up to the critical step of the undamped spring: the roots of s^2 + 1.543 s + 0.549 are 0.986 and below in size, so
  // that 2000 steps leave 1e-12.
  const State late = run(spring, 0.999, 2000);
  BOOST_TEST(std::abs(late.q[0]) < 1e-9);
}

BOOST_AUTO_TEST_CASE(supports_without_motion_and_loads_of_zero_give_the_free_trajectory_bit_for_bit)
{
  class FreeChain : public DrivenChain
  {
  public:
    FreeChain() : DrivenChain({}) {}
    const Conditions *conditions() const override { return nullptr; }
  };
  const State driven = run(DrivenChain({}), 0.1, 20), free = run(FreeChain(), 0.1, 20);
  BOOST_TEST((driven.q.array() == free.q.array()).all());
  BOOST_TEST((driven.v.array() == free.v.array()).all());
  BOOST_TEST(driven.work.supports == 0);
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_from_a_kept_state_bit_for_bit)
{
  // The state, with its work, is all there is; powers of two keep the times equal.
  const DrivenChain chain({0.4, 1.3, 0.2}, 8);
  State kept = run(chain, 1. / 64, 2);
  ExplicitNewmark::Settings settings;
  settings.time_step = 1. / 64;
  ExplicitNewmark again(settings);
  again.initialize(chain, kept);
  again.advance(kept, 4);
  const State through = run(chain, 1. / 64, 4);
  BOOST_TEST((kept.q.array() == through.q.array()).all());
  BOOST_TEST((kept.v.array() == through.v.array()).all());
  BOOST_TEST(kept.work.supports == through.work.supports);
  BOOST_TEST(kept.work.loads == through.work.loads);
  BOOST_TEST(kept.work.damping == through.work.damping);
}

BOOST_AUTO_TEST_CASE(methods_that_know_a_potential_only_refuse_conditions_and_say_which)
{
  const DrivenChain chain({0.4, 0, 0.2});
  const auto names_both = [](const InputError &error)
  {
    const std::string text = error.what();
    return text.find("moving supports, damping") != std::string::npos && text.find("explicit Newmark") != std::string::npos;
  };
  const auto refuses = [&](Integrator &integrator)
  { BOOST_CHECK_EXCEPTION(integrator.initialize(chain, chain.initial_state()), InputError, names_both); };
  FixedStepIntegrator runge_kutta(std::make_unique<RungeKutta4>(), 0.1);
  FixedStepIntegrator discrete_gradient(std::make_unique<DiscreteGradientMethod>(), 0.1);
  DormandPrince dormand_prince({});
  ForceStepping force_stepping({});
  refuses(runge_kutta);
  refuses(discrete_gradient);
  refuses(dormand_prince);
  refuses(force_stepping);
}

BOOST_AUTO_TEST_SUITE_END()
