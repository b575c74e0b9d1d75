#include <freefall/integrators/composition.h>
#include <freefall/integrators/constrained/constrained_ode_method.h>
#include <freefall/integrators/constrained/gauss_dae.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "constrained_problems.h"
#include "particle_problems.h"

using namespace freefall;
using namespace constrained_problems;
using particle_problems::distance;
using particle_problems::run;

namespace
{
std::unique_ptr<OneStepMethod> make(int n_stages, int index, bool is_projected = false, bool is_reversible = false)
{
  return std::make_unique<GaussDae>(GaussDae::Settings{n_stages, index, is_projected, is_reversible});
}

State exact_solution(const System &system, double time)
{
  return run(system, std::make_unique<ConstrainedOdeMethod>(ConstrainedOde::Formulation::hamilton_dirac, 4), time / 400, 400);
}

/// By halving the step twice: the order of the last pair.
std::pair<double, double> orders(const System &system, const std::function<std::unique_ptr<OneStepMethod>()> &method, int n_steps)
{
  const State exact = exact_solution(system, 1);
  const State coarse = run(system, method(), 1. / n_steps, n_steps), fine = run(system, method(), 0.5 / n_steps, 2 * n_steps);
  BOOST_TEST_MESSAGE(method()->name() << ": errors in q " << (coarse.q - exact.q).norm() << ", " << (fine.q - exact.q).norm()
                                      << ", in v " << (coarse.v - exact.v).norm() << ", " << (fine.v - exact.v).norm());
  return {std::log2((coarse.q - exact.q).norm() / (fine.q - exact.q).norm()),
          std::log2((coarse.v - exact.v).norm() / (fine.v - exact.v).norm())};
}

/// The change of the symplectic form over one step from the manifold, see constrained_methods.
double change_of_form(const std::function<std::unique_ptr<OneStepMethod>()> &method)
{
  const auto system = double_pendulum();
  const Eigen::Vector4d angles(1.2, 0.4, 0.5, -0.9);
  const double h = 1e-4;
  Eigen::MatrixXd form[2];
  for (int after = 0; after < 2; ++after)
  {
    Eigen::MatrixXd dq = Eigen::MatrixXd::Zero(4, 4), dv = dq;
    for (int a = 0; a < 4; ++a)
      for (const auto &[shift, weight] :
           {std::pair(1., 8. / 12), std::pair(-1., -8. / 12), std::pair(2., -1. / 12), std::pair(-2., 1. / 12)})
      {
        State state = double_pendulum_state(angles + shift * h * Eigen::Vector4d::Unit(a)), next = state;
        if (after)
        {
          const auto instance = method();
          instance->start(*system, state);
          instance->step(state, 0.2, next);
        }
        dq.col(a) += weight / h * next.q;
        dv.col(a) += weight / h * next.v;
      }
    const Eigen::MatrixXd product = dq.transpose() * system->diagonal_mass().asDiagonal() * dv;
    form[after] = product - product.transpose();
  }
  BOOST_TEST_REQUIRE(form[0].norm() > 0.5);
  return (form[1] - form[0]).norm();
}
}  // namespace

BOOST_AUTO_TEST_SUITE(gauss_dae)

BOOST_AUTO_TEST_CASE(orders_are_those_of_corollary_3_2)
{
  const auto system = double_pendulum();
  for (const int n_stages : {1, 2, 3})
  {
    const int expected = n_stages % 2 ? n_stages + 1 : n_stages;
    const auto [q, v] = orders(*system, [=] { return make(n_stages, 2); }, n_stages == 3 ? 20 : 40);
    BOOST_TEST(std::abs(q - expected) < 0.4, n_stages << " stages: order " << q);
    BOOST_TEST(std::abs(v - expected) < 0.4, n_stages << " stages: order " << v);
  }
  // Index 3 with one stage: order 2 in q and two less in v, that is none.
  const auto [q, v] = orders(*system, [] { return make(1, 3); }, 80);
  BOOST_TEST_MESSAGE("index 3, one stage: order " << q << " in q, " << v << " in v");
  BOOST_TEST(std::abs(q - 2) < 0.4);
  BOOST_TEST(std::abs(v) < 0.4);
}

