#include <fmt/format.h>
#include <Eigen/SparseCholesky>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "solid_from_parameters.h"

using namespace freefall;
namespace tt = boost::test_tools;

namespace
{
using Sparse = Eigen::SparseMatrix<double>;

Sparse stiffness(const SolidSystem &system)
{
  const Eigen::VectorXd &q = system.initial_state().q;
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto &family : system.terms())
  {
    const int n = family->dofs_per_term();
    std::vector<double> x(n), hessian(n * n);
    for (int term = 0; term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      for (int a = 0; a < n; ++a) x[a] = q[dofs[a]];
      family->hessian(term, x.data(), hessian.data());
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) entries.emplace_back(dofs[a], dofs[b], hessian[a * n + b]);
    }
  }
  Sparse K(system.n_dofs(), system.n_dofs());
  K.setFromTriplets(entries.begin(), entries.end());
  return K;
}

Sparse mass(const SolidSystem &system)
{
  std::vector<Eigen::Triplet<double>> entries;
  for (int dof = 0; dof < system.n_dofs(); ++dof)
  {
    if (system.mass_is_diagonal())
    {
      entries.emplace_back(dof, dof, system.diagonal_mass()[dof]);
      continue;
    }
    const Eigen::VectorXd column = system.apply_mass(Eigen::VectorXd::Unit(system.n_dofs(), dof));
    for (int row = 0; row < system.n_dofs(); ++row)
      if (column[row] != 0) entries.emplace_back(row, dof, column[row]);
  }
  Sparse M(system.n_dofs(), system.n_dofs());
  M.setFromTriplets(entries.begin(), entries.end());
  return M;
}

/// The frequency of the mode like `shape`, rad/s: inverse iteration with Rayleigh's quotient as shift.
double frequency(const SolidSystem &system, Eigen::VectorXd shape)
{
  const Sparse K = stiffness(system), M = mass(system);
  const Eigen::VectorXd start = shape;
  double square = 0;
  for (int iteration = 0; iteration < 12; ++iteration)
  {
    shape /= std::sqrt(shape.dot(M * shape));
    const double last = square;
    square = shape.dot(K * shape);
    if (std::abs(square - last) < 1e-13 * square) break;
    Eigen::SimplicialLDLT<Sparse> shifted(K - square * M);
    const Eigen::VectorXd next = shifted.solve(M * shape);
    if (!next.allFinite()) break;  // the shift is an eigenvalue to the last bit
    shape = next;
  }
  shape /= std::sqrt(shape.dot(M * shape));
  // Still the mode that was asked for.
  const double overlap = std::abs(shape.dot(M * start)) / std::sqrt(start.dot(M * start));
  BOOST_TEST(overlap > 0.9);
  return std::sqrt(square);
}

/// Young's modulus 1 Pa, Poisson's ratio 0, density 1 kg/m3: waves along the bar travel at 1 m/s, in three dimensions too.
std::unique_ptr<SolidSystem> bar(ElementType type, bool lumped, const Eigen::Vector3d &size, const Eigen::Vector3i &n)
{
  return solid_from(fmt::format(
    "subsection Body bar\nsubsection Mesh\nset Element = {}\nset Size = {}, {}, {}\nset Subdivisions = {}, {}, {}\nset "
    "Cut = 5\nend\nsubsection Material\nset Model = linear elastic\nset Young modulus = 1\nset Poisson ratio = 0\nset "
    "Density = 1\nend\nend\nsubsection Finite elements\nset Mass = {}\nend\n",
    shape_of(type).name, size[0], size[1], size[2], n[0], n[1], n[2], lumped ? "lumped" : "consistent"));
}

template <typename Displacement>
Eigen::VectorXd nodal(const SolidSystem &system, const Displacement &displacement)
{
  Eigen::VectorXd u(system.n_dofs());
  for (int node = 0; node < system.mesh().n_nodes(); ++node)
    u.segment<3>(3 * node) = displacement(system.mesh().nodes.col(node));
  return u;
}

