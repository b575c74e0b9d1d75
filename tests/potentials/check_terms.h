#pragma once

#include <freefall/potentials/local_terms.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <vector>

/// Checks of local terms against their energy in 50 digits, where plain differences are as good as exact.
namespace check_terms
{
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;
using Energy = std::function<Real(const std::vector<Real> &)>;

inline std::vector<Real> moved(const std::vector<double> &x, std::vector<std::pair<int, Real>> moves)
{
  std::vector<Real> y(x.begin(), x.end());
  for (const auto &[dof, step] : moves) y[dof] += step;
  return y;
}

/// |found - expected| <= tolerance * size, and expected is not lost in zero.
inline void compare(const char *what, int dof, double found, const Real &expected, double size, double tolerance)
{
  const double error = std::abs(static_cast<double>(Real(found) - expected));
  BOOST_TEST(error <= tolerance * size,
             what << " " << dof << ": found " << found << ", expected " << static_cast<double>(expected));
}

/// Value, gradient, Hessian and the third-derivative contraction.
inline void check_derivatives(const freefall::LocalTerms &terms, int term, const std::vector<double> &x, const Energy &energy)
{
  const int n = static_cast<int>(x.size());
  BOOST_TEST_REQUIRE(terms.dofs_per_term() == n);
  const Real h = 1e-10;  // central differences in 50 digits: truncation 1e-20, rounding of third differences 1e-20
  std::vector<double> gradient(n), hessian(n * n), third(n), direction(n);
  for (int a = 0; a < n; ++a) direction[a] = std::sin(1.0 + 2.7 * a);
  terms.gradient(term, x.data(), gradient.data());
  terms.hessian(term, x.data(), hessian.data());
  terms.third_derivative(term, x.data(), direction.data(), third.data());

  const auto along = [&](const Real &t, int a, const Real &s)
  {
    auto y = moved(x, {{a, s}});
    for (int c = 0; c < n; ++c) y[c] += t * direction[c];
    return energy(y);
  };
  std::vector<Real> gradient_expected(n), third_expected(n), hessian_expected(n * n);
  double gradient_size = 0, hessian_size = 0, third_size = 0;
  for (int a = 0; a < n; ++a)
  {
    gradient_expected[a] = (energy(moved(x, {{a, h}})) - energy(moved(x, {{a, -h}}))) / (2 * h);
    const auto slope = [&](const Real &t) { return Real((along(t, a, h) - along(t, a, -h)) / (2 * h)); };
    third_expected[a] = (slope(h) - 2 * slope(0) + slope(-h)) / (h * h);
    for (int b = 0; b < n; ++b)
      hessian_expected[a * n + b] = (energy(moved(x, {{a, h}, {b, h}})) - energy(moved(x, {{a, h}, {b, -h}})) -
                                     energy(moved(x, {{a, -h}, {b, h}})) + energy(moved(x, {{a, -h}, {b, -h}}))) /
                                    (4 * h * h);
    gradient_size = std::max(gradient_size, std::abs(static_cast<double>(gradient_expected[a])));
    third_size = std::max(third_size, std::abs(static_cast<double>(third_expected[a])));
    for (int b = 0; b < n; ++b)
      hessian_size = std::max(hessian_size, std::abs(static_cast<double>(hessian_expected[a * n + b])));
  }
  BOOST_TEST_REQUIRE(gradient_size > 1e-3);
  BOOST_TEST_REQUIRE(hessian_size > 1e-3);
  BOOST_TEST_REQUIRE(third_size > 1e-3);
  const double tolerance = 1e-12;  // tens of double operations, each 1e-16, on well-conditioned points
  const Real value = energy(moved(x, {}));
  compare("value", 0, terms.value(term, x.data()), value, std::abs(static_cast<double>(value)), tolerance);
  for (int a = 0; a < n; ++a)
  {
    compare("gradient", a, gradient[a], gradient_expected[a], gradient_size, tolerance);
    compare("third derivative", a, third[a], third_expected[a], third_size, tolerance);
    for (int b = 0; b < n; ++b)
      compare("hessian", a * n + b, hessian[a * n + b], hessian_expected[a * n + b], hessian_size, tolerance);
  }
}

/// Differences and mixed differences from large steps to steps at which subtracting energies leaves no digit.
/// The mixed difference may have natural cancellation between its parts: it is measured against steps times Hessian size.
inline void check_differences(
  const freefall::LocalTerms &terms, int term, const std::vector<double> &x, const Energy &energy, double largest_step)
{
  const int n = static_cast<int>(x.size());
  std::vector<double> gradient(n), hessian(n * n);
  terms.gradient(term, x.data(), gradient.data());
  terms.hessian(term, x.data(), hessian.data());
  double hessian_size = 0, gradient_size = 0;
  for (const double entry : gradient) gradient_size = std::max(gradient_size, std::abs(entry));
  for (const double entry : hessian) hessian_size = std::max(hessian_size, std::abs(entry));
  int n_nonzero = 0;
  const double tolerance = 2e-12;  // tens of operations at 1e-16 and steps along which derivatives grow a few times
  for (double step = largest_step; step > 1e-13 * largest_step; step *= 1e-3)
    for (int a = 0; a < n; ++a)
    {
      const double s = a % 2 ? -step : step;
      const Real difference = energy(moved(x, {{a, s}})) - energy(moved(x, {}));
      compare("difference", a, terms.difference(term, x.data(), a, s), difference,
              std::max(std::abs(static_cast<double>(difference)), gradient_size * step), tolerance);
      n_nonzero += difference != 0;
      for (int b = 0; b < n; ++b)
      {
        if (a == b) continue;
        const double r = 0.7 * step;
        const Real mixed =
          energy(moved(x, {{a, s}, {b, r}})) - energy(moved(x, {{a, s}})) - energy(moved(x, {{b, r}})) + energy(moved(x, {}));
        compare("mixed difference", a * n + b, terms.mixed_difference(term, x.data(), a, s, b, r), mixed,
                std::max(std::abs(static_cast<double>(mixed)), hessian_size * step * step), tolerance);
        n_nonzero += mixed != 0;
      }
    }
  BOOST_TEST_REQUIRE(n_nonzero > 0);
}
}  // namespace check_terms
