#pragma once

#include <freefall/potentials/linear_elastic.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <type_traits>

namespace freefall
{
/// The stress of energy-momentum methods between two deformations of a hyperelastic material (Gonzalez 2000):
///
///   P = (F0 + F1)/2 S,   S = S(Cm) + 2 (W1 - W0 - S(Cm) : dC/2) dC / |dC|^2,   Cm = (C0 + C1)/2,   dC = C1 - C0.
///
/// Guarantees: P : (F1 - F0) = W(F1) - W(F0) to rounding; P(F, F) = dW/dF; symmetric in F0 and F1; S is symmetric, so that the
/// force of an element has no torque about its midpoint positions. The quotient never divides a rounding error by a small number:
/// for small dC the energies' difference is the integral of S : dC/2 by Gauss's rule, whose error is of order |dC|^7.
///
/// Requires det F0, det F1 > 0 where the material does.
template <typename Material>
Eigen::Matrix3d discrete_stress(const Material &material, const Eigen::Matrix3d &F0, const Eigen::Matrix3d &F1)
{
  const Eigen::Matrix3d middle = 0.5 * (F0 + F1);
  // Quadratic in F, and not a function of C.
  if constexpr (std::is_same_v<Material, LinearElastic>) return material.stress(middle);

  // S(C) from P = F S at F = L^T, C = L L^T: any F of this C gives the same S.
  const auto second_stress = [&](const Eigen::Matrix3d &C) -> Eigen::Matrix3d
  {
    const Eigen::Matrix3d F = C.llt().matrixU();
    return F.inverse() * material.stress(F);
  };
  const Eigen::Matrix3d C0 = F0.transpose() * F0, C1 = F1.transpose() * F1;
  const Eigen::Matrix3d mean = 0.5 * (C0 + C1);
  // Products of sums and differences: C1 - C0 without cancellation.
  const Eigen::Matrix3d half = middle.transpose() * (F1 - F0), dC = half + half.transpose();
  Eigen::Matrix3d S = second_stress(mean);
  const double size = dC.norm(), work = 0.5 * S.cwiseProduct(dC).sum();
  if (size == 0) return middle * S;
  double excess;
  if (size < 0.01)
  {
    const double node = std::sqrt(0.15);
    const double outer = 0.5 * (second_stress(mean - node * dC) + second_stress(mean + node * dC)).cwiseProduct(dC).sum();
    excess = 5. / 18 * (outer - 2 * work);
  }
  else
    excess = material.energy(F1) - material.energy(F0) - work;
  S += 2 * excess / (size * size) * dC;
  return middle * (0.5 * (S + S.transpose()));
}
}  // namespace freefall
