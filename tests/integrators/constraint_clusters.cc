#include <freefall/constraints/distance_constraint.h>
#include <freefall/core/errors.h>
#include <freefall/integrators/constrained/constraint_solver.h>
#include <freefall/systems/particles/particle_system.h>

#include <fmt/format.h>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
using Form = DistanceConstraint::Form;

struct Link
{
  int first, second;
  Form form = Form::half_square;
};

/// Points scattered in a box, with links of the lengths that they have.
std::unique_ptr<ParticleSystem> linked_points(int dim, int n_points, const std::vector<Link> &links, const std::vector<int> &fixed = {})
{
  std::vector<Particle> particles;
  for (int i = 0; i < n_points; ++i)
  {
    Particle particle{std::to_string(i), 1 + 0.3 * (i % 4)};
    for (int axis = 0; axis < dim; ++axis) particle.position[axis] = 2 * std::sin(1 + 3.1 * i + 1.7 * axis);
    particles.push_back(particle);
  }
  auto system = std::make_unique<ParticleSystem>(dim, particles);
  for (const int point : fixed)
    for (int axis = 0; axis < dim; ++axis) system->fix(point, axis);
  auto set = std::make_shared<ConstraintSet>();
  for (const Link &link : links)
  {
    std::vector<int> dofs;
    for (const int point : {link.first, link.second})
      for (int axis = 0; axis < dim; ++axis) dofs.push_back(dim * point + axis);
    const double length = (particles[link.first].position - particles[link.second].position).norm();
    set->add(std::make_unique<DistanceConstraint>(
      DistanceConstraint::between(fmt::format("link {}-{}", link.first, link.second), dofs, length, link.form)));
  }
  system->set_constraints(set);
  return system;
}

/// Six triangles, five hinges and seven rods, their points and links in no order: more and fewer than fill batches of 4 or 8.
std::unique_ptr<ParticleSystem> mixture(int dim, const std::vector<int> &fixed = {})
{
  std::vector<Link> links;
  int point = 0;
  for (int i = 0; i < 7; ++i)
  {
    if (i < 6)
    {
      links.push_back({point + 2, point});
      links.push_back({point, point + 1});
      links.push_back({point + 1, point + 2});
      point += 3;
    }
    if (i < 5)
    {
      links.push_back({point + 1, point});
      links.push_back({point + 1, point + 2});
      point += 3;
    }
    links.push_back({point, point + 1});
    point += 2;
  }
  std::swap(links[1], links[20]);
  std::swap(links[0], links[31]);
  return linked_points(dim, point, links, fixed);
}

bool has_clusters(const System &system) { return ConstraintClusters::find(system) != nullptr; }
}  // namespace

BOOST_AUTO_TEST_SUITE(constraint_clusters)

BOOST_AUTO_TEST_CASE(rods_hinges_and_triangles_are_found_and_nothing_else)
{
  BOOST_TEST(has_clusters(*linked_points(3, 5, {{0, 1}, {2, 3}, {4, 3}})));
  BOOST_TEST(has_clusters(*linked_points(2, 3, {{0, 1}, {2, 1}, {0, 2}})));
  BOOST_TEST(has_clusters(*mixture(3)));
  // Chains of three links, four links at a point, other forms.
  BOOST_TEST(!has_clusters(*linked_points(3, 4, {{0, 1}, {1, 2}, {2, 3}})));
  BOOST_TEST(!has_clusters(*linked_points(3, 5, {{0, 1}, {0, 2}, {0, 3}, {0, 4}})));
  BOOST_TEST(!has_clusters(*linked_points(3, 4, {{0, 1}, {2, 3, Form::length}})));
  // A point that does not move joins nothing; where it is in the middle of a chain it cuts it.
  BOOST_TEST(has_clusters(*linked_points(3, 5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {2})));
}

BOOST_AUTO_TEST_CASE(both_ways_of_solving_agree_to_rounding)
{
  for (const int dim : {2, 3})
    for (const std::vector<int> &fixed : {std::vector<int>{}, std::vector<int>{0, 9}})
    {
      const auto system = mixture(dim, fixed);
      ConstraintSolver clusters, general(ConstraintSolver::Method::general);
      clusters.attach(*system);
      general.attach(*system);
      BOOST_TEST_REQUIRE(clusters.uses_clusters());
      BOOST_TEST_REQUIRE(!general.uses_clusters());
      const Eigen::VectorXd start = system->initial_state().q;
      Eigen::VectorXd moved = start, velocities(start.size());
      for (Eigen::Index i = 0; i < start.size(); ++i)
      {
        if (general.inverse_mass()[i] > 0) moved[i] += 0.02 * std::sin(2. + 5 * i);
        velocities[i] = general.inverse_mass()[i] > 0 ? std::cos(3. * i) : 0;
      }
      Eigen::VectorXd results[2][4], violation;
      int k = 0;
      for (ConstraintSolver *solver : {&clusters, &general})
      {
        Eigen::VectorXd q = moved, v = velocities, kicked = velocities, from, to, impulse, velocity_impulse;
        solver->gradients(start, from);
        solver->solve_positions(from, q, impulse, to);
        solver->solve_velocities(to, v, velocity_impulse);
        solver->kick(to, impulse, 0.7, kicked);
        system->constraints()->value(q, violation);
        // Rounding of coordinates up to 2.
        BOOST_TEST(violation.cwiseAbs().maxCoeff() < 1e-14);
        results[k][0] = q;
        results[k][1] = v;
        results[k][2] = kicked;
        results[k++][3] = solver->in_order(impulse);
      }
      // Rounding, times the condition of flat triangles: below 100.
      for (int i = 0; i < 4; ++i)
      {
        BOOST_TEST(results[0][i].norm() > 0.01);
        BOOST_TEST((results[0][i] - results[1][i]).norm() < 1e-12 * results[1][i].norm());
      }
      for (const int point : fixed)
        BOOST_TEST((results[0][0].segment(dim * point, dim) - start.segment(dim * point, dim)).norm() == 0);
    }
}

BOOST_AUTO_TEST_CASE(constraints_that_cannot_be_met_are_named)
{
  const auto system = linked_points(3, 3, {{0, 1}, {1, 2}, {0, 2}});
  ConstraintSolver solver;
  solver.attach(*system);
  BOOST_TEST_REQUIRE(solver.uses_clusters());
  Eigen::VectorXd q = system->initial_state().q, from, to, impulse;
  solver.gradients(q, from);
  // A point far outside the plane of the old triangle: no combination of the old directions brings it back.
  q.segment<3>(3) += Eigen::Vector3d(50, 70, -90);
  try
  {
    solver.solve_positions(from, q, impulse, to);
    BOOST_ERROR("no error");
  }
  catch (const StepFailed &error)
  {
    const std::string text = error.what();
    BOOST_TEST((text.find("link ") != std::string::npos || text.find("not finite") != std::string::npos), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
