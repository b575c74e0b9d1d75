#pragma once

#include <freefall/core/dual.h>
#include <freefall/core/increment.h>
#include <freefall/core/inverse_root.h>

/// Energies of two points as functions of the square of their distance, u = r^2.
///
/// Each law is one formula, evaluated with doubles for the energy, with duals for derivatives, with increments for differences
/// and with SIMD batches for many pairs at once.
namespace freefall::laws
{
/// phi(r) = k/2 (r - r0)^2. Smooth at r = 0 only for r0 = 0.
struct HarmonicBond
{
  double stiffness;    ///< k, energy / length^2
  double rest_length;  ///< r0

  template <typename T>
  T operator()(const T &u) const
  {
    using std::sqrt;
    if (rest_length == 0) return 0.5 * stiffness * u;
    const T stretch = sqrt(u) - rest_length;
    return 0.5 * stiffness * (stretch * stretch);
  }
};

/// Whether the law may be evaluated at u = 0.
template <typename Law>
bool is_smooth_at_zero(const Law &)
{
  return false;
}
inline bool is_smooth_at_zero(const HarmonicBond &bond) { return bond.rest_length == 0; }

/// phi(r) = k2/2 (r - r0)^2 + k3/3 (r - r0)^3 + k4/4 (r - r0)^4.
struct QuarticBond
{
  double quadratic;  ///< k2, energy / length^2
  double cubic;      ///< k3, energy / length^3
  double quartic;    ///< k4, energy / length^4
  double rest_length;

  template <typename T>
  T operator()(const T &u) const
  {
    using std::sqrt;
    const T stretch = sqrt(u) - rest_length;
    return (stretch * stretch) * (0.5 * quadratic + stretch * (cubic / 3 + stretch * (0.25 * quartic)));
  }
};

/// phi(r) = k/8 (r^2 - r0^2)^2: a fixed distance g = (r^2 - r0^2) / 2 as a penalty k/2 g^2. Smooth everywhere.
struct SquareStretch
{
  double stiffness;    ///< k, energy / length^4
  double rest_square;  ///< r0^2

  template <typename T>
  T operator()(const T &u) const
  {
    const T stretch = u - rest_square;
    return 0.125 * stiffness * (stretch * stretch);
  }
};
inline bool is_smooth_at_zero(const SquareStretch &) { return true; }

/// phi(r) = D (1 - exp(-a (r - r0)))^2, zero at its minimum.
struct Morse
{
  double depth;      ///< D, energy
  double steepness;  ///< a, 1 / length
  double rest_length;

  template <typename T>
  T operator()(const T &u) const
  {
    using std::exp;
    using std::sqrt;
    const T gap = 1. - exp(-steepness * (sqrt(u) - rest_length));
    return depth * (gap * gap);
  }
};

/// phi(r) = 4 epsilon ((sigma / r)^12 - (sigma / r)^6) (GSO 70).
struct LennardJones
{
  double epsilon;  ///< depth of the minimum, energy
  double sigma;    ///< distance of zero energy

  template <typename T>
  T operator()(const T &u) const
  {
    const T ratio = sigma * sigma / u;
    const T sixth = ratio * ratio * ratio;
    return 4 * epsilon * (sixth * (sixth - 1.));
  }
};

/// phi(r) = c / r: Coulomb with c = k and charges as weights, Newtonian gravity with c = -G and masses as weights.
struct InverseDistance
{
  double coefficient;

  template <typename T>
  T operator()(const T &u) const
  {
    using std::sqrt;
    return coefficient / sqrt(u);
  }
};

/// A law cut off at r_c so that energy and force go to zero continuously:
/// phi_c = phi(u) - phi(u_c) - phi'(u_c) (u - u_c) for u < u_c = r_c^2, else 0.
template <typename Law>
struct Truncated
{
  Truncated(const Law &whole_law, double cutoff) : law(whole_law), cutoff_squared(cutoff * cutoff)
  {
    Dual<double, 1> u(cutoff_squared);
    u.d[0] = 1;
    const Dual<double, 1> end = law(u);
    value_at_cutoff = end.x;
    slope_at_cutoff = end.d[0];
  }

  template <typename T>
  T operator()(const T &u) const
  {
    const T inside = at_most(u, cutoff_squared);
    return law(inside) - value_at_cutoff - slope_at_cutoff * (inside - cutoff_squared);
  }

  Law law;
  double cutoff_squared;
  double value_at_cutoff = 0;
  double slope_at_cutoff = 0;
};
/// phi'(u), of doubles and SIMD batches. Laws whose forces must be fast have a formula with one division.
template <typename Law, typename T>
T slope(const Law &law, const T &u)
{
  Dual<T, 1> x(u, 0);
  x.d[0] = T(1.);
  return law(x).d[0];
}
template <typename T>
T slope(const LennardJones &law, const T &u)
{
  const T inverse = 1. / u;
  const T ratio = (law.sigma * law.sigma) * inverse;
  const T sixth = ratio * ratio * ratio;
  return (-12 * law.epsilon) * inverse * (sixth * (2. * sixth - 1.));
}
template <typename T>
T slope(const InverseDistance &law, const T &u)
{
  const T inverse = inverse_root(u);
  return (-0.5 * law.coefficient) * (inverse * inverse * inverse);
}
template <typename Law, typename T>
T slope(const Truncated<Law> &truncated, const T &u)
{
  return is_inside(u, truncated.cutoff_squared) * (slope(truncated.law, u) - truncated.slope_at_cutoff);
}
}  // namespace freefall::laws
