#include <freefall/core/differences.h>
#include <freefall/core/power_differences.h>
#include <freefall/core/symmetric_eigen.h>
#include <freefall/core/taylor.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

using namespace freefall;

namespace
{
/// A function that uses every operation, positive for |x|, |y| < 0.3.
template <typename T>
T mixture(const T &x, const T &y)
{
  const T u = (T(2) + x * y - y) / (T(1) + x * x);
  return exponential(T(u * x)) * fast_log1p(T(u + y * y * y)) - (-u) / (u + x);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(number_types)

BOOST_AUTO_TEST_CASE(taylor_numbers_give_first_and_second_derivatives)
{
  using Number = Taylor<double>;
  const auto along = [](double e) { return mixture(0.1 + 0.7 * e + 0.25 * e * e, -0.2 + e); };
  const Number f = mixture(Number(0.1, 0.7, 0.5), Number(-0.2, 1, 0));
  const double e = 1e-4;
  BOOST_TEST(f.value == along(0), boost::test_tools::tolerance(1e-15));
  // Truncation e^2, rounding 1e-16 / e and 1e-16 / e^2.
  BOOST_TEST(f.first == (along(e) - along(-e)) / (2 * e), boost::test_tools::tolerance(1e-6));
  BOOST_TEST(f.second == (along(e) - 2 * along(0) + along(-e)) / (e * e), boost::test_tools::tolerance(1e-5));
  BOOST_TEST_REQUIRE(std::abs(f.second) > 0.1);
  const auto tangent = mixture(Tangent<double>(0.1, 0.7), Tangent<double>(-0.2, 1));
  BOOST_TEST(tangent.value == f.value, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(tangent.first == f.first, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(differences_agree_with_subtracted_values)
{
  const double x = 0.1, y = -0.2, a = 0.15, b = -0.05;
  const auto f = mixture(MixedDifference<double>(x, a, 0, 0), MixedDifference<double>(y, 0, b, 0));
  const auto g = mixture(Difference<double>(x, a), Difference<double>(y, b));
  const auto close = boost::test_tools::tolerance(1e-13);  // values of size three, differences down to 0.01
  BOOST_TEST(f.a == mixture(x + a, y) - mixture(x, y), close);
  BOOST_TEST(f.b == mixture(x, y + b) - mixture(x, y), close);
  BOOST_TEST(f.ab == mixture(x + a, y + b) - mixture(x + a, y) - mixture(x, y + b) + mixture(x, y), close);
  BOOST_TEST(g.a == mixture(x + a, y + b) - mixture(x, y), close);
}

BOOST_AUTO_TEST_CASE(differences_of_tiny_steps_keep_their_digits)
{
  const double x = 0.1, y = -0.2;
  const double s = 1e-9;
  const auto f = mixture(MixedDifference<double>(x, s, 0, 0), MixedDifference<double>(y, 0, s, 0));
  const auto tiny = mixture(MixedDifference<double>(x, s / 8, 0, 0), MixedDifference<double>(y, 0, s / 8, 0));
  BOOST_TEST_REQUIRE(std::abs(f.ab) > 1e-20);
  // The quotients agree up to O(s); four subtracted values would be wrong by 1e-16 / 1e-18.
  BOOST_TEST(f.ab == 64 * tiny.ab, boost::test_tools::tolerance(1e-7));
  BOOST_TEST(f.a == 8 * tiny.a, boost::test_tools::tolerance(1e-7));
}

BOOST_AUTO_TEST_CASE(lowest_is_the_lowest_of_the_corners)
{
  BOOST_TEST(lowest(MixedDifference<double>(1, -2, 3, -4)) == -2);
  BOOST_TEST(lowest(MixedDifference<double>(1, -2, -3, 4)) == -2);
  BOOST_TEST(lowest(MixedDifference<double>(1, 1, -1, 4)) == 0);
  BOOST_TEST(lowest(Difference<double>(1, 1)) == 1);
}

BOOST_AUTO_TEST_CASE(power_differences_are_exact_for_near_and_far_points)
{
  for (const double p : {-6.0, -2.0, -0.5, 0.5, 1.0, 2.5, 3.0, 10.0})
    for (const double spread : {0.0, 1e-12, 1e-7, 1e-3, 0.03, 0.049, 0.051, 0.1, 0.5, 1.5})
    {
      const long double x = 1.3, y = 1.3 * (1 + spread), z = 1.3 * (1 + spread * 0.4);
      // The plain quotients in long double are good to 1e-19 / spread (first) and 1e-19 / spread^2 (second).
      if (spread > 1e-4)
      {
        const auto power = [p](long double c) { return std::pow(c, static_cast<long double>(p)); };
        const long double xy = (power(x) - power(y)) / (x - y), yz = (power(y) - power(z)) / (y - z);
        const double first = static_cast<double>(xy), second = static_cast<double>((xy - yz) / (x - z));
        const double size = std::abs(p) * std::pow(1.3, p - 1) * std::pow(2.5, std::max(0., p - 1));
        BOOST_TEST(std::abs(power_difference(p, x, y) - first) < 2e-14 * size);
        BOOST_TEST(std::abs(second_power_difference(p, x, y, z) - second) < 1e-12 * size * (std::abs(p) + 1));
      }
      else
      {
        // The difference is the derivative at the middle, up to the square of the spread.
        const double middle = 1.3 * (1 + spread / 2), mean = 1.3 * (1 + spread * 1.4 / 3);
        BOOST_TEST(power_difference(p, x, y) == p * std::pow(middle, p - 1), boost::test_tools::tolerance(1e-12));
        BOOST_TEST(second_power_difference(p, x, y, z) == p * (p - 1) / 2 * std::pow(mean, p - 2),
                   boost::test_tools::tolerance(1e-12));
      }
    }
}

BOOST_AUTO_TEST_CASE(eigenvectors_diagonalise_also_with_coincident_eigenvalues)
{
  std::mt19937 random(3);
  std::uniform_real_distribution<double> entry(-1, 1);
  for (int trial = 0; trial < 200; ++trial)
  {
    double C[9], lambda[3];
    for (int k = 0; k < 3; ++k)
      for (int l = k; l < 3; ++l)
        C[3 * k + l] = C[3 * l + k] = trial % 4 == 0 ? (k == l) : trial % 4 == 1 ? 1 + (k == l) : entry(random);
    if (trial % 4 == 2) C[0] *= 1e-8;
    const SymmetricEigen<double> eigen(C);
    Batch batch[9];
    for (int k = 0; k < 9; ++k) batch[k] = Batch(C[k]);
    const SymmetricEigen<Batch> eigens(batch);
    const double *v = eigen.vectors;
    for (int k = 0; k < 3; ++k)
    {
      lambda[k] = eigen.values[k];
      BOOST_TEST(eigens.values[k].get(batch_size - 1) == lambda[k], boost::test_tools::tolerance(1e-13));
    }
    for (int k = 0; k < 3; ++k)
      for (int l = 0; l < 3; ++l)
      {
        double entry_of_C = 0, product = 0;
        for (int i = 0; i < 3; ++i)
        {
          entry_of_C += lambda[i] * v[3 * k + i] * v[3 * l + i];
          product += v[3 * k + i] * v[3 * l + i];
        }
        // A dozen rotations of entries up to three.
        BOOST_TEST(std::abs(entry_of_C - C[3 * k + l]) < 1e-14);
        BOOST_TEST(std::abs(product - (k == l)) < 1e-14);
      }
  }
}

BOOST_AUTO_TEST_SUITE_END()
