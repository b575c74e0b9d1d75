#pragma once

#include <freefall/potentials/deformation.h>
#include <freefall/potentials/lame_constants.h>

#include <Eigen/Core>

namespace freefall
{
/// Isotropic linear elasticity of small strains:
///
///   W(F) = lambda/2 (tr e)^2 + mu e : e,   e = sym(F - I).
///
/// Valid for small displacement gradients: e does not vanish under a finite rotation, so the energy is not frame indifferent
/// and angular momentum is only conserved as far as rotations stay small. Defined for every F, also with det F <= 0. Positive
/// definite for mu > 0, 3 lambda + 2 mu > 0.
struct LinearElastic
{
  double lambda = 0;  ///< Lame's first constant, Pa
  double mu = 0;      ///< shear modulus, Pa

  /// Whether det F > 0 is required.
  static constexpr bool needs_positive_determinant = false;

  /// W, J/m3.
  double energy(const Eigen::Matrix3d &F) const;
  /// First Piola-Kirchhoff stress P = dW/dF, Pa.
  Eigen::Matrix3d stress(const Eigen::Matrix3d &F) const;
  /// d/de P(F + e A) at e = 0.
  Eigen::Matrix3d stress_derivative(const Eigen::Matrix3d &F, const Eigen::Matrix3d &A) const;
  /// d2/de2 P(F + e A) at e = 0.
  Eigen::Matrix3d second_stress_derivative(const Eigen::Matrix3d &F, const Eigen::Matrix3d &A) const;
  /// The constants of the linearisation at F = I.
  LameConstants linearised() const { return {lambda, mu}; }

  /// W in any type of number.
  template <typename T>
  T energy(const Deformation<T> &deformation) const
  {
    T e[9];
    strain(deformation, e);
    const T trace = e[0] + e[4] + e[8];
    return T(lambda / 2) * trace * trace + T(mu) * contract(e, e);
  }

  /// P, row-major.
  template <typename T>
  void stress(const Deformation<T> &deformation, T *P) const
  {
    T e[9];
    strain(deformation, e);
    const T pressure = T(lambda) * (e[0] + e[4] + e[8]);
    for (int k = 0; k < 9; ++k) P[k] = T(2 * mu) * e[k];
    for (int k = 0; k < 9; k += 4) P[k] = P[k] + pressure;
  }

private:
  /// e = sym(F - I), row-major.
  template <typename T>
  static void strain(const Deformation<T> &deformation, T *e)
  {
    const T *F = deformation.F;
    for (int c = 0; c < 3; ++c)
    {
      e[4 * c] = F[4 * c] - T(1);
      for (int k = c + 1; k < 3; ++k) e[3 * c + k] = e[3 * k + c] = T(0.5) * (F[3 * c + k] + F[3 * k + c]);
    }
  }
};
}  // namespace freefall
