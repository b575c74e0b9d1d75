#include <freefall/systems/particles/orbital_elements.h>

#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
const double pi = std::acos(-1.0);

/// Position and velocity at the eccentric anomaly, of an orbit in the plane x, y with its periapsis on the x axis.
void on_ellipse(double a, double e, double k, double anomaly, Eigen::Vector3d &r, Eigen::Vector3d &v)
{
  const double b = a * std::sqrt(1 - e * e), rate = std::sqrt(k / (a * a * a)) / (1 - e * std::cos(anomaly));
  r = {a * (std::cos(anomaly) - e), b * std::sin(anomaly), 0};
  v = {-a * std::sin(anomaly) * rate, b * std::cos(anomaly) * rate, 0};
}
}  // namespace

BOOST_AUTO_TEST_SUITE(orbital_elements_of_two_bodies)

BOOST_AUTO_TEST_CASE(elements_of_a_tilted_ellipse_come_back)
{
  const double a = 1.7, e = 0.6, k = 2.3, node = 0.8, inclination = 0.5, argument = -1.1;
  const Eigen::Matrix3d turn =
    (Eigen::AngleAxisd(node, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(inclination, Eigen::Vector3d::UnitX()) *
     Eigen::AngleAxisd(argument, Eigen::Vector3d::UnitZ()))
      .toRotationMatrix();
  // A few roundings of numbers of size 1, and 1/e for the argument.
  const auto tolerance = boost::test_tools::tolerance(1e-13);
  for (const double anomaly : {0.0, 0.3, 2.0, pi, 5.0})
  {
    Eigen::Vector3d r, v;
    on_ellipse(a, e, k, anomaly, r, v);
    const OrbitalElements flat = orbital_elements(r, v, k), tilted = orbital_elements(turn * r, turn * v, k);
    BOOST_TEST(flat.semi_major_axis == a, tolerance);
    BOOST_TEST(flat.eccentricity == e, tolerance);
    BOOST_TEST(std::abs(flat.argument) < 1e-13);
    BOOST_TEST(flat.inclination == 0);
    BOOST_TEST(tilted.semi_major_axis == a, tolerance);
    BOOST_TEST(tilted.period == 2 * pi * std::sqrt(a * a * a / k), tolerance);
    BOOST_TEST(tilted.argument == argument, tolerance);
    BOOST_TEST(tilted.inclination == inclination, tolerance);
    BOOST_TEST(tilted.node == node, tolerance);
  }
  const OrbitalElements escape = orbital_elements({1, 0, 0}, {0, 2, 0}, 1);
  BOOST_TEST(escape.semi_major_axis == -0.5, tolerance);
  BOOST_TEST(escape.eccentricity == 3, tolerance);
  BOOST_TEST(std::isnan(escape.period));
  BOOST_TEST(std::isnan(orbital_elements({1, 0, 0}, {0, 1, 0}, 1).argument));
}

BOOST_AUTO_TEST_CASE(period_and_turn_are_measured_from_rows)
{
  // An ellipse that turns by 0.01 rad a revolution, seen at 100 rows each, over 5.5 revolutions.
  const double a = 1, e = 0.85, k = 1, rate = 0.01 / (2 * pi);
  NumberColumns history{{"time", "radial_velocity", "semi_major_axis", "eccentricity", "argument_of_periapsis"}, {}};
  history.values.resize(5);
  for (int i = 0; i <= 550; ++i)
  {
    const double time = i * 2 * pi / 100 + 0.01;
    double anomaly = time;
    for (int iteration = 0; iteration < 200; ++iteration)
      anomaly -= (anomaly - e * std::sin(anomaly) - time) / (1 - e * std::cos(anomaly));
    Eigen::Vector3d r, v;
    on_ellipse(a, e, k, anomaly, r, v);
    const OrbitalElements elements = orbital_elements(r, v, k);
    const double row[] = {time, elements.radial_velocity, elements.semi_major_axis, elements.eccentricity,
                          std::remainder(3 + rate * time, 2 * pi)};
    for (int column = 0; column < 5; ++column) history.values[column].push_back(row[column]);
  }
  const NamedValues measured = measure_orbit(history);
  BOOST_TEST_REQUIRE(measured.size() == 5);
  BOOST_TEST(measured[0].value == 1, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(measured[1].value == e, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(measured[2].value == 4);  // five apoapses; the sixth is where the rows end
  BOOST_TEST(measured[3].name == "period");
  // Cubic interpolation of rows 0.063 apart: the fourth power of that.
  BOOST_TEST(measured[3].value == 2 * pi, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(measured[4].value == 0.01, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(mean_over_time({0, 1, 3}, {2, 4, 0}) == (3. + 4.) / 3, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_SUITE_END()
