#pragma once

#include <freefall/potentials/deformation.h>
#include <freefall/potentials/lame_constants.h>

#include <Eigen/Core>

namespace freefall
{
/// Saint Venant-Kirchhoff solid: linear elasticity in Green's strain (Ciarlet, Mathematical Elasticity I, section 4.4),
///
///   W(F) = lambda/2 (tr E)^2 + mu E : E,   E = (F^T F - I) / 2.
///
/// Valid for large rotations but moderate strains: in compression it softens (uniaxially below the stretch 1/sqrt(3)) and
/// nothing resists det F -> 0. The formula itself is a polynomial; elements require det F > 0 all the same, since an inverted
/// element means nothing. Positive definite for mu > 0, 3 lambda + 2 mu > 0.
struct SaintVenantKirchhoff
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
    T E[9];
    strain(deformation, E);
    const T trace = E[0] + E[4] + E[8];
    return T(lambda / 2) * trace * trace + T(mu) * contract(E, E);
  }

  /// P, row-major.
  template <typename T>
  void stress(const Deformation<T> &deformation, T *P) const
  {
    T E[9];
    strain(deformation, E);
    const T pressure = T(lambda) * (E[0] + E[4] + E[8]);
    const T *F = deformation.F;
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k)
        P[3 * c + k] =
          F[3 * c + k] * pressure + T(2 * mu) * (F[3 * c] * E[k] + F[3 * c + 1] * E[3 + k] + F[3 * c + 2] * E[6 + k]);
  }

private:
  /// E = (H + H^T + H^T H) / 2 with H = F - I, row-major: small strains keep their digits.
  template <typename T>
  static void strain(const Deformation<T> &deformation, T *E)
  {
    T H[9];
    for (int k = 0; k < 9; ++k) H[k] = k % 4 == 0 ? T(deformation.F[k] - T(1)) : deformation.F[k];
    for (int k = 0; k < 3; ++k)
      for (int l = k; l < 3; ++l)
        E[3 * k + l] = E[3 * l + k] =
          T(0.5) * (H[3 * k + l] + H[3 * l + k] + H[k] * H[l] + H[3 + k] * H[3 + l] + H[6 + k] * H[6 + l]);
  }
};
}  // namespace freefall
