#include <freefall/potentials/plane_contact.h>

#include "term_checks.h"

using namespace freefall;

namespace
{
/// The wall of GSO 6.3.
const RigidPlane wall{"wall", {0.101, 0.101, 0.101}, {0, -1, -1}, 1e14};
}  // namespace

BOOST_AUTO_TEST_SUITE(plane_contact)

BOOST_AUTO_TEST_CASE(normal_enters_at_the_length_it_has)
{
  const PlaneContact contact(wall, {0});
  const double x[] = {0, 0.102, 0.102};  // 1.414 mm behind the wall; (x - O) . n = -2 mm
  BOOST_TEST(contact.gap(x) == -0.002, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(contact.value(0, x) == 1e14 / 2 * 0.002 * 0.002, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(open_contact_has_no_energy_and_no_force)
{
  const PlaneContact contact(wall, {0});
  const double x[] = {5, 0.1, 0.1};
  double gradient[3] = {1, 1, 1};
  contact.gradient(0, x, gradient);
  BOOST_TEST(contact.value(0, x) == 0);
  for (const double component : gradient) BOOST_TEST(component == 0);
}

BOOST_AUTO_TEST_CASE(derivatives_of_a_closed_contact_agree_with_differences)
{
  const PlaneContact contact(wall, {0});
  term_checks::derivatives(contact, 0, {0, 0.11, 0.12}, {1, 2, 3}, 0.01, /* third derivative vanishes */ true);
}

BOOST_AUTO_TEST_CASE(differences_across_the_kink_agree_with_differences_of_values)
{
  const PlaneContact contact({"slanted", {0, 0, 0}, {1, 2, -1}, 1e3}, {0});
  // One corner, two, three or four corners inside the obstacle; four values of similar size lose three digits at most.
  for (const double y : {-0.001, 0.01, 0.015, -0.03, -0.2})
    term_checks::differences(contact, 0, {0.004, y, 0.003}, -0.02, -0.03, 1e-12);
}

BOOST_AUTO_TEST_CASE(whole_family_is_the_sum_of_its_terms)
{
  const PlaneContact contact(wall, {0, 2});
  Eigen::VectorXd q(9);
  q << 0, 0.11, 0.12, 9, 9, 9, 1, 0.11, 0.1;
  Eigen::VectorXd fast = Eigen::VectorXd::Zero(9), plain = fast;
  contact.add_gradient(q, fast);
  contact.LocalTerms::add_gradient(q, plain);
  BOOST_TEST_REQUIRE(plain.norm() > 0);
  BOOST_TEST((fast - plain).norm() == 0);
  BOOST_TEST(fast.segment<3>(3).norm() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
