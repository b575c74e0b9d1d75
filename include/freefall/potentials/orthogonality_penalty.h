#pragma once

#include <freefall/potentials/smooth_terms.h>

namespace freefall
{
/// What keeps the nine numbers of a 3x3 matrix R near a rotation (TO 4.5), R column by column as the dofs 0, ..., 8:
///
///   V = omega^2/2 tr (R^T R - I)^2
///   dV[a]         = 2 omega^2 tr (R (R^T R - I))^T a
///   Hess V a      = 2 omega^2 (a R^T R + R a^T R + R R^T a - a)          (as in TO 4.15)
///   a.V'''.a      = 4 omega^2 (a a^T R + a R^T a + R a^T a)
///
/// The last line is what the printed f of TO 4.5 has with a wrong sign and wrong transposes.
class OrthogonalityPenalty final : public SmoothTerms<OrthogonalityPenalty, 9>
{
public:
  /// omega^2 has the units of energy.
  explicit OrthogonalityPenalty(double omega);

  std::string kind() const override { return "orthogonality penalty"; }
  int n_terms() const override { return 1; }
  Span<const int> dofs(int) const override { return dofs_; }

  void gradient(int, const double *x, double *gradient) const override;
  void hessian(int, const double *x, double *hessian) const override;
  void third_derivative(int, const double *x, const double *direction, double *contraction) const override;

  void check(int, const double *) const {}
  template <typename T>
  T evaluate(int, const T *x) const
  {
    T sum(0.);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j)
      {
        const T excess = x[3 * i] * x[3 * j] + x[3 * i + 1] * x[3 * j + 1] + x[3 * i + 2] * x[3 * j + 2] - T(i == j ? 1. : 0.);
        sum = sum + T(i == j ? 1. : 2.) * excess * excess;
      }
    return T(stiffness_ / 2) * sum;
  }

private:
  double stiffness_;  ///< omega^2
  std::vector<int> dofs_;
};
}  // namespace freefall
