#include <freefall/core/errors.h>
#include <freefall/potentials/viscous_elements.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <utility>

namespace freefall
{
namespace
{
/// Triquadratic hexahedra are the largest elements.
constexpr int max_nodes = 27;
using Nodes = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::ColMajor, 3, max_nodes>;

/// grad N_a in column a.
Nodes shape_gradients(const ElementGeometry &geometry, std::size_t element, int point)
{
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  const Eigen::Map<const Eigen::Matrix3Xd> unit(geometry.unit_gradients.data() + 3 * geometry.n_nodes * point, 3,
                                                geometry.n_nodes);
  const Eigen::Map<const RowMajor> inverse(geometry.inverse_jacobians.data() + 9 * (element * geometry.n_points + point));
  return inverse.transpose() * unit;
}
}  // namespace

ViscousElements::ViscousElements(const Viscosity &viscosity,
                                 ElementGeometry geometry,
                                 std::vector<int> connectivity,
                                 const std::vector<double> &node_mass)
  : viscosity_(viscosity), geometry_(std::move(geometry)), connectivity_(std::move(connectivity))
{
  if (!(viscosity.mu >= 0) || !(3 * viscosity.lambda + 2 * viscosity.mu >= 0))
    throw InputError("damping: the viscosities must satisfy mu >= 0 and 3 lambda + 2 mu >= 0, else damping creates energy");
  // E'.S <= max(2 mu, 3 lambda + 2 mu) |E'|^2 <= ... |F'|^2 at F = 1, and |F'|^2 <= |sum_a g_a g_a^T| sum_a |v_a|^2.
  const double modulus = std::max(2 * viscosity.mu, 3 * viscosity.lambda + 2 * viscosity.mu);
  const int n = geometry_.n_nodes;
  for (int e = 0; e < geometry_.n_elements(); ++e)
  {
    double stiffness = 0;
    for (int p = 0; p < geometry_.n_points; ++p)
    {
      const Nodes g = shape_gradients(geometry_, e, p);
      const Eigen::Matrix3d square = g * g.transpose();
      stiffness += geometry_.weights[std::size_t(e) * geometry_.n_points + p] * modulus *
                   Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(square, Eigen::EigenvaluesOnly).eigenvalues()[2];
    }
    const auto first = node_mass.begin() + std::size_t(e) * n;
    rates_.push_back(stiffness / *std::min_element(first, first + n));
  }
}

double ViscousElements::add_forces(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &forces) const
{
  const int n = geometry_.n_nodes;
  double fastest = 0;
  Nodes x(3, n), rate(3, n);
  for (int e = 0; e < geometry_.n_elements(); ++e)
  {
    const int *nodes = connectivity_.data() + std::size_t(e) * n;
    for (int a = 0; a < n; ++a)
    {
      x.col(a) = q.segment<3>(3 * nodes[a]);
      rate.col(a) = v.segment<3>(3 * nodes[a]);
    }
    double stretch = 0;  // bounds |F^T F|
    for (int p = 0; p < geometry_.n_points; ++p)
    {
      const Nodes g = shape_gradients(geometry_, e, p);
      const Eigen::Matrix3d F = x * g.transpose(), F_rate = rate * g.transpose(), half = F.transpose() * F_rate;
      const Eigen::Matrix3d E_rate = 0.5 * (half + half.transpose());
      const double weight = geometry_.weights[std::size_t(e) * geometry_.n_points + p];
      const Eigen::Matrix3d S =
        viscosity_.lambda * E_rate.trace() * Eigen::Matrix3d::Identity() + 2 * viscosity_.mu * E_rate;
      const Nodes f = weight * (F * S) * g;
      for (int a = 0; a < n; ++a) forces.segment<3>(3 * nodes[a]) += f.col(a);
      stretch = std::max(stretch, (F.transpose() * F).cwiseAbs().rowwise().sum().maxCoeff());
    }
    fastest = std::max(fastest, rates_[e] * stretch);
  }
  return fastest;
}
}  // namespace freefall
