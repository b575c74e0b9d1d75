#pragma once

namespace freefall
{
/// The two constants of isotropic linear elasticity, Pa: stress = lambda tr(e) I + 2 mu e for a small strain e.
struct LameConstants
{
  double lambda = 0;  ///< first constant
  double mu = 0;      ///< shear modulus

  /// K = lambda + 2/3 mu.
  double bulk_modulus() const { return lambda + 2. / 3 * mu; }
  double young_modulus() const { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }
  double poisson_ratio() const { return lambda / (2 * (lambda + mu)); }

  /// From Young's modulus E, Pa, and Poisson's ratio nu: lambda = E nu / ((1 + nu) (1 - 2 nu)), mu = E / (2 (1 + nu)).
  /// Throws InputError unless E > 0 and -1 < nu < 1/2, where the energy is positive definite.
  static LameConstants from_young(double young_modulus, double poisson_ratio);
};
}  // namespace freefall
