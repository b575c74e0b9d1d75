#include <freefall/core/power_differences.h>

#include <algorithm>
#include <cmath>

namespace freefall
{
double power_difference(double p, double x, double y)
{
  const double half_log = 0.5 * std::log1p((x - y) / y);
  const double ratio = half_log == 0 ? p : std::sinh(p * half_log) / std::sinh(half_log);
  return std::pow(x * y, (p - 1) / 2) * ratio;
}

double second_power_difference(double p, double x, double y, double z)
{
  if (x > y) std::swap(x, y);
  if (y > z) std::swap(y, z);
  if (x > y) std::swap(x, y);
  const double mean = (x + y + z) / 3;
  const double u = x / mean - 1, v = y / mean - 1, w = z / mean - 1;
  const double spread = std::max(-u, w);
  if (spread > 0.05) return (power_difference(p, y, z) - power_difference(p, x, y)) / (z - x);

  double binomial = p * (p - 1) / 2;
  double bound = std::abs(binomial);  // of a term: h_n has (n + 1) (n + 2) / 2 products
  const double enough = 1e-18 * bound;
  double of_one = 1, of_two = 1, of_three = 1;  // h_n of u; of u and v; of u, v and w
  double sum = binomial;
  for (int k = 3; k < 26 && bound > enough; ++k)
  {
    binomial *= (p - k + 1) / k;
    bound *= std::abs(p - k + 1) / (k - 2) * spread;
    of_one *= u;
    of_two = v * of_two + of_one;
    of_three = w * of_three + of_two;
    sum += binomial * of_three;
  }
  return std::pow(mean, p - 2) * sum;
}
}  // namespace freefall
