#include <freefall/systems/fem/element_data.h>
#include <freefall/systems/fem/solid_system.h>

#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;
namespace tt = boost::test_tools;

// A deformation is chosen, the body force that holds it follows from the material, and what the elements make of that force is
// compared with the deformation.

namespace
{
using Sparse = Eigen::SparseMatrix<double>;

const NeoHookean material{1.5, 1};
constexpr double amplitude = 0.06;
/// Row c: the wave vector of component c of the displacement, 1/m.
const Eigen::Matrix3d waves = (Eigen::Matrix3d() << 1, 2, -1, /**/ -2, 1, 1.5, /**/ 1.5, -1, 2).finished();

double phase(int c, const Eigen::Vector3d &X) { return waves.row(c) * X + 0.4 * c; }

/// x(X) = X + 0.06 sin(k_c . X + phi_c) e_c: shears and stretches of up to 15 %.
Eigen::Vector3d motion(const Eigen::Vector3d &X)
{
  Eigen::Vector3d x = X;
  for (int c = 0; c < 3; ++c) x[c] += amplitude * std::sin(phase(c, X));
  return x;
}

Eigen::Matrix3d motion_gradient(const Eigen::Vector3d &X)
{
  Eigen::Matrix3d F = Eigen::Matrix3d::Identity();
  for (int c = 0; c < 3; ++c) F.row(c) += amplitude * std::cos(phase(c, X)) * waves.row(c);
  return F;
}

/// -Div P(F(X)) by the chain rule.
Eigen::Vector3d body_force(const Eigen::Vector3d &X)
{
  const Eigen::Matrix3d F = motion_gradient(X);
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  for (int j = 0; j < 3; ++j)
  {
    Eigen::Matrix3d dF;
    for (int c = 0; c < 3; ++c) dF.row(c) = -amplitude * std::sin(phase(c, X)) * waves(c, j) * waves.row(c);
    force -= material.stress_derivative(F, dF).col(j);
  }
  return force;
}

/// A unit cube of n^3 hexahedra, cut into tetrahedra where asked for, with all nodes moved by a smooth map: distorted and, of
/// quadratic elements, curved.
SolidSystem distorted_cube(ElementType type, int n)
{
  SolidBody body;
  body.name = "cube";
  body.mesh.element = type;
  body.mesh.box.subdivisions = {n, n, n};
  body.mesh.box.cut = HexahedronCut::five;
  body.material = material;
  body.density = 1;
  SolidSettings settings;
  settings.bodies = {body};
  SolidMesh mesh = mesh_of_bodies(settings);
  for (auto X : mesh.nodes.colwise())
    X += 0.04 * Eigen::Vector3d(std::sin(3 * X[1]), std::cos(3 * X[2]), std::sin(3 * X[0]));
  return SolidSystem(settings, std::move(mesh));
}

/// sum over the quadrature points of all elements of f(shape functions, their gradients, weight, nodes).
template <typename F>
void for_each_point(const SolidMesh &mesh, const F &f)
{
  const ElementData data = element_data(mesh, QuadratureRule::mass);
  const int n = mesh.nodes_per_cell();
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    for (int q = 0; q < data.n_points; ++q)
    {
      const std::size_t point = static_cast<std::size_t>(cell) * data.n_points + q;
      f(Eigen::Map<const Eigen::VectorXd>(data.shape_values.data() + q * n, n),
        Eigen::Map<const Eigen::Matrix3Xd>(data.shape_gradients.data() + 3 * point * n, 3, n), data.weights[point],
        mesh.cell_nodes(cell));
    }
}

/// Root mean squares of the errors of the motion and of its gradient.
struct Errors
{
  double motion, gradient;
};

/// Solves for the inner nodes with those of the boundary held where they belong, and compares.
Errors solve(ElementType type, int n)
{
  const SolidSystem system = distorted_cube(type, n);
  const SolidMesh &mesh = system.mesh();
  Eigen::VectorXd q(system.n_dofs()), load = Eigen::VectorXd::Zero(system.n_dofs());
  for (int node = 0; node < mesh.n_nodes(); ++node) q.segment<3>(3 * node) = motion(mesh.nodes.col(node));
  double volume = 0;
  for_each_point(mesh,
                 [&](const auto &N, const auto &, double weight, const auto &nodes)
                 {
                   Eigen::Vector3d X = Eigen::Vector3d::Zero();
                   for (int a = 0; a < N.size(); ++a) X += N[a] * mesh.nodes.col(nodes[a]);
                   const Eigen::Vector3d force = weight * body_force(X);
                   for (int a = 0; a < N.size(); ++a) load.segment<3>(3 * nodes[a]) += N[a] * force;
                   volume += weight;
                 });
  std::vector<bool> is_held(system.n_dofs(), false);
  for (const int node : mesh.boundary_nodes({}))
    for (int c = 0; c < 3; ++c) is_held[3 * node + c] = true;

  const LocalTerms &elements = *system.terms()[0];
  const int n_term = elements.dofs_per_term();
  Eigen::VectorXd residual;
  std::vector<double> hessian(n_term * n_term), x(n_term);
  double change = 1;
  for (int iteration = 0; change > 1e-10; ++iteration)
  {
    BOOST_TEST_REQUIRE(iteration < 8);
    system.gradient(q, residual);
    residual -= load;
    std::vector<Eigen::Triplet<double>> entries;
    for (int term = 0; term < elements.n_terms(); ++term)
    {
      const auto dofs = elements.dofs(term);
      for (int a = 0; a < n_term; ++a) x[a] = q[dofs[a]];
      elements.hessian(term, x.data(), hessian.data());
      for (int a = 0; a < n_term; ++a)
        for (int b = 0; b < n_term; ++b)
          if (!is_held[dofs[a]] && !is_held[dofs[b]]) entries.emplace_back(dofs[a], dofs[b], hessian[a * n_term + b]);
    }
    for (int dof = 0; dof < system.n_dofs(); ++dof)
      if (is_held[dof])
      {
        entries.emplace_back(dof, dof, 1);
        residual[dof] = 0;
      }
    Sparse K(system.n_dofs(), system.n_dofs());
    K.setFromTriplets(entries.begin(), entries.end());
    const Eigen::VectorXd correction = Eigen::SimplicialLDLT<Sparse>(K).solve(residual);
    q -= correction;
    change = correction.cwiseAbs().maxCoeff();
  }

  Errors squares{0, 0};
  for_each_point(mesh,
                 [&](const auto &N, const auto &gradients, double weight, const auto &nodes)
                 {
                   Eigen::Vector3d X = Eigen::Vector3d::Zero(), x_h = X;
                   Eigen::Matrix3d F_h = Eigen::Matrix3d::Zero();
                   for (int a = 0; a < N.size(); ++a)
                   {
                     const Eigen::Vector3d x_a = q.segment<3>(3 * nodes[a]);
                     X += N[a] * mesh.nodes.col(nodes[a]);
                     x_h += N[a] * x_a;
                     F_h += x_a * gradients.col(a).transpose();
                   }
                   squares.motion += weight * (x_h - motion(X)).squaredNorm();
                   squares.gradient += weight * (F_h - motion_gradient(X)).squaredNorm();
                 });
  return {std::sqrt(squares.motion / volume), std::sqrt(squares.gradient / volume)};
}
}  // namespace

