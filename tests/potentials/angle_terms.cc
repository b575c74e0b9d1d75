#include <freefall/core/errors.h>
#include <freefall/potentials/angle_terms.h>

#include <Eigen/Geometry>

#include "check_terms.h"

using namespace freefall;
using check_terms::Real;

BOOST_AUTO_TEST_SUITE(angle_terms)

BOOST_AUTO_TEST_CASE(angles_agree_with_fifty_digits)
{
  const AngleTerms<2> plane({{0, 1, 2, 3.1, 1.9}});
  const AngleTerms<3> space({{0, 1, 2, 3.1, 1.9}});
  const std::vector<double> x2 = {0.9, 0.2, 0.1, 0.0, -0.3, 1.1}, x3 = {0.9, 0.2, -0.1, 0.1, 0.0, 0.2, -0.3, 1.1, 0.4};
  const auto energy2 = [&](const std::vector<Real> &y) { return plane.evaluate(0, y.data()); };
  const auto energy3 = [&](const std::vector<Real> &y) { return space.evaluate(0, y.data()); };
  check_terms::check_derivatives(plane, 0, x2, energy2);
  check_terms::check_derivatives(space, 0, x3, energy3);
  check_terms::check_differences(plane, 0, x2, energy2, 0.05);
  check_terms::check_differences(space, 0, x3, energy3, 0.05);
}

BOOST_AUTO_TEST_CASE(the_energy_is_that_of_the_angle)
{
  const AngleTerms<2> terms({{0, 1, 2, 2.0, 1.0}});
  const double right_angle[6] = {2, 0, 0, 0, 0, 0.3};
  // Three roundings.
  BOOST_TEST(terms.value(0, right_angle) == std::pow(std::acos(-1.0) / 2 - 1, 2), boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(the_discrete_gradient_keeps_energy_and_momenta)
{
  const AngleTerms<3> terms({{0, 1, 2, 3.1, 1.9}});
  using Points = Eigen::Matrix<double, 3, 3>;
  Points x0;
  x0 << 0.9, 0.1, -0.3, 0.2, 0.0, 1.1, -0.1, 0.2, 0.4;
  for (const double step : {0.2, 1e-4, 1e-9})
  {
    Points x1 = x0, gradient, exact;
    for (int a = 0; a < 9; ++a) x1.data()[a] += step * std::sin(1.0 + a * a);
    terms.discrete_gradient(0, x0.data(), x1.data(), gradient.data());
    terms.gradient(0, x0.data(), exact.data());
    const double change = difference_between(terms, 0, x0.data(), x1.data());
    BOOST_TEST_REQUIRE(change != 0);
    // Sums of tens of terms relative to force times step.
    BOOST_TEST(std::abs((gradient.cwiseProduct(x1 - x0)).sum() - change) <= 1e-13 * exact.norm() * step);
    BOOST_TEST((gradient - exact).norm() <= 10 * step * exact.norm());
    Eigen::Vector3d torque = Eigen::Vector3d::Zero();
    for (int k = 0; k < 3; ++k) torque += Eigen::Vector3d(0.5 * (x0 + x1).col(k)).cross(Eigen::Vector3d(gradient.col(k)));
    BOOST_TEST(torque.norm() <= 1e-14 * exact.norm());
    BOOST_TEST(gradient.rowwise().sum().norm() <= 1e-15 * exact.norm());
  }
}

BOOST_AUTO_TEST_CASE(three_points_in_line_are_named)
{
  const AngleTerms<2> terms({{3, 4, 5, 1.0, 1.0}});
  const double line[6] = {0, 0, 1, 1, 2, 2};
  BOOST_CHECK_EXCEPTION(terms.value(0, line), DomainError,
                        [](const DomainError &error)
                        { return std::string(error.what()).find("angle 1 of the particles 4, 5, 6") == 0; });
}

BOOST_AUTO_TEST_SUITE_END()
