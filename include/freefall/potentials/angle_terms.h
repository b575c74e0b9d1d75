#pragma once

#include <freefall/potentials/discrete_gradient.h>
#include <freefall/potentials/smooth_terms.h>

#include <string>
#include <vector>

namespace freefall
{
/// Angles at a point: V_e = k/2 (theta - theta0)^2, theta in [0, pi] the angle at `vertex` between its two neighbours.
///
/// Requires: dim 2 or 3. Three points in line (theta = 0 or pi, where theta has no derivative) are outside the domain.
/// x holds the coordinates of `first`, `vertex` and `second`.
/// The discrete gradient works on the invariants |a|^2, |b|^2 and a.b of a = first - vertex, b = second - vertex, and so keeps
/// energy and both momenta.
template <int dim>
class AngleTerms final : public SmoothTerms<AngleTerms<dim>, 3 * dim>, public TermsWithDiscreteGradient
{
public:
  struct Term
  {
    int first, vertex, second;
    double stiffness;   ///< k, energy / rad^2
    double rest_angle;  ///< theta0, rad
  };

  explicit AngleTerms(const std::vector<Term> &terms);

  std::string kind() const override { return "angle"; }
  int n_terms() const override { return static_cast<int>(terms_.size()); }
  Span<const int> dofs(int term) const override { return {dofs_.data() + 3 * dim * term, 3 * dim}; }
  void discrete_gradient(int term, const double *x0, const double *x1, double *gradient) const override;

  template <typename T>
  T evaluate(int term, const T *x) const
  {
    std::array<T, dim> a, b;
    for (int axis = 0; axis < dim; ++axis)
    {
      a[axis] = x[axis] - x[dim + axis];
      b[axis] = x[2 * dim + axis] - x[dim + axis];
    }
    T dot = a[0] * b[0];
    for (int axis = 1; axis < dim; ++axis) dot = dot + a[axis] * b[axis];
    T cross_squared(0.);
    for (int i = 0; i < dim; ++i)
      for (int j = i + 1; j < dim; ++j)
      {
        const T component = a[i] * b[j] - a[j] * b[i];
        cross_squared = cross_squared + component * component;
      }
    return energy_of(term, cross_squared, dot);
  }
  void check(int term, const double *x) const;

private:
  /// From |a x b|^2 and a.b.
  template <typename T>
  T energy_of(int term, const T &cross_squared, const T &dot) const
  {
    using std::atan2;
    using std::sqrt;
    const T deviation = atan2(sqrt(cross_squared), dot) - terms_[term].rest_angle;
    return 0.5 * terms_[term].stiffness * (deviation * deviation);
  }

  std::vector<Term> terms_;
  std::vector<int> dofs_;
};
}  // namespace freefall
