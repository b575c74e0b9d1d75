#include <freefall/systems/dense_hessian.h>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "solid_from_parameters.h"

using namespace freefall;
namespace tt = boost::test_tools;

namespace
{
/// A body with inner nodes whose elements are distorted where the quadrature still integrates shape gradients exactly: straight
/// edges. So linear elements mesh a cylinder, quadratic ones a box.
std::unique_ptr<SolidSystem> patch(ElementType type, const std::string &material)
{
  const std::string shape =
    shape_of(type).is_quadratic ? "box\nset Subdivisions = 2, 2, 2" : "cylinder\nset Subdivisions = 2, 1, 3";
  return solid_from(
    fmt::format("subsection Body patch\nsubsection Mesh\nset Type = {}\nset Element = {}\nset Cut = 5\nend\n"
                "subsection Material\n{}end\nend\n",
                shape, shape_of(type).name, material));
}

std::vector<std::string> materials()
{
  const std::string lame = "set Lame lambda = 2\nset Lame mu = 1\n";
  return {"set Model = neo-Hookean\n" + lame, "set Model = Saint Venant-Kirchhoff\n" + lame,
          "set Model = linear elastic\n" + lame,
          "set Model = Mooney-Rivlin\nset Mooney C10 = 0.4\nset Mooney C01 = 0.1\nset Bulk modulus = 3\n",
          "set Model = Ogden\nset Ogden mu = 1, 0.2\nset Ogden alpha = 1.5, 4\nset Bulk modulus = 3\n"};
}

const Eigen::Matrix3d F = (Eigen::Matrix3d() << 1.1, 0.05, 0, -0.02, 0.95, 0.1, 0.03, 0, 1.02).finished();

Eigen::VectorXd affine(const SolidSystem &system)
{
  return ((F * system.mesh().nodes).colwise() + Eigen::Vector3d(1, -2, 0.5)).reshaped();
}
}  // namespace

BOOST_AUTO_TEST_SUITE(solid_patch)

BOOST_AUTO_TEST_CASE(an_affine_motion_has_uniform_stress_and_no_force_inside)
{
  for (const ElementType type : element_types())
    for (const auto &material : materials()) BOOST_TEST_CONTEXT(shape_of(type).name << ", " << material)
      {
        const auto system = patch(type, material);
        const SolidMesh &mesh = system->mesh();
        State state = system->initial_state();
        state.q = affine(*system);
        Eigen::VectorXd gradient;
        system->gradient(state.q, gradient);
        std::vector<bool> is_inner(mesh.n_nodes(), true);
        for (const int node : mesh.boundary_nodes({})) is_inner[node] = false;
        double inner = 0, outer = 0;
        int n_inner = 0;
        for (int node = 0; node < mesh.n_nodes(); ++node)
        {
          double &largest = is_inner[node] ? inner : outer;
          largest = std::max(largest, gradient.segment<3>(3 * node).norm());
          n_inner += is_inner[node];
        }
        BOOST_TEST(n_inner > 0);
        BOOST_TEST(outer > 1e-3);
        // Sums of some hundred products of stresses of order 0.1 and areas of order 0.1.
        BOOST_TEST(inner < 1e-14);

        const double volume = system->diagonal_mass().sum() / 3 / system->settings().bodies[0].density;
        const double W = std::visit([](const auto &model) { return model.energy(F); }, system->settings().bodies[0].material);
        BOOST_TEST(system->energy_balance(state).internal == volume * W, tt::tolerance(1e-12));
        const Snapshot snapshot = system->snapshot(state, SnapshotGeometry::deformed);
        for (const auto &field : snapshot.cell_fields)
          if (field.name == "von_mises_stress" || field.name == "det_F" || field.name == "energy_density")
            for (const double value : field.values) BOOST_TEST_REQUIRE(value == field.values[0], tt::tolerance(1e-11));
      }
}

BOOST_AUTO_TEST_CASE(inner_nodes_find_the_affine_motion_of_the_boundary)
{
  // The patch test proper: held on the boundary, pushed off inside, Newton's method comes back.
  for (const ElementType type : element_types()) BOOST_TEST_CONTEXT(shape_of(type).name)
    {
      const auto system = patch(type, materials()[0]);
      const SolidMesh &mesh = system->mesh();
      const Eigen::VectorXd exact = affine(*system);
      std::vector<int> free;
      std::vector<bool> is_inner(mesh.n_nodes(), true);
      for (const int node : mesh.boundary_nodes({})) is_inner[node] = false;
      for (int node = 0; node < mesh.n_nodes(); ++node)
        for (int c = 0; c < 3 && is_inner[node]; ++c) free.push_back(3 * node + c);
      Eigen::VectorXd q = exact, gradient;
      for (const int dof : free) q[dof] += 0.01 * std::sin(dof);
      BOOST_TEST((q - exact).norm() > 0.01);
      Eigen::MatrixXd hessian;
      for (int iteration = 0; iteration < 8; ++iteration)
      {
        system->gradient(q, gradient);
        dense_hessian(*system, q, hessian);
        const Eigen::MatrixXd K = hessian(free, free);
        const Eigen::VectorXd f = gradient(free);
        q(free) -= K.ldlt().solve(f);
      }
      BOOST_TEST((q - exact).cwiseAbs().maxCoeff() < 1e-13);
    }
}

BOOST_AUTO_TEST_SUITE_END()
