#include <freefall/core/errors.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/constrained/constrained_energy_momentum.h>
#include <freefall/integrators/constrained/constrained_euler.h>
#include <freefall/integrators/constrained/constrained_ode_method.h>
#include <freefall/integrators/constrained/gauss_dae.h>
#include <freefall/integrators/constrained/hamiltonian_euler.h>
#include <freefall/integrators/constrained/shake.h>

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
using RattleForm = Rattle::Form;

/// Masses that depend on where the others are, with the constraints of the double pendulum: H = p^T W(q) p / 2 + V(q),
/// W = diag(w_j (1 + 0.2 cos(q_0 - q_3))), V = gravity + 0.2 x1^2 y1.
class VariableMass final : public System, public HamiltonianSystem, public Hamiltonian
{
public:
  VariableMass()
  {
    const auto pendulum = double_pendulum();
    diagonal_mass_ = pendulum->diagonal_mass();
    initial_state_ = pendulum->initial_state();
    auto set = std::make_shared<ConstraintSet>();
    set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("upper rod", {0, 1}, {0, 0}, upper_length, Form::length)));
    set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between("lower rod", {0, 1, 2, 3}, lower_length, Form::length)));
    constraints_ = set;
  }
  const Hamiltonian *hamiltonian() const override { return this; }
  Eigen::VectorXd mobility(const Eigen::VectorXd &q) const
  {
    return diagonal_mass_.cwiseInverse() * (1 + 0.2 * std::cos(q[0] - q[3]));
  }
  double value(const Eigen::VectorXd &q, const Eigen::VectorXd &p) const override
  {
    return 0.5 * p.dot(mobility(q).cwiseProduct(p)) + upper_mass * q[1] + lower_mass * q[3] + 0.2 * q[0] * q[0] * q[1];
  }
  void derivatives(const Eigen::VectorXd &q, const Eigen::VectorXd &p, Derivatives &result) const override
  {
    const Eigen::VectorXd w = mobility(q);
    const double slope = -0.2 * std::sin(q[0] - q[3]);
    const Eigen::VectorXd changed = slope * diagonal_mass_.cwiseInverse().cwiseProduct(p);
    result.p = w.cwiseProduct(p);
    result.q = Eigen::Vector4d(0.4 * q[0] * q[1], upper_mass + 0.2 * q[0] * q[0], 0, lower_mass);
    result.q[0] += 0.5 * p.dot(changed);
    result.q[3] -= 0.5 * p.dot(changed);
    Eigen::MatrixXd mixed = Eigen::MatrixXd::Zero(4, 4);
    mixed.row(0) = changed;
    mixed.row(3) = -changed;
    result.qp = mixed.sparseView();
    result.pp = Eigen::MatrixXd(w.asDiagonal()).sparseView();
  }
  void momentum(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &p) const override
  {
    p = v.cwiseQuotient(mobility(q));
  }
};

/// The double pendulum with charges in a field that is not uniform: B_z = 1.5 + x y.
std::unique_ptr<ParticleSystem> charged_double_pendulum(const std::string &first, const std::string &second, double field)
{
  const State state = double_pendulum_state({1.2, 0.4, 0.5, -0.9});
  auto system = std::make_unique<ParticleSystem>(
    2, std::vector<Particle>{{"upper", upper_mass, 0.8, {state.q[0], state.q[1], 0}, {state.v[0], state.v[1], 0}},
                             {"lower", lower_mass, -0.5, {state.q[2], state.q[3], 0}, {state.v[2], state.v[3], 0}}});
  particle_potentials::add_uniform_gravity(*system, {0, -1, 0});
  particle_potentials::add_external_field(*system, "0.2*x^2*y + 0.1*sin(x)");
  auto set = std::make_shared<ConstraintSet>();
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("upper rod", {0, 1}, {0, 0}, upper_length, Form::half_square)));
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::between("lower rod", {0, 1, 2, 3}, lower_length, Form::half_square)));
  system->set_constraints(set);
  system->set_vector_potential({2, {0, 0, field}, {first, second}});
  return system;
}
std::unique_ptr<ParticleSystem> charged_double_pendulum() { return charged_double_pendulum("-x*y^2/2", "0", 1.5); }

const Hamiltonian &hamiltonian_of(const System &system) { return *non_separable_hamiltonian(system); }

double energy_of(const System &system, const State &state)
{
  Eigen::VectorXd p;
  hamiltonian_of(system).momentum(state.q, state.v, p);
  return hamiltonian_of(system).value(state.q, p);
}

