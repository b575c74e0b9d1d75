#include <freefall/integrators/force_stepping/parabola.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

using freefall::force_stepping::first_exit;

BOOST_AUTO_TEST_SUITE(parabola)

namespace
{
constexpr double never = std::numeric_limits<double>::infinity();
}

BOOST_AUTO_TEST_CASE(a_parabola_leaves_at_its_first_root)
{
  // 1 - 3 t + 2 t^2 = (1 - t)(1 - 2 t); 2 + t - t^2 = (2 - t)(1 + t): rounding of a few operations.
  BOOST_TEST(first_exit(1, -3, 2) == 0.5, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(first_exit(2, 1, -1) == 2, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(first_exit(3, -2, 0) == 1.5);
  BOOST_TEST(first_exit(1, 3, 2) == never);
  BOOST_TEST(first_exit(1, -1, 2) == never);
}

BOOST_AUTO_TEST_CASE(touching_is_no_crossing)
{
  // (1 - t)^2, and the same shifted by the smallest number that makes it cross or keeps it away.
  BOOST_TEST(first_exit(1, -2, 1) == never);
  BOOST_TEST(first_exit(1 + 1e-15, -2, 1) == never);
  BOOST_TEST(first_exit(1 - 1e-15, -2, 1) == 1, boost::test_tools::tolerance(1e-7));  // sqrt of the shift
}

BOOST_AUTO_TEST_CASE(at_zero_the_velocity_decides_and_then_the_acceleration)
{
  BOOST_TEST(first_exit(0, -1, 5) == 0);
  BOOST_TEST(first_exit(0, 1, -0.5) == 2);  // the root that is not the one it stands at
  BOOST_TEST(first_exit(0, 1, 0) == never);
  BOOST_TEST(first_exit(0, 0, -1) == 0);
  BOOST_TEST(first_exit(0, 0, 1) == never);
  BOOST_TEST(first_exit(0, 0, 0) == never);
  BOOST_TEST(first_exit(-1e-17, 1, -1) == 1);  // rounding below zero is zero
}

BOOST_AUTO_TEST_CASE(nearly_straight_and_nearly_tangential_motions_lose_no_digits)
{
  // The textbook formula would divide a difference of nearly equal numbers by 2e-20.
  BOOST_TEST(first_exit(1, -1, 1e-20) == 1, boost::test_tools::tolerance(1e-15));
  // Roots of 1e-12 - t + t^2 are 1e-12 (1 + 1e-12 + ...) and nearly 1.
  BOOST_TEST(first_exit(1e-12, -1, 1) == 1e-12 * (1 + 1e-12), boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_SUITE_END()
