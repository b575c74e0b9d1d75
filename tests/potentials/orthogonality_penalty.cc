#include <freefall/potentials/orthogonality_penalty.h>

#include <Eigen/Geometry>

#include "check_terms.h"

using namespace freefall;
using check_terms::Real;

BOOST_AUTO_TEST_SUITE(orthogonality_penalty)

BOOST_AUTO_TEST_CASE(derivatives_and_differences_agree_with_fifty_digits)
{
  const OrthogonalityPenalty terms(3);
  const std::vector<double> x = {0.9, 0.2, -0.1, 0.1, 1.1, 0.2, -0.3, 0.15, 0.8};
  const auto energy = [&](const std::vector<Real> &y) { return terms.evaluate(0, y.data()); };
  check_terms::check_derivatives(terms, 0, x, energy);
  check_terms::check_differences(terms, 0, x, energy, 0.05);
}

BOOST_AUTO_TEST_CASE(rotations_on_both_sides_change_nothing_and_rotations_have_no_energy)
{
  const OrthogonalityPenalty terms(3);
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, -2, 0.5).normalized()).toRotationMatrix();
  Eigen::Matrix3d matrix;
  matrix << 0.9, 0.1, -0.3, 0.2, 1.1, 0.15, -0.1, 0.2, 0.8;
  const Eigen::Matrix3d left = turn * matrix, right = matrix * turn;
  const double value = terms.value(0, matrix.data());
  BOOST_TEST(value > 0.1);
  // Tens of operations.
  BOOST_TEST(terms.value(0, left.data()) == value, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(terms.value(0, right.data()) == value, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(terms.value(0, turn.data()) < 1e-28);
}

BOOST_AUTO_TEST_SUITE_END()
