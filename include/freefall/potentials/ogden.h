#pragma once

#include <freefall/potentials/deformation.h>
#include <freefall/potentials/lame_constants.h>
#include <freefall/potentials/spectrum.h>

#include <Eigen/Core>
#include <vector>

namespace freefall
{
/// Compressible Ogden solid with any number of terms (Ogden 1972, in the split form of Holzapfel, Nonlinear Solid Mechanics,
/// chapter 6), by the principal stretches l_1, l_2, l_3 of F:
///
///   W(F) = sum_p mu_p/alpha_p (J^(-alpha_p/3) (l_1^alpha_p + l_2^alpha_p + l_3^alpha_p) - 3) + K/2 (ln J)^2.
///
/// With C = F^T F the sum of powers is tr C^(alpha/2), hence, without any case for coincident stretches,
///
///   P = F (sum_p mu_p J^(-alpha_p/3) (C^(alpha_p/2 - 1) - 1/3 tr C^(alpha_p/2) C^-1)) + K ln J F^-T.
///
/// Shear modulus sum_p mu_p alpha_p / 2, which must be positive, and K > 0. alpha = 2 with mu = 2 c10 and alpha = -2 with
/// mu = -2 c01 is MooneyRivlin. Requires J > 0.
struct Ogden
{
  /// One term; the exponent has no unit.
  struct Term
  {
    double mu;     ///< Pa
    double alpha;  ///< not zero, at most max_exponent in size
  };
  static constexpr double max_exponent = 40;

  std::vector<Term> terms;
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
  LameConstants linearised() const
  {
    double twice_mu = 0;
    for (const Term &term : terms) twice_mu += term.mu * term.alpha;
    return {bulk - twice_mu / 3, twice_mu / 2};
  }

  /// W in any type of number.
  template <typename T>
  T energy(const Deformation<T> &deformation) const
  {
    T C[9];
    deformation.right_cauchy_green(C);
    const Spectrum<T> spectrum(C);
    const T log_J = fast_log1p(T(deformation.J - T(1)));
    T sum = T(bulk / 2) * log_J * log_J;
    for (const Term &term : terms)
      sum = sum + T(term.mu / term.alpha) *
                    (exponential(T(T(-term.alpha / 3) * log_J)) * spectrum.trace_of_power(term.alpha / 2) - T(3));
    return sum;
  }

  /// P, row-major; T = double, Batch, Tangent<double> or Taylor<double>.
  template <typename T>
  void stress(const Deformation<T> &deformation, T *P) const
  {
    const T *F = deformation.F;
    T C[9], cofactor[9], S[9], power[9];
    deformation.right_cauchy_green(C);
    deformation.cofactor(cofactor);
    const Spectrum<T> spectrum(C);
    const T log_J = fast_log1p(T(deformation.J - T(1)));
    T pressure = T(bulk) * log_J;
    for (T &entry : S) entry = T(0);
    for (const Term &term : terms)
    {
      spectrum.power(term.alpha / 2 - 1, power);
      const T scale = T(term.mu) * exponential(T(T(-term.alpha / 3) * log_J));
      pressure = pressure - T(1. / 3) * scale * contract(power, C);
      for (int k = 0; k < 9; ++k) S[k] = S[k] + scale * power[k];
    }
    pressure = pressure / deformation.J;
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k < 3; ++k)
        P[3 * c + k] = pressure * cofactor[3 * c + k] + F[3 * c] * S[k] + F[3 * c + 1] * S[3 + k] + F[3 * c + 2] * S[6 + k];
  }
};
}  // namespace freefall
