#include <freefall/systems/particles/orbital_elements.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

namespace freefall
{
namespace
{
const double pi = std::acos(-1.0);

/// Where the cubic through four values passes zero between the second and the third, which differ in sign.
double zero_of_cubic(const double *t, const double *f)
{
  // Lagrange interpolation and bisection: the bracket is kept, and 60 halvings leave nothing.
  const auto at = [&](double s)
  {
    double sum = 0;
    for (int i = 0; i < 4; ++i)
    {
      double product = f[i];
      for (int j = 0; j < 4; ++j)
        if (j != i) product *= (s - t[j]) / (t[i] - t[j]);
      sum += product;
    }
    return sum;
  };
  double low = t[1], high = t[2];
  for (int i = 0; i < 60; ++i)
  {
    const double middle = 0.5 * (low + high);
    ((at(middle) > 0) == (f[1] > 0) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}
}  // namespace

OrbitalElements orbital_elements(const Eigen::Vector3d &r, const Eigen::Vector3d &v, double strength)
{
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  OrbitalElements elements{};
  elements.radius = r.norm();
  elements.radial_velocity = r.dot(v) / elements.radius;
  elements.semi_major_axis = 1 / (2 / elements.radius - v.squaredNorm() / strength);
  const Eigen::Vector3d momentum = r.cross(v);
  const Eigen::Vector3d laplace = v.cross(momentum) / strength - r / elements.radius;  // points to the periapsis
  elements.eccentricity = laplace.norm();
  const double a = elements.semi_major_axis;
  elements.period = a > 0 ? 2 * pi * a * std::sqrt(a / strength) : none;
  const double tilted = std::hypot(momentum[0], momentum[1]);
  elements.inclination = std::atan2(tilted, momentum[2]);
  // In the plane itself there is no node: x takes its place, and the argument is measured the way the body goes round.
  elements.node = tilted > 0 ? std::atan2(momentum[0], -momentum[1]) : 0;
  const Eigen::Vector3d node(std::cos(elements.node), std::sin(elements.node), 0);
  const Eigen::Vector3d ahead = tilted > 0 ? momentum.normalized().cross(node).eval() : Eigen::Vector3d::UnitY();
  elements.argument = elements.eccentricity > 0 ? std::atan2(laplace.dot(ahead), laplace.dot(node)) : none;
  return elements;
}

NamedValues named(const OrbitalElements &elements, int dimension)
{
  NamedValues values{{"radius", elements.radius},
                     {"radial_velocity", elements.radial_velocity},
                     {"semi_major_axis", elements.semi_major_axis},
                     {"eccentricity", elements.eccentricity},
                     {"orbital_period", elements.period},
                     {"argument_of_periapsis", elements.argument}};
  if (dimension == 3)
  {
    values.push_back({"inclination", elements.inclination});
    values.push_back({"longitude_of_node", elements.node});
  }
  return values;
}

double mean_over_time(const std::vector<double> &times, const std::vector<double> &values)
{
  if (times.size() == 1) return values[0];
  double sum = 0;
  for (std::size_t i = 1; i < times.size(); ++i) sum += 0.5 * (times[i] - times[i - 1]) * (values[i] + values[i - 1]);
  return sum / (times.back() - times.front());
}

NamedValues measure_orbit(const NumberColumns &history)
{
  const auto *time = history.find("time"), *axis = history.find("semi_major_axis"),
             *eccentricity = history.find("eccentricity"), *speed = history.find("radial_velocity"),
             *argument = history.find("argument_of_periapsis");
  if (!time || !axis || !eccentricity || !speed || !argument || time->empty()) return {};
  NamedValues values{{"mean_semi_major_axis", mean_over_time(*time, *axis)},
                     {"mean_eccentricity", mean_over_time(*time, *eccentricity)}};
  std::vector<double> apoapses;
  for (std::size_t i = 1; i + 2 < time->size(); ++i)
    if ((*speed)[i] > 0 && (*speed)[i + 1] <= 0) apoapses.push_back(zero_of_cubic(&(*time)[i - 1], &(*speed)[i - 1]));
  if (apoapses.size() < 2) return values;
  const double period = (apoapses.back() - apoapses.front()) / static_cast<double>(apoapses.size() - 1);
  double turn = 0;
  for (std::size_t i = 1; i < argument->size(); ++i) turn += std::remainder((*argument)[i] - (*argument)[i - 1], 2 * pi);
  values.push_back({"n_revolutions", static_cast<double>(apoapses.size() - 1)});
  values.push_back({"period", period});
  values.push_back({"turn_of_periapsis", turn / (time->back() - time->front()) * period});
  return values;
}
}  // namespace freefall
