#include <freefall/integrators/force_stepping/interpolated_energy.h>
#include <freefall/integrators/force_stepping/simplicial_grid.h>

#include <integrators/random_system.h>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;
using namespace freefall::force_stepping;

BOOST_AUTO_TEST_SUITE(force_stepping_grids)

namespace
{
constexpr GridKind all_kinds[] = {GridKind::kuhn, GridKind::mirrored_kuhn, GridKind::union_jack};

struct RandomGrid
{
  RandomGrid(int n_dofs, GridKind kind, std::uint64_t seed, std::vector<int> fixed = {})
    : system(n_dofs, seed, fixed), generator(seed + 1), spacing(n_dofs), shift(n_dofs), q(n_dofs), v(n_dofs), grid(make(kind))
  {
  }
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); }
  SimplicialGrid make(GridKind kind)
  {
    for (int i = 0; i < q.size(); ++i)
    {
      spacing[i] = uniform(0.05, 0.3);
      shift[i] = uniform(0, 1);
      q[i] = uniform(-2, 2);
      v[i] = uniform(-1, 1);
    }
    return SimplicialGrid(kind, spacing, shift, system.fixed_dofs());
  }
  double potential(const Eigen::VectorXd &x) const { return system.potential_energy(x); }
  double interpolated(const Eigen::VectorXd &x) const
  {
    return grid.interpolate([this](const Eigen::VectorXd &y) { return potential(y); }, grid.locate(x, v), x);
  }

  test::RandomSystem system;
  std::mt19937_64 generator;
  Eigen::VectorXd spacing, shift, q, v;
  SimplicialGrid grid;
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_point_is_the_weighted_mean_of_the_vertices_of_its_simplex)
{
  for (const GridKind kind : all_kinds)
    for (int seed = 0; seed < 50; ++seed)
    {
      RandomGrid random(5, kind, seed, {3});
      const auto location = random.grid.locate(random.q, random.v);
      const Eigen::VectorXd weights = random.grid.barycentric(location);
      BOOST_TEST(weights.size() == 5);
      BOOST_TEST(weights.minCoeff() >= 0);
      Eigen::VectorXd mean = Eigen::VectorXd::Zero(5);
      for (int r = 0; r < 5; ++r) mean += weights[r] * random.grid.vertex(location.simplex, r, random.q);
      // A few roundings of numbers of size 2 to 40 (grid units times spacing).
      BOOST_TEST((mean - random.q).cwiseAbs().maxCoeff() < 1e-13);
      BOOST_TEST(std::fabs(weights.sum() - 1) < 1e-14);
    }
}

BOOST_AUTO_TEST_CASE(the_interpolant_equals_the_potential_at_vertices_and_its_gradient_is_that_of_its_values)
{
  for (const GridKind kind : all_kinds)
    for (int seed = 0; seed < 20; ++seed)
    {
      RandomGrid random(4, kind, seed);
      const auto location = random.grid.locate(random.q, random.v);
      const auto potential = [&](const Eigen::VectorXd &x) { return random.potential(x); };
      for (int r = 0; r <= 4; ++r)
      {
        const Eigen::VectorXd vertex = random.grid.vertex(location.simplex, r, random.q);
        // Lipschitz: vertices are hit to rounding only, so the value is as well.
        BOOST_TEST(std::fabs(random.interpolated(vertex) - random.potential(vertex)) < 1e-11);
      }
      const Eigen::VectorXd gradient = random.grid.gradient(potential, location.simplex, random.q);
      BOOST_TEST(gradient.cwiseAbs().maxCoeff() > 1e-3);
      // Inside a simplex V_h is linear: a step well inside it differs from the gradient by rounding over the step.
      const double step = 0.5 * random.grid.barycentric(location).minCoeff() * random.spacing.minCoeff();
      for (int i = 0; i < 4; ++i)
      {
        const Eigen::VectorXd unit = Eigen::VectorXd::Unit(4, i);
        const double difference =
          (random.interpolated(random.q + 0.5 * step * unit) - random.interpolated(random.q - 0.5 * step * unit)) / step;
        BOOST_TEST(std::fabs(difference - gradient[i]) < 1e-13 / step);
      }
    }
}

BOOST_AUTO_TEST_CASE(the_replacement_rule_leads_to_the_simplex_on_the_other_side)
{
  const int d = 4;
  for (const GridKind kind : all_kinds)
    for (int seed = 0; seed < 50; ++seed)
      for (int s = 0; s <= d; ++s)
      {
        RandomGrid random(d, kind, seed);
        const auto location = random.grid.locate(random.q, random.v);
        Simplex across = location.simplex;
        const int r_new = random.grid.replace(across, s);
        // From the middle of the boundary a little further, away from the vertex that is lost.
        Eigen::VectorXd middle = Eigen::VectorXd::Zero(d);
        for (int r = 0; r <= d; ++r)
          if (r != s) middle += random.grid.vertex(location.simplex, r, random.q) / d;
        const Eigen::VectorXd lost = random.grid.vertex(location.simplex, s, random.q);
        const Simplex found = random.grid.locate(middle + 1e-3 * (middle - lost), random.v).simplex;
        BOOST_TEST(found.order == across.order);
        for (int i = 0; i < d; ++i)
        {
          BOOST_TEST(found.cells[i].base == across.cells[i].base);
          BOOST_TEST(found.cells[i].direction == across.cells[i].direction);
        }
        // All vertices but one are shared.
        for (int r = 0; r <= d; ++r)
        {
          const Eigen::VectorXd vertex = random.grid.vertex(across, r, random.q);
          double nearest = 1;
          for (int other = 0; other <= d; ++other)
            nearest = std::min(nearest, (vertex - random.grid.vertex(location.simplex, other, random.q)).norm());
          BOOST_TEST((nearest > 1e-3) == (r == r_new));
        }
      }
}

BOOST_AUTO_TEST_CASE(the_mirrored_grids_are_invariant_under_flipping_one_coordinate_and_the_kuhn_grid_is_not)
{
  const int d = 3;
  const auto potential = [](const Eigen::VectorXd &x)
  { return std::cos(x[0]) * std::cosh(x[1] * x[1]) + x[0] * x[0] * x[2] * x[2]; };
  Eigen::VectorXd v = Eigen::VectorXd::Zero(d), q(d);
  q << 0.37, 0.81, 0.55;
  Eigen::VectorXd flipped = q;
  flipped[0] = -flipped[0];
  for (const GridKind kind : all_kinds)
  {
    const SimplicialGrid grid(kind, Eigen::VectorXd::Constant(d, 0.25), Eigen::VectorXd::Zero(d), {});
    const auto value = [&](const Eigen::VectorXd &x) { return grid.interpolate(potential, grid.locate(x, v), x); };
    const double change = std::fabs(value(flipped) - value(q));
    if (kind == GridKind::kuhn)
      BOOST_TEST(change > 1e-4);
    else
      BOOST_TEST(change < 1e-14);  // rounding of values of size 1
    BOOST_TEST(std::fabs(value(-q) - value(q)) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(the_interpolant_is_the_sum_of_the_interpolants_of_the_terms)
{
  for (const GridKind kind : all_kinds)
    for (int seed = 0; seed < 20; ++seed)
    {
      RandomGrid random(7, kind, seed, {1, 5});
      const double by_terms = interpolated_energy(random.system, random.grid, random.q);
      // Rounding of sums of some dozen terms of size 1.
      BOOST_TEST(std::fabs(by_terms - random.interpolated(random.q)) < 1e-12);
    }
}

BOOST_AUTO_TEST_SUITE_END()
