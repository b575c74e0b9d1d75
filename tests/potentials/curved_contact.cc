#include <freefall/core/errors.h>
#include <freefall/potentials/curved_contact.h>

#include "check_terms.h"
#include "term_checks.h"

using namespace freefall;
using check_terms::Real;

namespace
{
const Eigen::Vector3d slanted = Eigen::Vector3d(1, 2, -2) / 3;

/// A sphere and a cylinder, solid and hollow.
std::vector<RigidRound> obstacles()
{
  const Eigen::Vector3d centre(0.1, -0.2, 0.3), none = Eigen::Vector3d::Zero();
  return {{"ball", centre, none, 0.7, false, 50},
          {"bowl", centre, none, 0.7, true, 50},
          {"rod", centre, slanted, 0.7, false, 50},
          {"pipe", centre, slanted, 0.7, true, 50}};
}

/// The energy of one node in 50 digits.
Real energy(const RigidRound &obstacle, const std::vector<Real> &x)
{
  Real d[3], along = 0, square = 0;
  for (int c = 0; c < 3; ++c)
  {
    d[c] = x[c] - Real(obstacle.centre[c]);
    along += d[c] * Real(obstacle.axis[c]);
  }
  // The projection as the class rounds it is off by 1e-16: so is this one.
  for (int c = 0; c < 3; ++c) d[c] -= along * Real(obstacle.axis[c]);
  for (const auto &component : d) square += component * component;
  Real gap = sqrt(square) - Real(obstacle.radius);
  if (obstacle.is_hollow) gap = -gap;
  return gap < 0 ? Real(Real(obstacle.stiffness) / 2 * gap * gap) : Real(0);
}

/// A point 0.2 deep in the obstacle.
std::vector<double> inside(const RigidRound &obstacle)
{
  Eigen::Vector3d n = Eigen::Vector3d(0.5, 0.4, 0.9);
  n -= obstacle.axis * obstacle.axis.dot(n);
  const Eigen::Vector3d x = obstacle.centre + (obstacle.is_hollow ? 0.9 : 0.5) * n.normalized() + 3 * obstacle.axis;
  return {x[0], x[1], x[2]};
}
}  // namespace

BOOST_AUTO_TEST_SUITE(curved_contact)

BOOST_AUTO_TEST_CASE(derivatives_and_differences_agree_with_fifty_digits)
{
  for (const auto &obstacle : obstacles())
  {
    BOOST_TEST_CONTEXT(obstacle.name)
    {
      const CurvedContact contact(obstacle, {0});
      const auto exact = [&](const std::vector<Real> &x) { return energy(obstacle, x); };
      check_terms::check_derivatives(contact, 0, inside(obstacle), exact);
      check_terms::check_differences(contact, 0, inside(obstacle), exact, 0.1);
      term_checks::derivatives(contact, 0, inside(obstacle), {1, 2, 3}, 0.1);
    }
  }
}

BOOST_AUTO_TEST_CASE(differences_across_the_surface_agree_with_differences_of_values)
{
  for (const auto &obstacle : obstacles())
    for (const double depth : {0.02, 0.01, -0.005, -0.02})
    {
      const CurvedContact contact(obstacle, {0});
      std::vector<double> x = inside(obstacle);
      const Eigen::Vector3d out = contact.normal(x.data()) * (-contact.distance(x.data()) - depth);
      for (int c = 0; c < 3; ++c) x[c] += out[c];
      BOOST_TEST(contact.distance(x.data()) == -depth, boost::test_tools::tolerance(1e-12));
      // Steps of either sign, so that corners lie on both sides; values of 1e-2 and more lose few digits to 1e-10.
      for (const double s : {-0.04, 0.05})
        for (const double r : {-0.06, 0.03})
        {
          const auto value = [&](int a, double da, int b, double db)
          {
            auto y = x;
            y[a] += da;
            y[b] += db;
            return contact.value(0, y.data());
          };
          for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
            {
              const double single = value(a, s, a, 0) - value(a, 0, a, 0);
              BOOST_TEST(std::abs(contact.difference(0, x.data(), a, s) - single) < 1e-14);
              if (a == b) continue;
              const double mixed = value(a, s, b, r) - value(a, s, b, 0) - value(a, 0, b, r) + value(a, 0, b, 0);
              BOOST_TEST(std::abs(contact.mixed_difference(0, x.data(), a, s, b, r) - mixed) < 1e-14);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(open_contact_has_no_energy_and_no_force)
{
  for (auto obstacle : obstacles())
  {
    std::vector<double> x = inside(obstacle), gradient{1, 1, 1};
    obstacle.is_hollow = !obstacle.is_hollow;
    const CurvedContact contact(obstacle, {0});
    contact.gradient(0, x.data(), gradient.data());
    BOOST_TEST(contact.value(0, x.data()) == 0);
    for (const double component : gradient) BOOST_TEST(component == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_force_points_out_of_the_obstacle_and_a_family_is_the_sum_of_its_terms)
{
  for (const auto &obstacle : obstacles())
  {
    const CurvedContact contact(obstacle, {0, 2});
    const auto x = inside(obstacle);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(9);
    for (int c = 0; c < 3; ++c) q[c] = q[6 + c] = x[c];
    q[7] += 0.01;
    Eigen::VectorXd fast = Eigen::VectorXd::Zero(9), plain = fast;
    contact.add_gradient(q, fast);
    contact.LocalTerms::add_gradient(q, plain);
    BOOST_TEST_REQUIRE(plain.norm() > 0);
    BOOST_TEST((fast - plain).norm() == 0);
    // |dV| = stiffness * depth, against the normal.
    BOOST_TEST((fast.head<3>() + 50 * 0.2 * contact.normal(x.data())).norm() < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(the_centre_of_a_solid_obstacle_is_an_error_and_that_of_a_hollow_one_is_free)
{
  const double x[] = {0.1, -0.2, 0.3};
  double gradient[3];
  const auto list = obstacles();
  BOOST_CHECK_THROW(CurvedContact(list[0], {0}).gradient(0, x, gradient), DomainError);
  CurvedContact(list[1], {0}).gradient(0, x, gradient);
  BOOST_TEST(gradient[0] == 0);
  auto flat = list[0];
  flat.radius = 0;
  BOOST_CHECK_THROW(CurvedContact(flat, {0}), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
