#include <freefall/core/errors.h>
#include <freefall/core/inverse_root.h>
#include <freefall/potentials/pair_terms.h>
#include <freefall/potentials/radial_terms.h>

#include <Eigen/Geometry>

#include "check_terms.h"

using namespace freefall;
using check_terms::Real;

namespace
{
/// Two points, so that c = (-1, 1), or three with other coefficients and an offset.
template <typename Law, int dim>
void check_law(const Law &law, double distance, double largest_step)
{
  using Terms = RadialTerms<Law, dim>;
  typename Terms::Term pair{{0, 1}, {-1, 1}, 1.5};
  typename Terms::Term triple{{0, 1, 2}, {-0.4, 0.9, 0.25}, 0.5};
  triple.offset.fill(0.03);
  for (const auto &term : {pair, triple})
  {
    const Terms terms("pair", {law}, {term});
    const int n_points = static_cast<int>(term.points.size());
    std::vector<double> x(dim * n_points);
    for (int k = 0; k < n_points; ++k)
      for (int axis = 0; axis < dim; ++axis) x[dim * k + axis] = 0.3 * std::sin(1.0 + k + 5 * axis);
    x[dim] = (distance - term.offset[0] - term.coefficients[0] * x[0]) / term.coefficients[1];
    const auto energy = [&](const std::vector<Real> &y)
    {
      Real u = 0;
      for (int axis = 0; axis < dim; ++axis)
      {
        Real d = term.offset[axis];
        for (int k = 0; k < n_points; ++k) d += Real(term.coefficients[k]) * y[dim * k + axis];
        u += d * d;
      }
      return Real(term.weight * law(u));
    };
    check_terms::check_derivatives(terms, 0, x, energy);
    check_terms::check_differences(terms, 0, x, energy, largest_step);
  }
}

template <typename Law>
void check_all_dimensions(const Law &law, double distance, double largest_step)
{
  check_law<Law, 1>(law, distance, largest_step);
  check_law<Law, 2>(law, distance, largest_step);
  check_law<Law, 3>(law, distance, largest_step);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(radial_terms)

BOOST_AUTO_TEST_CASE(a_harmonic_bond_agrees_with_fifty_digits)
{
  // In one dimension the third derivative of a harmonic bond is zero.
  check_law<laws::HarmonicBond, 2>({3.7, 0.8}, 1.3, 0.1);
  check_law<laws::HarmonicBond, 3>({3.7, 0.8}, 1.3, 0.1);
}
BOOST_AUTO_TEST_CASE(a_quartic_bond_agrees_with_fifty_digits)
{
  check_all_dimensions(laws::QuarticBond{2.0, -1.3, 4.0, 0.8}, 1.3, 0.1);
}
BOOST_AUTO_TEST_CASE(a_morse_bond_agrees_with_fifty_digits) { check_all_dimensions(laws::Morse{2.5, 1.7, 0.9}, 1.3, 0.1); }
BOOST_AUTO_TEST_CASE(a_lennard_jones_pair_agrees_with_fifty_digits)
{
  check_all_dimensions(laws::LennardJones{1.2, 0.9}, 1.0, 0.02);
}
BOOST_AUTO_TEST_CASE(an_inverse_distance_agrees_with_fifty_digits)
{
  check_all_dimensions(laws::InverseDistance{-1.4}, 1.1, 0.1);
}
BOOST_AUTO_TEST_CASE(a_truncated_law_agrees_with_fifty_digits_and_goes_to_zero_smoothly)
{
  using Law = laws::Truncated<laws::LennardJones>;
  const Law law({1.2, 0.9}, 2.2);
  // Not next to the minimum at 1.01, where the force is a small difference of two large ones.
  check_all_dimensions(law, 1.1, 0.02);
  // The constants are subtracted from energies of size epsilon.
  BOOST_TEST(std::abs(law(2.2 * 2.2)) <= 1e-16);
  BOOST_TEST(std::abs(law(100.0)) <= 1e-16);
  // The cut-off lies between the two ends of the step: only the part inside counts.
  const RadialTerms<Law, 1> terms("pair", {law}, {{{0, 1}, {-1, 1}}});
  const double inside[2] = {0, 2.19}, outside[2] = {0, 2.21};
  const double difference = terms.difference(0, inside, 1, 0.02);
  BOOST_TEST(difference != 0);
  BOOST_TEST(difference == -terms.difference(0, outside, 1, -0.02), boost::test_tools::tolerance(1e-10));
  BOOST_TEST(difference == -law(2.19 * 2.19), boost::test_tools::tolerance(1e-10));
}

BOOST_AUTO_TEST_CASE(fast_slopes_and_sums_of_differences_agree_with_those_of_single_terms)
{
  const laws::LennardJones law{1.2, 0.9};
  const laws::Truncated<laws::LennardJones> truncated(law, 2.2);
  const laws::InverseDistance inverse{-1.4};
  for (const double r : {0.8, 1.1, 1.7, 2.1, 2.3})
  {
    Dual<double, 1> u(r * r);
    u.d[0] = 1;
    // A few roundings, of terms that cancel by less than a hundred here.
    const auto tolerance = boost::test_tools::tolerance(1e-13);
    BOOST_TEST(laws::slope(law, r * r) == law(u).d[0], tolerance);
    BOOST_TEST(laws::slope(inverse, r * r) == inverse(u).d[0], tolerance);
    BOOST_TEST(laws::slope(truncated, r * r) == truncated(u).d[0], tolerance);
  }
  // Six terms of three points: more than one batch, the last one not full.
  using Terms = RadialTerms<laws::LennardJones, 2>;
  std::vector<Terms::Term> all;
  for (int i = 0; i < 6; ++i) all.push_back({{i, i + 1, i + 2}, {-1.0, 0.7, 0.4 + 0.1 * i}, 1.0 + i});
  const Terms terms("pair", {law}, all);
  std::vector<double> x;
  std::vector<int> numbers, a, b;
  for (int i = 0; i < 6; ++i)
  {
    for (const double value : {0.0, 0.1, 1.2 + 0.1 * i, 0.3, 0.5, -0.1 * i}) x.push_back(value);
    numbers.push_back(i);
    a.push_back(i % 6);
    b.push_back((i + 3) % 6);
  }
  for (int count = 1; count <= 6; ++count)
  {
    double sum = 0, mixed_sum = 0;
    for (int i = 0; i < count; ++i)
    {
      sum += terms.difference(i, x.data() + 6 * i, a[i], 0.01);
      mixed_sum += terms.mixed_difference(i, x.data() + 6 * i, a[i], 0.01, b[i], 0.02);
    }
    BOOST_TEST(terms.sum_of_differences(count, numbers.data(), x.data(), a.data(), 0.01) == sum,
               boost::test_tools::tolerance(1e-13));
    BOOST_TEST(terms.sum_of_mixed_differences(count, numbers.data(), x.data(), a.data(), 0.01, b.data(), 0.02) == mixed_sum,
               boost::test_tools::tolerance(1e-13));
  }
}

BOOST_AUTO_TEST_CASE(a_bond_of_no_length_is_smooth_where_its_ends_meet)
{
  const RadialTerms<laws::HarmonicBond, 2> terms("bond", {{4.0, 0.0}}, {{{0, 1}, {-1, 1}}});
  const double x[4] = {1, 2, 1, 2};
  double gradient[4];
  terms.gradient(0, x, gradient);
  for (const double entry : gradient) BOOST_TEST(entry == 0);
  BOOST_TEST(terms.difference(0, x, 2, 0.5) == 0.5);
}

BOOST_AUTO_TEST_CASE(energies_do_not_change_with_the_frame)
{
  const RadialTerms<laws::LennardJones, 2> terms("pair", {{1.0, 1.0}}, {{{0, 1}, {-1, 1}}});
  const double x[4] = {0.1, 0.2, 1.0, 0.7};
  double turned[4];
  for (int k = 0; k < 2; ++k)
  {
    turned[2 * k] = std::cos(0.7) * x[2 * k] - std::sin(0.7) * x[2 * k + 1] + 3;
    turned[2 * k + 1] = std::sin(0.7) * x[2 * k] + std::cos(0.7) * x[2 * k + 1] - 5;
  }
  BOOST_TEST_REQUIRE(terms.value(0, x) != 0);
  // Rounding of coordinates of size 5, amplified by the 12th power.
  BOOST_TEST(terms.value(0, x) == terms.value(0, turned), boost::test_tools::tolerance(1e-13));
}

BOOST_AUTO_TEST_CASE(coincident_points_are_named)
{
  const RadialTerms<laws::LennardJones, 2> terms("Lennard-Jones pair", {{1.0, 1.0}}, {{{4, 7}, {-1, 1}}});
  const double x[4] = {1, 2, 1, 2}, y[4] = {1, 2, 1, 2.5};
  const auto names_the_pair = [](const DomainError &error)
  { return std::string(error.what()) == "Lennard-Jones pair 1 (points 5, 8): distance 0 or not a number at (1, 2)"; };
  BOOST_CHECK_EXCEPTION(terms.value(0, x), DomainError, names_the_pair);
  BOOST_CHECK_EXCEPTION(terms.difference(0, y, 3, -0.5), DomainError, names_the_pair);
  BOOST_CHECK_EXCEPTION(terms.mixed_difference(0, y, 0, 0.5, 3, -0.5), DomainError, names_the_pair);
}

BOOST_AUTO_TEST_CASE(the_discrete_gradient_gives_the_difference_of_the_energy_and_no_torque)
{
  const RadialTerms<laws::LennardJones, 3> terms("pair", {{1.0, 1.0}}, {{{0, 1}, {-1, 1}}});
  for (const double step : {0.1, 1e-5, 1e-12, 0.0})
  {
    Eigen::Matrix<double, 6, 1> x0, x1, gradient, backward, exact;
    x0 << 0.1, 0.2, 0.3, 1.0, 0.7, 0.4;
    x1 = x0;
    for (int a = 0; a < 6; ++a) x1[a] += step * std::sin(1.0 + a);
    terms.discrete_gradient(0, x0.data(), x1.data(), gradient.data());
    terms.discrete_gradient(0, x1.data(), x0.data(), backward.data());
    terms.gradient(0, x0.data(), exact.data());
    const double change = difference_between(terms, 0, x0.data(), x1.data());
    // Rounding of x1 - x0 and of sums of a few terms, relative to force times step.
    BOOST_TEST(std::abs(gradient.dot(x1 - x0) - change) <= 1e-13 * exact.norm() * step);
    BOOST_TEST((gradient - backward).norm() <= 1e-13 * exact.norm());
    Eigen::Matrix<double, 6, 6> hessian;
    terms.hessian(0, x0.data(), hessian.data());
    // grad V(x0) + Hess V(x0) (x1 - x0) / 2 up to third derivatives, which are below 1e3 times the gradient here.
    const double second_order = 1e3 * step * step + 1e-14;
    if (step < 1e-4) BOOST_TEST((gradient - exact - 0.5 * hessian * (x1 - x0)).norm() <= second_order * exact.norm());
    const Eigen::Matrix<double, 6, 1> middle = 0.5 * (x0 + x1);
    const Eigen::Vector3d torque = middle.head<3>().cross(gradient.head<3>()) + middle.tail<3>().cross(gradient.tail<3>());
    BOOST_TEST(torque.norm() <= 1e-14 * exact.norm());
    BOOST_TEST((gradient.head<3>() + gradient.tail<3>()).norm() == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_penalised_distance_agrees_with_fifty_digits)
{
  check_all_dimensions(laws::SquareStretch{3.7, 0.8}, 1.3, 0.1);
}

BOOST_AUTO_TEST_CASE(points_of_one_group_do_not_act_on_each_other)
{
  // Groups of one to four points, not one after another, of numbers that fill no batch.
  const int n = 23;
  std::vector<int> points, groups;
  std::vector<double> charges;
  Eigen::VectorXd q(3 * n);
  for (int i = 0; i < n; ++i)
  {
    points.push_back(i);
    groups.push_back(i < 4 ? 50 : i == 7 || i == 19 ? 60 : i < 12 ? 70 + i / 2 : 90 + i);
    charges.push_back(i % 3 ? 0.4 : -0.9);
    for (int axis = 0; axis < 3; ++axis) q[3 * i + axis] = 3 * std::sin(1. + 2.3 * i + 1.1 * axis * axis);
  }
  const auto expect = [&](auto law, double tolerance)
  {
    using Law = decltype(law);
    const PairTerms<Law, 3> pairs("pair", law, points, charges, groups);
    double energy = 0;
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(3 * n);
    int n_pairs = 0;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j)
      {
        if (groups[i] == groups[j]) continue;
        ++n_pairs;
        const Eigen::Vector3d d = q.segment<3>(3 * i) - q.segment<3>(3 * j);
        const double weight = charges[i] * charges[j], u = d.squaredNorm();
        energy += weight * law(u);
        gradient.segment<3>(3 * i) += 2 * weight * laws::slope(law, u) * d;
        gradient.segment<3>(3 * j) -= 2 * weight * laws::slope(law, u) * d;
      }
    BOOST_TEST(n_pairs < n * (n - 1) / 2 - 6);
    BOOST_TEST(pairs.n_terms() == n_pairs);
    BOOST_TEST(pairs.energy(q) == energy, boost::test_tools::tolerance(tolerance));
    Eigen::VectorXd found = Eigen::VectorXd::Zero(3 * n);
    pairs.add_gradient(q, found);
    BOOST_TEST((found - gradient).norm() < tolerance * gradient.norm());
    // Forces of a pair cancel to the last bit, their sums to rounding.
    Eigen::Vector3d total = Eigen::Vector3d::Zero();
    for (int i = 0; i < n; ++i) total += found.segment<3>(3 * i);
    BOOST_TEST(total.norm() < 1e-13 * gradient.norm());
  };
  // Rounding of sums in another order; two roundings in the root.
  expect(laws::InverseDistance{1.7}, 1e-13);
  expect(laws::LennardJones{0.2, 0.4}, 1e-13);
  // With a list of neighbours as without, bit for bit.
  const laws::Truncated<laws::InverseDistance> law(laws::InverseDistance{1.7}, 2.5);
  using Pairs = PairTerms<laws::Truncated<laws::InverseDistance>, 3>;
  const Pairs all("pair", law, points, charges, groups);
  Pairs near("pair", law, points, charges, groups);
  near.use_neighbour_list(2.5, 0.3);
  Eigen::VectorXd by_all = Eigen::VectorXd::Zero(3 * n), by_list = by_all;
  all.add_gradient(q, by_all);
  near.add_gradient(q, by_list);
  BOOST_TEST((by_all == by_list));
  BOOST_TEST(all.energy(q) == near.energy(q));
}

BOOST_AUTO_TEST_CASE(the_inverse_root_of_a_batch_is_good_to_two_roundings)
{
  double worst = 0;
  for (int i = 0; i < 4000; ++i)
  {
    const double u = std::pow(10., -30 + 0.015 * i) * (1 + 0.37 * std::sin(1. + i));
    alignas(64) double lanes[batch_size];
    inverse_root(Batch(u)).store_aligned(lanes);
    const Real exact = 1 / sqrt(Real(u));
    worst = std::max(worst, static_cast<double>(abs(lanes[0] - exact) / exact));
  }
  BOOST_TEST(worst < 2 * 2.3e-16);
  alignas(64) double lanes[batch_size];
  inverse_root(Batch(0.)).store_aligned(lanes);
  BOOST_TEST(!std::isfinite(lanes[0]));
}

BOOST_AUTO_TEST_SUITE_END()