/// The lowest bending frequency of a free Timoshenko beam of length 1 and unit E and density: the root of the determinant of
/// moment and shear force at the far end, found by shooting from the near one.
double timoshenko(double height)
{
  // Per unit width: E I, kappa G A, rho A, rho I; kappa = 5/6 for a rectangle and nu = 0 (Cowper 1966), G = E / 2.
  const double A = height, I = std::pow(height, 3) / 12, shear = 5. / 6 * 0.5 * A;
  using Vector = Eigen::Vector4d;  // deflection, rotation, moment, shear force
  const auto determinant = [&](double omega)
  {
    const auto slope = [&](const Vector &y)
    { return Vector(y[1] + y[3] / shear, y[2] / I, -y[3] - omega * omega * I * y[1], -omega * omega * A * y[0]); };
    Eigen::Matrix2d end;
    for (int k = 0; k < 2; ++k)
    {
      Vector y = Vector::Unit(k);
      constexpr int n = 1000;
      for (int i = 0; i < n; ++i)
      {
        const double h = 1. / n;
        const Vector k1 = slope(y), k2 = slope(y + h / 2 * k1), k3 = slope(y + h / 2 * k2), k4 = slope(y + h * k3);
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      }
      end.col(k) = y.tail<2>();
    }
    return end(0, 0) * end(1, 1) - end(0, 1) * end(1, 0);
  };
  const double euler = 4.730040745 * 4.730040745 * std::sqrt(I / A);
  double lower = 0.5 * euler, upper = euler;
  BOOST_TEST_REQUIRE(determinant(lower) * determinant(upper) < 0);
  for (int i = 0; i < 60; ++i)
  {
    const double middle = (lower + upper) / 2;
    (determinant(lower) * determinant(middle) <= 0 ? upper : lower) = middle;
  }
  return lower;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(solid_frequencies)

BOOST_AUTO_TEST_CASE(bar_frequencies_converge_with_the_order_of_the_element)
{
  // The first longitudinal mode cos(pi x) of a free bar, omega = pi. Frequencies converge with twice the degree; the scaled
  // diagonal of quadratic tetrahedra, which is no quadrature of degree two, leaves order two (Cohen et al. 2001), while that of
  // hexahedra is Simpson's rule and keeps four.
  for (const ElementType type : element_types())
    for (const bool lumped : {false, true})
    {
      const double order = shape_of(type).is_quadratic && !(lumped && type == ElementType::tet10) ? 4 : 2;
      const auto error = [&](int n)
      {
        const auto system = bar(type, lumped, {1, 1. / n, 1. / n}, {n, 1, 1});
        const auto shape =
          nodal(*system, [](const Eigen::Vector3d &x) { return Eigen::Vector3d(std::cos(M_PI * x[0]), 0, 0); });
        return frequency(*system, shape) / M_PI - 1;
      };
      const int n = shape_of(type).is_quadratic ? 6 : 12;
      const double coarse = error(n), fine = error(2 * n);
      BOOST_TEST_MESSAGE(shape_of(type).name << (lumped ? ", lumped: " : ", consistent: ") << coarse << " " << fine
                                             << ", order " << std::log2(coarse / fine));
      BOOST_TEST_CONTEXT(shape_of(type).name << (lumped ? ", lumped" : ", consistent"))
      {
        // A consistent mass bounds frequencies from above; what is wrong with a lumped one is of the same size.
        if (!lumped) BOOST_TEST(fine > 0);
        BOOST_TEST(std::abs(coarse) < 0.03);
        BOOST_TEST(std::log2(coarse / fine) == order, tt::tolerance(0.1));
      }
    }
}

BOOST_AUTO_TEST_CASE(beam_frequencies_converge_to_that_of_timoshenko)
{
  // Bending in z of a beam 1 x 0.05 x 0.1. Timoshenko's value itself is good to about 1e-4 for the first mode.
  const double exact = timoshenko(0.1);
  const double euler = 4.730040745 * 4.730040745 * 0.1 / std::sqrt(12.0);
  BOOST_TEST(exact < 0.985 * euler);  // shear and rotary inertia matter
  for (const ElementType type : element_types())
  {
    const auto error = [&](int n, int m)
    {
      const auto system = bar(type, false, {1, 0.05, 0.1}, {n, 1, m});
      const auto shape =
        nodal(*system,
              [&](const Eigen::Vector3d &x)
              {
                const double k = 4.730040745, s = x[0], sigma = 0.982502215;
                const double w = std::cosh(k * s) + std::cos(k * s) - sigma * (std::sinh(k * s) + std::sin(k * s));
                const double slope = k * (std::sinh(k * s) - std::sin(k * s) - sigma * (std::cosh(k * s) + std::cos(k * s)));
                return Eigen::Vector3d(-(x[2] - 0.05) * slope, 0, w);
              });
      return frequency(*system, shape) / exact - 1;
    };
    const bool quadratic = shape_of(type).is_quadratic;
    const double coarse = quadratic ? error(8, 1) : error(20, 2), fine = quadratic ? error(16, 1) : error(40, 4);
    BOOST_TEST_MESSAGE(shape_of(type).name << ": " << coarse << " " << fine);
    BOOST_TEST_CONTEXT(shape_of(type).name)
    {
      BOOST_TEST(coarse > fine);
      if (quadratic)
        BOOST_TEST(std::abs(fine) < 3e-3);
      else
        BOOST_TEST(std::log2(coarse / fine) == 2, tt::tolerance(0.2));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