BOOST_AUTO_TEST_CASE(projection_restores_the_order_and_the_manifold_but_destroys_the_form)
{
  const auto system = double_pendulum();
  const auto [q, v] = orders(*system, [] { return make(2, 2, true); }, 20);
  BOOST_TEST_MESSAGE("projected, two stages on index 2: order " << q << ", " << v);
  BOOST_TEST(q > 3.5);
  const auto residuals = constraint_residuals(*system, run(*system, make(1, 2, true), 0.05, 100));
  BOOST_TEST(residuals.position < 1e-14);
  BOOST_TEST(residuals.velocity < 1e-13);
  const auto plain = constraint_residuals(*system, run(*system, make(1, 2), 0.05, 100));
  BOOST_TEST(plain.position > 1e-6);
  BOOST_TEST(plain.velocity > 1e-6);

  for (const int index : {2, 3})
    for (const int n_stages : {1, 2})
    {
      const double change = change_of_form([=] { return make(n_stages, index); });
      const double projected = change_of_form([=] { return make(n_stages, index, true); });
      BOOST_TEST_MESSAGE("index " << index << ", " << n_stages << " stages: the form changes by " << change << ", projected by "
                                  << projected);
      BOOST_TEST(change < 1e-9);
      BOOST_TEST(projected > 1e-8);
    }
}

BOOST_AUTO_TEST_CASE(what_is_reversible_and_what_is_not)
{
  // R Corollary 5.1 says it of index 3, and denies it for index 2; it holds there too: R turns lambda_2 over with v.
  const auto system = double_pendulum();
  const State &state = system->initial_state();
  for (const int index : {2, 3})
    for (const int n_stages : {1, 2, 3})
      for (const bool is_projected : {false, true})
      {
        const auto method = make(n_stages, index, is_projected);
        State next = state, returned = state;
        method->start(*system, state);
        method->step(state, 0.1, next);
        BOOST_TEST_REQUIRE(distance(next, state) > 0.05);
        State back = next;
        back.v = -back.v;
        method->step(back, 0.1, returned);
        returned.v = -returned.v;
        const double reversed = distance(returned, state);
        method->step(next, -0.1, back);
        const double undone = distance(back, state);
        BOOST_TEST_MESSAGE("index " << index << ", " << n_stages << " stages, projected " << is_projected << ": reversed to "
                                    << reversed << ", undone to " << undone);
        // Rounding of two steps with multipliers of size 1.
        BOOST_TEST((reversed < 1e-13) == !is_projected);
        BOOST_TEST((undone < 1e-13) == !is_projected);
        BOOST_TEST(method->is_symmetric() == !is_projected);
      }
}

BOOST_AUTO_TEST_CASE(the_midpoint_rule_on_index_2_is_reversible_and_composes_to_order_2_only)
{
  const auto system = pendulum(0, 1, 1, 0);
  State state = system->initial_state(), next = state;
  const auto method = make(1, 2);
  method->start(*system, state);
  method->step(state, 0.1, next);
  State back = next, returned = next;
  back.v = -back.v;
  method->step(back, 0.1, returned);
  returned.v = -returned.v;
  BOOST_TEST(distance(returned, state) < 1e-14);

  const auto [q, v] = orders(*system,
                             []
                             {
                               return std::make_unique<Composition>(make(1, 2), Composition::Kind::yoshida, 4);
                             },
                             40);
  BOOST_TEST_MESSAGE("composed by R (15): order " << q << ", " << v);
  BOOST_TEST(q < 2.6);
  const auto [reversible_q, reversible_v] = orders(*system, [] { return make(1, 2, false, true); }, 40);
  BOOST_TEST(std::abs(reversible_q - 2) < 0.3);
}

BOOST_AUTO_TEST_SUITE_END()