std::vector<std::unique_ptr<System>> problems()
{
  std::vector<std::unique_ptr<System>> all;
  all.push_back(std::make_unique<VariableMass>());
  all.push_back(charged_double_pendulum());
  return all;
}

std::unique_ptr<OneStepMethod> euler(RattleForm form, int order = 2)
{
  auto method = std::make_unique<ConstrainedEuler>(form);
  if (order == 2) return method;
  return std::make_unique<Composition>(std::move(method), Composition::Kind::yoshida, order);
}

State one_step(const System &system, OneStepMethod &method, const State &state, double dt)
{
  State next = state;
  method.start(system, state);
  method.step(state, dt, next);
  return next;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(hamiltonian_euler)

BOOST_AUTO_TEST_CASE(derivatives_of_the_hamiltonians_are_those_of_their_values)
{
  for (const auto &system : problems())
  {
    const Hamiltonian &hamiltonian = hamiltonian_of(*system);
    const Eigen::VectorXd q = system->initial_state().q;
    Eigen::VectorXd p, v = system->initial_state().v;
    hamiltonian.momentum(q, v, p);
    Hamiltonian::Derivatives here, up, down;
    hamiltonian.derivatives(q, p, here);
    BOOST_TEST((here.p - v).norm() < 1e-15);  // rounding of numbers of size 1
    BOOST_TEST(Eigen::MatrixXd(here.qp).norm() > 0.1);
    const double h = 1e-5;
    for (int a = 0; a < 4; ++a)
    {
      const Eigen::VectorXd shift = h * Eigen::VectorXd::Unit(4, a);
      // Truncation h^2, rounding 1e-16 / h.
      BOOST_TEST(std::abs((hamiltonian.value(q + shift, p) - hamiltonian.value(q - shift, p)) / (2 * h) - here.q[a]) < 1e-9);
      BOOST_TEST(std::abs((hamiltonian.value(q, p + shift) - hamiltonian.value(q, p - shift)) / (2 * h) - here.p[a]) < 1e-9);
      hamiltonian.derivatives(q, p + shift, up);
      hamiltonian.derivatives(q, p - shift, down);
      BOOST_TEST(((up.q - down.q) / (2 * h) - Eigen::MatrixXd(here.qp).col(a)).norm() < 1e-9);
      BOOST_TEST(((up.p - down.p) / (2 * h) - Eigen::MatrixXd(here.pp).col(a)).norm() < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(orders_are_1_1_2_and_those_of_the_compositions)
{
  for (const auto &system : problems())
  {
    const State exact = run(*system, euler(RattleForm::composed, 8), 1. / 100, 100);
    const auto check = [&](RattleForm form, int order, int expected, int n_steps)
    {
      const State coarse = run(*system, euler(form, order), 1. / n_steps, n_steps),
                  fine = run(*system, euler(form, order), 0.5 / n_steps, 2 * n_steps);
      const double q = std::log2((coarse.q - exact.q).norm() / (fine.q - exact.q).norm());
      const double v = std::log2((coarse.v - exact.v).norm() / (fine.v - exact.v).norm());
      BOOST_TEST_MESSAGE("form " << static_cast<int>(form) << ", order " << expected << ": " << q << " in q, " << v << " in v");
      // The next term of the expansion is still seen.
      BOOST_TEST(std::abs(q - expected) < 0.2);
      BOOST_TEST(std::abs(v - expected) < 0.2);
    };
    check(RattleForm::euler, 2, 1, 400);
    check(RattleForm::adjoint, 2, 1, 400);
    check(RattleForm::composed, 2, 2, 50);
    check(RattleForm::composed, 4, 4, 25);
  }
}

BOOST_AUTO_TEST_CASE(a_charged_spherical_pendulum_moves_as_its_angles_do)
{
  // L = (theta'^2 + sin^2 phi'^2) / 2 + cos theta + b/2 sin^2 phi', b = c B, at (sin cos phi, sin sin phi, -cos).
  const double b = 2, time = 5;
  ParticleSystem system(3, {{"bob", 1, 1, {0.6, 0, -0.8}, {0, 0.5, 0}}});
  particle_potentials::add_uniform_gravity(system, {0, 0, -1});
  auto set = std::make_shared<ConstraintSet>();
  set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("rod", {0, 1, 2}, {0, 0, 0}, 1, Form::half_square)));
  system.set_constraints(set);
  system.set_vector_potential({3, {0, 0, b}, {}});

  Eigen::Vector3d y(std::asin(0.6), 0, 0);  // theta, theta', phi
  const double constant = 0.36 * (0.5 / 0.6 + b / 2);
  const auto rate = [&](const Eigen::Vector3d &u)
  {
    const double s = std::sin(u[0]), c = std::cos(u[0]), turn = constant / (s * s) - b / 2;
    return Eigen::Vector3d(u[1], s * c * turn * turn - s + b * s * c * turn, turn);
  };
  const int n = 20000;
  const double h = time / n;
  for (int i = 0; i < n; ++i)
  {
    const Eigen::Vector3d k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2), k4 = rate(y + h * k3);
    y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  const double s = std::sin(y[0]);
  const Eigen::Vector3d expected(s * std::cos(y[2]), s * std::sin(y[2]), -std::cos(y[0]));
  const State end = run(system, euler(RattleForm::composed, 6), 0.02, 250);
  BOOST_TEST((end.q - expected).norm() < 1e-9);  // order 6: halving the step gives a 64th
  BOOST_TEST((end.q - system.initial_state().q).norm() > 0.1);
}

BOOST_AUTO_TEST_CASE(the_manifold_is_kept_to_rounding_and_the_energy_does_not_drift)
{
  for (const auto &system : problems())
    for (const RattleForm form : {RattleForm::euler, RattleForm::adjoint, RattleForm::composed})
    {
      FixedStepIntegrator integrator(euler(form), 0.02);
      State state = system->initial_state();
      integrator.initialize(*system, state);
      const double energy = energy_of(*system, state);
      double early = 0, all = 0, position = 0, velocity = 0;
      for (int i = 1; i <= 400; ++i)
      {
        integrator.advance(state, 0.25 * i);
        const auto residuals = constraint_residuals(*system, state);
        position = std::max(position, residuals.position);
        velocity = std::max(velocity, residuals.velocity);
        all = std::max(all, std::abs(energy_of(*system, state) - energy));
        if (i == 200) early = all;
      }
      BOOST_TEST_MESSAGE("form " << static_cast<int>(form) << ": |g| " << position << ", |G v| " << velocity << ", energy " << early
                                 << ", " << all);
      // Each step solves to rounding.
      BOOST_TEST(position < 1e-14);
      BOOST_TEST(velocity < 1e-13);
      // The extremes of a chaotic oscillation, sampled 200 times: a drift would double the error.
      BOOST_TEST(all < 1.5 * early);
    }
}

BOOST_AUTO_TEST_CASE(the_form_dq_dp_is_kept_on_the_manifold)
{
  for (const auto &system : problems())
  {
    const Eigen::Vector4d angles(1.2, 0.4, 0.5, -0.9);
    const double h = 1e-4;
    const auto form_of = [&](const std::function<State(const State &)> &map)
    {
      Eigen::MatrixXd dq = Eigen::MatrixXd::Zero(4, 4), dp = dq;
      Eigen::VectorXd p;
      for (int a = 0; a < 4; ++a)
        for (const auto &[shift, weight] :
             {std::pair(1., 8. / 12), std::pair(-1., -8. / 12), std::pair(2., -1. / 12), std::pair(-2., 1. / 12)})
        {
          const State image = map(double_pendulum_state(angles + shift * h * Eigen::Vector4d::Unit(a)));
          hamiltonian_of(*system).momentum(image.q, image.v, p);
          dq.col(a) += weight / h * image.q;
          dp.col(a) += weight / h * p;
        }
      const Eigen::MatrixXd product = dq.transpose() * dp;
      return Eigen::MatrixXd(product - product.transpose());
    };
    const Eigen::MatrixXd before = form_of([](const State &state) { return state; });
    BOOST_TEST_REQUIRE(before.norm() > 0.5);
    for (const RattleForm form : {RattleForm::euler, RattleForm::adjoint, RattleForm::composed})
    {
      const auto map = [&](const State &state) { return one_step(*system, *euler(form), state, 0.1); };
      const double change = (form_of(map) - before).norm();
      BOOST_TEST_MESSAGE("form " << static_cast<int>(form) << ": changes by " << change);
      BOOST_TEST(change < 1e-9);  // differences of fourth order: rounding 1e-16 / h, truncation h^4
    }
    // What does not belong: one step of the composed method, its velocity scaled, is seen.
    const auto wrong = [&](const State &state)
    {
      State next = one_step(*system, *euler(RattleForm::composed), state, 0.1);
      next.v *= 1 + 1e-3;
      return next;
    };
    BOOST_TEST((form_of(wrong) - before).norm() > 1e-4);
  }
}

BOOST_AUTO_TEST_CASE(the_adjoint_undoes_the_first_order_step_and_the_composed_one_itself)
{
  for (const auto &system : problems())
  {
    const State &start = system->initial_state();
    const State there = one_step(*system, *euler(RattleForm::euler), start, 0.05);
    BOOST_TEST(distance(one_step(*system, *euler(RattleForm::adjoint), there, -0.05), start) < 1e-14);
    BOOST_TEST(distance(one_step(*system, *euler(RattleForm::euler), there, -0.05), start) > 1e-5);
    const State middle = one_step(*system, *euler(RattleForm::composed), start, 0.05);
    BOOST_TEST(distance(one_step(*system, *euler(RattleForm::composed), middle, -0.05), start) < 1e-14);
    // R-reversible only where H is even in p: the magnetic field is not.
    State back = middle;
    back.v = -back.v;
    State returned = one_step(*system, *euler(RattleForm::composed), back, 0.05);
    returned.v = -returned.v;
    const bool is_even = dynamic_cast<const VariableMass *>(system.get()) != nullptr;
    BOOST_TEST((distance(returned, start) < 1e-14) == is_even);
  }
}

BOOST_AUTO_TEST_CASE(without_a_field_the_steps_are_those_of_the_separable_method)
{
  const auto charged = charged_double_pendulum("0", "0", 0), plain = double_pendulum();
  for (const RattleForm form : {RattleForm::euler, RattleForm::adjoint, RattleForm::composed})
    // Rounding of 100 steps.
    BOOST_TEST(distance(run(*charged, euler(form), 0.02, 100), run(*plain, euler(form), 0.02, 100)) < 1e-12);
  const Eigen::VectorXd difference =
    constraint_multipliers(*charged, charged->initial_state()) - constraint_multipliers(*plain, plain->initial_state());
  BOOST_TEST(difference.norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE(multipliers_converge_to_those_of_the_state)
{
  const auto system = charged_double_pendulum();
  const auto error = [&](int n_steps)
  {
    HamiltonianEuler method(RattleForm::composed);
    State state = system->initial_state(), next = state;
    method.start(*system, state);
    for (int i = 0; i < n_steps; ++i)
    {
      method.step(state, 1. / n_steps, next);
      std::swap(state.q, next.q);
      std::swap(state.v, next.v);
    }
    const State exact = run(*system, euler(RattleForm::composed, 8), (1 - 0.5 / n_steps) / 100, 100);
    return (method.multipliers() - constraint_multipliers(*system, exact)).norm();
  };
  const double coarse = error(50), fine = error(100);
  BOOST_TEST_MESSAGE("multipliers off by " << coarse << ", " << fine);
  BOOST_TEST(std::log2(coarse / fine) > 0.7);
}

BOOST_AUTO_TEST_CASE(methods_for_separable_systems_refuse_a_magnetic_field)
{
  const auto system = charged_double_pendulum();
  std::vector<std::unique_ptr<OneStepMethod>> methods;
  methods.push_back(std::make_unique<Rattle>());
  methods.push_back(std::make_unique<Shake>());
  methods.push_back(std::make_unique<ConstrainedEnergyMomentum>());
  methods.push_back(std::make_unique<GaussDae>(GaussDae::Settings{}));
  methods.push_back(std::make_unique<ConstrainedOdeMethod>(ConstrainedOde::Formulation::hamilton_dirac, 0));
  for (auto &method : methods) BOOST_CHECK_THROW(method->start(*system, system->initial_state()), InputError);
  HamiltonianEuler general(RattleForm::euler);
  const auto plain = double_pendulum();
  BOOST_CHECK_THROW(general.start(*plain, plain->initial_state()), InputError);
}

BOOST_AUTO_TEST_CASE(a_step_that_cannot_be_made_names_the_constraint)
{
  const auto system = charged_double_pendulum();
  for (const RattleForm form : {RattleForm::euler, RattleForm::adjoint})
  {
    State state = system->initial_state();
    FixedStepIntegrator integrator(euler(form), 10);
    integrator.initialize(*system, state);
    BOOST_CHECK_EXCEPTION(integrator.advance(state, 10), StepFailed,
                          [](const StepFailed &error)
                          {
                            BOOST_TEST_MESSAGE(error.what());
                            return std::string(error.what()).find("rod") != std::string::npos;
                          });
    BOOST_TEST(distance(state, system->initial_state()) == 0);
  }
}

BOOST_AUTO_TEST_SUITE_END()
