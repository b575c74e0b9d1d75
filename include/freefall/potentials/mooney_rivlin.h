#pragma once

#include <freefall/potentials/deformation.h>
#include <freefall/potentials/lame_constants.h>

#include <Eigen/Core>

namespace freefall
{
/// Compressible Mooney-Rivlin solid, split into change of shape and of volume (Holzapfel, Nonlinear Solid Mechanics, chapter 6):
///
///   W(F) = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + K/2 (ln J)^2,
///
/// I1 = tr C = |F|^2, I2 = ((tr C)^2 - tr C^2) / 2 = |cof F|^2, C = F^T F. The volumetric part K/2 (ln J)^2 grows without bound
/// as J -> 0. From dI1 = 2 F, dI2 = 2 (I1 F - F C) and d ln J = F^-T = cof F / J follows the stress
///
///   P = 2 c10 J^(-2/3) F + 2 c01 J^(-4/3) (I1 F - F C) + (K ln J - 2/3 c10 J^(-2/3) I1 - 4/3 c01 J^(-4/3) I2) F^-T.
///
/// Shear modulus 2 (c10 + c01), which must be positive, and K > 0. Requires J > 0.
struct MooneyRivlin
{
  double c10 = 0;   ///< Pa
  double c01 = 0;   ///< Pa
  double bulk = 0;  ///< bulk modulus K, Pa

  /// Whether det F > 0 is required.
  static constexpr bool needs_positive_determinant = true;

  /// W, J/m3.
  double energy(const Eigen::Matrix3d &F) const;
  /// First Piola-Kirchhoff stress P = dW/dF, Pa.
  Eigen::Matrix3d stress(const Eigen::Matrix3d &F) const;
  /// d/de P(F + e A) at e = 0.
  Eigen::Matrix3d stress_derivative(const Eigen::Matrix3d &F, const Eigen::Matrix3d &A) const;
  /// d2/de2 P(F + e A) at e = 0.
  Eigen::Matrix3d second_stress_derivative(const Eigen::Matrix3d &F, const Eigen::Matrix3d &A) const;
  /// The constants of the linearisation at F = I.
  LameConstants linearised() const { return {bulk - 4. / 3 * (c10 + c01), 2 * (c10 + c01)}; }

  /// W in any type of number.
  template <typename T>
  T energy(const Deformation<T> &deformation) const
  {
    T cofactor[9];
    deformation.cofactor(cofactor);
    const T log_J = fast_log1p(T(deformation.J - T(1)));
    const T scale = exponential(T(T(-2. / 3) * log_J));
    const T I1 = contract(deformation.F, deformation.F), I2 = contract(cofactor, cofactor);
    return T(c10) * (scale * I1 - T(3)) + T(c01) * (scale * scale * I2 - T(3)) + T(bulk / 2) * log_J * log_J;
  }

  /// P, row-major.
  template <typename T>
  void stress(const Deformation<T> &deformation, T *P) const
  {
    const T *F = deformation.F;
    T cofactor[9], C[9];
    deformation.cofactor(cofactor);
    deformation.right_cauchy_green(C);
    const T log_J = fast_log1p(T(deformation.J - T(1)));
    const T scale = exponential(T(T(-2. / 3) * log_J));
    const T I1 = C[0] + C[4] + C[8], I2 = contract(cofactor, cofactor);
    const T first = T(2 * c10) * scale, second = T(2 * c01) * scale * scale;
    const T pressure = (T(bulk) * log_J - T(1. / 3) * first * I1 - T(2. / 3) * second * I2) / deformation.J;
    const T of_F = first + second * I1;
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k)
        P[3 * c + k] = of_F * F[3 * c + k] + pressure * cofactor[3 * c + k] -
                       second * (F[3 * c] * C[k] + F[3 * c + 1] * C[3 + k] + F[3 * c + 2] * C[6 + k]);
  }
};
}  // namespace freefall
