#pragma once

#include <freefall/potentials/local_terms.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

/// Checks of one local term against its own lower derivatives by central differences.
///
/// With step e the truncation error is O(e^2) and the rounding error O(eps/e); e = 1e-5 of the scale of x leaves about 1e-9
/// relative to the size of the derivative, 100 times less than the tolerance 1e-7.
namespace term_checks
{
using freefall::LocalTerms;
using Values = std::vector<double>;

inline double largest(const Values &values)
{
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

inline void close(const Values &found, const Values &expected, double relative, bool may_vanish, const char *what)
{
  const double size = largest(expected);
  BOOST_TEST_REQUIRE((may_vanish || size > 0), what << " vanishes: the check would show nothing");
  for (std::size_t i = 0; i < found.size(); ++i)
    BOOST_TEST(std::abs(found[i] - expected[i]) <= relative * size,
               what << ", entry " << i << ": " << found[i] << " against " << expected[i] << ", largest entry " << size);
}

/// Gradient, Hessian and third-derivative contraction against differences. `scale` is the size of a sensible change of x.
inline void derivatives(
  const LocalTerms &terms, int term, Values x, const Values &direction, double scale, bool third_vanishes = false)
{
  const int n = terms.dofs_per_term();
  const double e = 1e-5 * scale, tolerance = 1e-7;
  Values gradient(n), hessian(n * n), contraction(n), upper(n), lower(n), differences(n), hessian_differences(n * n);
  Values upper_hessian(n * n), lower_hessian(n * n);
  terms.gradient(term, x.data(), gradient.data());
  terms.hessian(term, x.data(), hessian.data());
  terms.third_derivative(term, x.data(), direction.data(), contraction.data());
  for (int a = 0; a < n; ++a)
  {
    const double x_a = x[a];
    x[a] = x_a + e;
    const double value_up = terms.value(term, x.data());
    terms.gradient(term, x.data(), upper.data());
    x[a] = x_a - e;
    differences[a] = (value_up - terms.value(term, x.data())) / (2 * e);
    terms.gradient(term, x.data(), lower.data());
    x[a] = x_a;
    for (int b = 0; b < n; ++b) hessian_differences[a * n + b] = (upper[b] - lower[b]) / (2 * e);
  }
  close(gradient, differences, tolerance, false, "gradient");
  close(hessian, hessian_differences, tolerance, false, "Hessian");

  // a.V'''.a is the derivative of (Hessian . a) along a.
  Values moved_up(x), moved_down(x), contraction_differences(n, 0.0);
  const double step = e / largest(direction);
  for (int a = 0; a < n; ++a)
  {
    moved_up[a] += step * direction[a];
    moved_down[a] -= step * direction[a];
  }
  terms.hessian(term, moved_up.data(), upper_hessian.data());
  terms.hessian(term, moved_down.data(), lower_hessian.data());
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      contraction_differences[a] += (upper_hessian[a * n + b] - lower_hessian[a * n + b]) / (2 * step) * direction[b];
  close(contraction, contraction_differences, tolerance, third_vanishes, "third derivative");
}

/// difference and mixed_difference against sums of values, for steps large enough that the sums keep most digits.
inline void differences(const LocalTerms &terms, int term, Values x, double s, double r, double relative)
{
  const int n = terms.dofs_per_term();
  const auto value = [&](int a, double da, int b, double db)
  {
    Values moved(x);
    moved[a] += da;
    moved[b] += db;
    return terms.value(term, moved.data());
  };
  Values found, expected, mixed, expected_mixed;
  for (int a = 0; a < n; ++a)
  {
    found.push_back(terms.difference(term, x.data(), a, s));
    expected.push_back(value(a, s, a, 0) - value(a, 0, a, 0));
    for (int b = 0; b < n; ++b)
      if (b != a)
      {
        mixed.push_back(terms.mixed_difference(term, x.data(), a, s, b, r));
        expected_mixed.push_back(value(a, s, b, r) - value(a, s, b, 0) - value(a, 0, b, r) + value(a, 0, b, 0));
      }
  }
  close(found, expected, relative, false, "difference");
  close(mixed, expected_mixed, relative, false, "mixed difference");
}
}  // namespace term_checks
