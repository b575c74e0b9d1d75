#pragma once

#include <freefall/core/simd.h>
#include <freefall/potentials/lame_constants.h>

#include <Eigen/Core>

namespace freefall
{
template <typename T>
struct Deformation;

/// Compressible neo-Hookean solid, GSO (74), shifted so that the undeformed solid has no energy:
///
///   W(F) = lambda/2 (ln J)^2 - mu ln J + mu/2 (tr F^T F - 3),   J = det F > 0.
///
/// All functions require J > 0. The second and third derivatives are exact.
struct NeoHookean
{
  double lambda = 0;  ///< Lame's first constant, Pa
  double mu = 0;      ///< shear modulus, Pa

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
  LameConstants linearised() const { return {lambda, mu}; }

  /// W in any type of number.
  template <typename T>
  T energy(const Deformation<T> &deformation) const
  {
    const T *F = deformation.F;
    T trace = F[0] * F[0];
    for (int k = 1; k < 9; ++k) trace = trace + F[k] * F[k];
    return energy(deformation.J, trace);
  }

  /// P, row-major.
  template <typename T>
  void stress(const Deformation<T> &deformation, T *P) const
  {
    T cofactor[9];
    deformation.cofactor(cofactor);
    const T factor = cofactor_stress(deformation.J);
    for (int k = 0; k < 9; ++k) P[k] = factor * cofactor[k] + T(mu) * deformation.F[k];
  }

  /// W from J and tr F^T F.
  template <typename T>
  T energy(const T &J, const T &trace) const
  {
    const T log_J = fast_log1p(T(J - T(1)));
    return log_J * (T(lambda / 2) * log_J - T(mu)) + T(mu / 2) * (trace - T(3));
  }

  /// P = factor * cof F + mu F: returns the factor (lambda ln J - mu) / J.
  template <typename T>
  T cofactor_stress(const T &J) const
  {
    return (T(lambda) * fast_log1p(T(J - T(1))) - T(mu)) / J;
  }

  /// W(F + A) - W(F) for a rank-one A: J grows by A_J, tr F^T F by 2 * half_trace.
  ///
  /// det is linear along a rank-one line, so ln J grows by log1p(A_J / J): no large energies are subtracted.
  template <typename T>
  T difference(const T &J, const T &A_J, const T &half_trace) const
  {
    const T log_J = fast_log1p(T(J - T(1)));
    const T d = fast_log1p_of_ratio(A_J, J);
    return T(lambda) * d * (log_J + T(0.5) * d) - T(mu) * d + T(mu) * half_trace;
  }

  /// Mixed difference of W for two rank-one increments: J at the four corners is J, J + A, J + B, J + A + B + AB, and
  /// `half_trace` is half the mixed difference of tr F^T F.
  template <typename T>
  T mixed_difference(const T &J, const T &A, const T &B, const T &AB, const T &half_trace) const
  {
    const T log_J = fast_log1p(T(J - T(1)));
    const T a = fast_log1p_of_ratio(A, J);
    const T b = fast_log1p_of_ratio(B, J);
    const T m = fast_log1p_of_ratio(T(AB * J - A * B), T((J + A) * (J + B)));
    return T(lambda) * (a * b + m * (log_J + a + b + T(0.5) * m)) - T(mu) * m + T(mu) * half_trace;
  }
};
}  // namespace freefall
