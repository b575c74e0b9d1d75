#include <freefall/core/errors.h>
#include <freefall/systems/dense_hessian.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_system.h>
#include <freefall/systems/shifted_solver.h>

#include "cube_impact.h"

#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
using Method = ShiftedSolver::Method;

/// The paper's cube, deformed, with one corner in the wall.
struct DeformedCube
{
  explicit DeformedCube(const std::string &mesh = "I") : system(paper_cube(mesh)), q(system.initial_state().q)
  {
    for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += 2e-4 * std::sin(3.0 * static_cast<double>(i * i)) + (i % 3 ? 3e-3 : 0);
  }
  SolidSystem system;
  Eigen::VectorXd q;
};

ShiftedSolver make_solver(const System &system, Method method)
{
  ShiftedSolver::Settings settings;
  settings.method = method;
  return ShiftedSolver(system, settings);
}

Eigen::VectorXd right_side(Eigen::Index n)
{
  return Eigen::VectorXd::NullaryExpr(n, [](Eigen::Index i) { return std::sin(1.0 + static_cast<double>(i)); });
}

/// Beads on a line with springs, the first one fixed, in two dimensions: dofs in pairs.
std::unique_ptr<ParticleSystem> chain(int n)
{
  std::vector<Particle> beads;
  for (int i = 0; i < n; ++i)
    beads.push_back({"bead " + std::to_string(i), 1 + 0.1 * i, 0, {1.1 * i, 0.1 * (i % 3), 0}, Eigen::Vector3d::Zero()});
  auto system = std::make_unique<ParticleSystem>(2, beads);
  std::vector<particle_potentials::Bond> pairs;
  std::vector<laws::QuarticBond> bonds;
  for (int i = 0; i + 1 < n; ++i)
  {
    pairs.push_back({i, i + 1});
    bonds.push_back({4, -2, 3, 1});
  }
  particle_potentials::add_bonds(*system, pairs, bonds);
  system->fix(0, 0);
  system->fix(0, 1);
  return system;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(shifted_solver)

BOOST_AUTO_TEST_CASE(hessians_in_batches_are_those_of_single_elements)
{
  const DeformedCube cube;
  for (const auto &family : cube.system.terms())
  {
    const int n = family->dofs_per_term(), first = 3, count = 21;
    std::vector<double> batched(n * n * count), x(n), single(n * n);
    family->hessians(first, count, cube.q, batched.data());
    for (int i = 0; i < count; ++i)
    {
      for (int a = 0; a < n; ++a) x[a] = cube.q[family->dofs(first + i)[a]];
      family->hessian(first + i, x.data(), single.data());
      double size = 0, difference = 0;
      for (int k = 0; k < n * n; ++k)
      {
        size = std::max(size, std::abs(single[k]));
        difference = std::max(difference, std::abs(single[k] - batched[n * n * i + k]));
      }
      BOOST_TEST(difference <= 1e-14 * size);  // rounding
    }
  }
}

BOOST_AUTO_TEST_CASE(the_matrix_is_that_of_the_dense_hessian_with_contact_and_fixed_dofs)
{
  const DeformedCube cube;
  const auto beads = chain(7);
  const double c = 1e-13;
  const auto check = [&](const System &system, const Eigen::VectorXd &q, double shift)
  {
    ShiftedMatrix matrix(system);
    matrix.assemble(q, 1.5, shift);
    Eigen::MatrixXd expected;
    dense_hessian(system, q, expected);
    expected = 1.5 * dense_mass(system) + shift * expected;
    Eigen::VectorXd y;
    Eigen::MatrixXd found(q.size(), q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i)
    {
      matrix.matrix().multiply(Eigen::VectorXd::Unit(q.size(), i), y);
      found.col(i) = y;
    }
    BOOST_TEST((found - expected).norm() < 1e-13 * expected.norm());
    Eigen::SparseMatrix<double> lower;
    matrix.matrix().copy_lower_triangle(lower);
    BOOST_TEST((Eigen::MatrixXd(lower) - Eigen::MatrixXd(found.triangularView<Eigen::Lower>())).norm() < 1e-13 * expected.norm());
  };
  BOOST_TEST_REQUIRE(cube.system.potential_energy(cube.q, EnergyAccount::contact) > 0);
  check(cube.system, cube.q, c);
  check(*beads, beads->initial_state().q, 0.3);
}

BOOST_AUTO_TEST_CASE(direct_and_iterative_solutions_agree)
{
  // dt = 20 times the critical step of the elements alone.
  const DeformedCube cube("III");
  const double c = 0.25 * std::pow(20 * 1e-6, 2);
  const Eigen::VectorXd b = right_side(cube.q.size());
  Eigen::VectorXd direct, other, product;
  auto solver = make_solver(cube.system, Method::direct);
  solver.assemble(cube.q, 1, c);
  solver.solve(b, 0, direct);
  solver.matrix().multiply(direct, product);
  BOOST_TEST((product - b).norm() < 1e-10 * b.norm());
  for (const Method method : {Method::jacobi, Method::multigrid})
  {
    auto iterative = make_solver(cube.system, method);
    iterative.assemble(cube.q, 1, c);
    iterative.solve(b, 1e-12, other);
    BOOST_TEST_MESSAGE("iterations: " << iterative.statistics().n_iterations);
    // The condition number of the preconditioned operator, below 1e3, times the tolerance.
    BOOST_TEST((other - direct).norm() < 1e-9 * direct.norm());
  }
}

BOOST_AUTO_TEST_CASE(levels_of_multigrid_are_kept_while_they_work)
{
  const DeformedCube cube("III");
  const double c = 0.25 * std::pow(20 * 1e-6, 2);
  const Eigen::VectorXd b = right_side(cube.q.size());
  Eigen::VectorXd x;
  auto solver = make_solver(cube.system, Method::multigrid);
  for (int i = 0; i < 3; ++i)
  {
    solver.assemble(cube.q + Eigen::VectorXd::Constant(cube.q.size(), 1e-5 * i), 1, c);
    solver.solve(b, 1e-8, x);
  }
  BOOST_TEST(solver.statistics().n_factorisations == 1);
  // A matrix that has little to do with them: nothing but mass.
  solver.assemble(cube.q, 1, 1e-6 * c);
  solver.solve(b, 1e-8, x);
  Eigen::VectorXd product;
  solver.matrix().multiply(x, product);
  BOOST_TEST((product - b).norm() < 1e-5 * b.norm());
  BOOST_TEST(solver.statistics().n_factorisations == 2);
}

BOOST_AUTO_TEST_CASE(an_indefinite_operator_is_an_error_for_every_method)
{
  // Compressed to 60 %: the bonds push, and across the line the chain buckles.
  const auto beads = chain(9);
  Eigen::VectorXd q = beads->initial_state().q, x;
  for (int i = 0; i < 9; ++i) q.segment<2>(2 * i) = Eigen::Vector2d(0.6 * i, 0);
  for (const Method method : {Method::direct, Method::jacobi, Method::automatic})
  {
    auto solver = make_solver(*beads, method);
    solver.assemble(q, 1, 0.01);
    solver.solve(right_side(q.size()), 1e-10, x);  // a short step is fine
    solver.assemble(q, 1, 10);
    BOOST_CHECK_THROW(solver.solve(right_side(q.size()), 1e-10, x), IndefiniteOperator);
  }
  BOOST_CHECK_THROW(make_solver(*beads, Method::multigrid), InputError);
}

BOOST_AUTO_TEST_CASE(only_the_selected_terms_enter)
{
  const DeformedCube cube;
  ShiftedMatrix contact(cube.system, [](const LocalTerms &terms) { return terms.account() == EnergyAccount::contact; });
  contact.assemble(cube.q, 1, 1e-12);
  double trace = 0;
  for (int row = 0; row < contact.matrix().n_block_rows(); ++row)
    for (int r = 0; r < 3; ++r) trace += contact.matrix().values()[9 * contact.matrix().diagonal(row) + 4 * r];
  int n_inside = 0;
  for (int node = 0; node < cube.system.mesh().n_nodes(); ++node)
    n_inside += (cube.q.segment<3>(3 * node) - Eigen::Vector3d::Constant(0.101)).dot(Eigen::Vector3d(0, -1, -1)) < 0;
  BOOST_TEST_REQUIRE(n_inside > 0);
  BOOST_TEST(trace == cube.system.diagonal_mass().sum() + n_inside * 2 * 1e14 * 1e-12, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_SUITE_END()