BOOST_AUTO_TEST_SUITE(manufactured_solutions)

BOOST_AUTO_TEST_CASE(the_body_force_is_minus_the_divergence_of_the_stress)
{
  const Eigen::Vector3d X(0.3, 0.6, 0.2);
  const double h = 1e-5;
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  for (int j = 0; j < 3; ++j)
  {
    const Eigen::Vector3d step = h * Eigen::Vector3d::Unit(j);
    force -= (material.stress(motion_gradient(X + step)) - material.stress(motion_gradient(X - step))).col(j) / (2 * h);
  }
  BOOST_TEST(force.norm() > 0.1);
  BOOST_TEST((force - body_force(X)).norm() < 1e-8);  // h^2 and rounding / h
}

BOOST_AUTO_TEST_CASE(errors_fall_with_the_degree_of_the_element)
{
  // Of degree p: p + 1 for the motion, p for its gradient. Meshes this coarse are a tenth or two away from the limit.
  for (const ElementType type : element_types())
  {
    const bool is_quadratic = shape_of(type).is_quadratic;
    const int p = is_quadratic ? 2 : 1, n = is_quadratic ? 3 : 5;
    const Errors coarse = solve(type, n), fine = solve(type, 2 * n);
    const double of_motion = std::log2(coarse.motion / fine.motion), of_gradient = std::log2(coarse.gradient / fine.gradient);
    BOOST_TEST_MESSAGE(shape_of(type).name << ": motion " << fine.motion << ", order " << of_motion << "; gradient "
                                           << fine.gradient << ", order " << of_gradient);
    BOOST_TEST_CONTEXT(shape_of(type).name)
    {
      BOOST_TEST(std::abs(of_motion - (p + 1)) < 0.25);
      BOOST_TEST(std::abs(of_gradient - p) < 0.25);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
