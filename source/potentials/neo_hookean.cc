#include <freefall/potentials/neo_hookean.h>

#include <Eigen/LU>

namespace freefall
{
using Eigen::Matrix3d;

double NeoHookean::energy(const Matrix3d &F) const { return energy<double>(F.determinant(), F.squaredNorm()); }

Matrix3d NeoHookean::stress(const Matrix3d &F) const
{
  const double J = F.determinant();
  return cofactor_stress(J) * J * F.inverse().transpose() + mu * F;
}

Matrix3d NeoHookean::stress_derivative(const Matrix3d &F, const Matrix3d &A) const
{
  // With G = F^-1 and L = ln J: dL = tr(G A), dG = -G A G, P = (lambda L - mu) G^T + mu F.
  const Matrix3d G = F.inverse();
  const Matrix3d GA = G * A;
  const double pressure = lambda * fast_log1p(F.determinant() - 1) - mu;
  return lambda * GA.trace() * G.transpose() - pressure * (GA * G).transpose() + mu * A;
}

Matrix3d NeoHookean::second_stress_derivative(const Matrix3d &F, const Matrix3d &A) const
{
  // d2L = -tr(G A G A), d2G = 2 G A G A G.
  const Matrix3d G = F.inverse();
  const Matrix3d GA = G * A;
  const Matrix3d dG = -GA * G;
  const double pressure = lambda * fast_log1p(F.determinant() - 1) - mu;
  return (-lambda * (GA * GA).trace() * G + 2 * lambda * GA.trace() * dG - 2 * pressure * GA * dG).transpose();
}
}  // namespace freefall
