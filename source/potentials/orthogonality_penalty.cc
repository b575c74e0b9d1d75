#include <freefall/potentials/orthogonality_penalty.h>

#include <Eigen/Core>
#include <numeric>

namespace freefall
{
namespace
{
using Map = Eigen::Map<const Eigen::Matrix3d>;
}

OrthogonalityPenalty::OrthogonalityPenalty(double omega) : stiffness_(omega * omega), dofs_(9)
{
  std::iota(dofs_.begin(), dofs_.end(), 0);
}

void OrthogonalityPenalty::gradient(int, const double *x, double *gradient) const
{
  const Map R(x);
  const Eigen::Matrix3d excess = R.transpose() * R - Eigen::Matrix3d::Identity();
  Eigen::Map<Eigen::Matrix3d> result(gradient);
  result.noalias() = 2 * stiffness_ * R * excess;
}

void OrthogonalityPenalty::hessian(int, const double *x, double *hessian) const
{
  const Map R(x);
  const Eigen::Matrix3d inner = R.transpose() * R, outer = R * R.transpose();
  // The entry of a = e_k e_l^T in row i and column j of a R^T R + R a^T R + R R^T a - a.
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      for (int l = 0; l < 3; ++l)
        for (int k = 0; k < 3; ++k)
        {
          double entry = R(i, l) * R(k, j);
          if (i == k) entry += inner(l, j) - (j == l ? 1 : 0);
          if (j == l) entry += outer(i, k);
          hessian[9 * (3 * j + i) + 3 * l + k] = 2 * stiffness_ * entry;
        }
}

void OrthogonalityPenalty::third_derivative(int, const double *x, const double *direction, double *contraction) const
{
  const Map R(x), a(direction);
  Eigen::Map<Eigen::Matrix3d> result(contraction);
  result = 4 * stiffness_ * (a * a.transpose() * R + a * R.transpose() * a + R * a.transpose() * a);
}
}  // namespace freefall
