#pragma once

#include <freefall/core/taylor.h>
#include <freefall/potentials/deformation.h>

#include <Eigen/Core>

namespace freefall
{
/// The functions of a material on Eigen matrices, made from its two templates
///
///   T energy(const Deformation<T> &) const,   void stress(const Deformation<T> &, T *P) const   (P row-major).
///
/// Derivatives of the stress come from evaluating it in Tangent and Taylor numbers along F + e A: exact up to rounding.
namespace material_functions
{
inline Deformation<double> deformation(const Eigen::Matrix3d &F)
{
  Deformation<double> d;
  for (int k = 0; k < 9; ++k) d.F[k] = F(k / 3, k % 3);
  d.update_determinant();
  return d;
}

template <typename Material>
Eigen::Matrix3d stress(const Material &material, const Eigen::Matrix3d &F)
{
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> P;
  material.stress(deformation(F), P.data());
  return P;
}

/// P(F + e A) to the order of Number, row-major.
template <typename Number, typename Material>
void stress_along(const Material &material, const Eigen::Matrix3d &F, const Eigen::Matrix3d &A, Number *P)
{
  Deformation<Number> d;
  for (int k = 0; k < 9; ++k)
  {
    d.F[k] = Number(F(k / 3, k % 3));
    d.F[k].first = A(k / 3, k % 3);
  }
  d.update_determinant();
  material.stress(d, P);
}

template <typename Material>
Eigen::Matrix3d stress_derivative(const Material &material, const Eigen::Matrix3d &F, const Eigen::Matrix3d &A)
{
  Tangent<double> P[9];
  stress_along(material, F, A, P);
  Eigen::Matrix3d derivative;
  for (int k = 0; k < 9; ++k) derivative(k / 3, k % 3) = P[k].first;
  return derivative;
}

template <typename Material>
Eigen::Matrix3d second_stress_derivative(const Material &material, const Eigen::Matrix3d &F, const Eigen::Matrix3d &A)
{
  Taylor<double> P[9];
  stress_along(material, F, A, P);
  Eigen::Matrix3d derivative;
  for (int k = 0; k < 9; ++k) derivative(k / 3, k % 3) = P[k].second;
  return derivative;
}
}  // namespace material_functions
}  // namespace freefall
