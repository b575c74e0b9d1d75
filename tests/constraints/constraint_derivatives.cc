#include <freefall/constraints/constraint_set.h>
#include <freefall/constraints/coordinate_constraint.h>
#include <freefall/constraints/distance_constraint.h>
#include <freefall/constraints/product_constraint.h>
#include <freefall/constraints/surface_constraint.h>
#include <freefall/core/errors.h>

#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
using Form = DistanceConstraint::Form;

struct Sample
{
  std::unique_ptr<Constraint> constraint;
  std::vector<double> x0, x1;
};

std::vector<Sample> samples()
{
  std::vector<Sample> list;
  const std::vector<double> a{0.1, -0.4, 0.3, 1.2, 0.5, -0.2}, b{0.3, -0.1, 0.2, 0.9, 0.7, 0.1};
  for (const Form form : {Form::half_square, Form::square, Form::length})
  {
    list.push_back({std::make_unique<DistanceConstraint>(DistanceConstraint::between("rod", {0, 1, 2, 3, 4, 5}, 1.1, form)), a, b});
    list.push_back({std::make_unique<DistanceConstraint>(DistanceConstraint::from_point("pendulum", {0, 1}, {0.7, 0.2}, 0.8, form)),
                    {a[0], a[1]},
                    {b[0], b[1]}});
  }
  list.push_back({std::make_unique<ProductConstraint>("right angle", std::vector<int>{0, 1, 2, 3, 4, 5}), a, b});
  list.push_back({std::make_unique<CoordinateConstraint>("rail", 3, 0.4), {0.2}, {0.7}});
  list.push_back({std::make_unique<SurfaceConstraint>("surface", Expression("x^2/4 + sin(y)*z + exp(x*z) - 1.3", {"x", "y", "z"}),
                                                      std::vector<int>{0, 1, 2}),
                  {a[0], a[1], a[2]},
                  {b[0], b[1], b[2]}});
  return list;
}

/// A bowl of revolution, a torus and something with every function, for discrete derivatives.
const std::vector<std::string> formulas{"z - sqrt(1 + x^2 + y^2) + 0.3*cos(x^2 + y^2)", "(sqrt(x^2 + y^2) - 2)^2 + z^2 - 0.25",
                                        "exp(-(x^2 + y^2)) + (x^2 + y^2)^1.5 - log(2 + z)",
                                        "atan2(y, x + 2) + asin(x/3)*acos(z/3) + tan(y)/(2 + x*z) + tanh(z) - sinh(x) + 1/(3 - y)"};

/// Central differences of second order: 1e-10 / h^2 of rounding and h^2 of truncation.
constexpr double h = 1e-5, tolerance = 1e-9;
}  // namespace

BOOST_AUTO_TEST_SUITE(constraint_derivatives)

BOOST_AUTO_TEST_CASE(derivatives_agree_with_differences)
{
  for (const auto &[constraint, x, unused] : samples())
  {
    const int n = constraint->n_dofs();
    std::vector<double> gradient(n), plus(n), minus(n), hessian(n * n), direction(n), third(n);
    constraint->gradient(x.data(), gradient.data());
    constraint->hessian(x.data(), hessian.data());
    for (int a = 0; a < n; ++a) direction[a] = 0.3 + 0.2 * a * (a % 2 ? 1 : -1);
    constraint->third_derivative(x.data(), direction.data(), third.data());
    double gradient_size = 0;
    for (int a = 0; a < n; ++a)
    {
      std::vector<double> up = x, down = x;
      up[a] += h;
      down[a] -= h;
      BOOST_TEST(std::abs((constraint->value(up.data()) - constraint->value(down.data())) / (2 * h) - gradient[a]) < tolerance);
      constraint->gradient(up.data(), plus.data());
      constraint->gradient(down.data(), minus.data());
      for (int b = 0; b < n; ++b) BOOST_TEST(std::abs((plus[b] - minus[b]) / (2 * h) - hessian[a * n + b]) < tolerance);
      gradient_size += std::abs(gradient[a]);

      const double s = 0.37;
      up = x;
      up[a] += s;
      // Rounding of two values of size 1.
      BOOST_TEST(std::abs(constraint->value(up.data()) - constraint->value(x.data()) - constraint->difference(x.data(), a, s)) <
                 1e-14);
      for (int b = 0; b < n; ++b)
      {
        if (b == a) continue;
        std::vector<double> other = x, both = up;
        other[b] -= 0.21;
        both[b] -= 0.21;
        const double mixed = constraint->value(both.data()) - constraint->value(up.data()) - constraint->value(other.data()) +
                             constraint->value(x.data());
        BOOST_TEST(std::abs(mixed - constraint->mixed_difference(x.data(), a, s, b, -0.21)) < 1e-14);
      }
    }
    BOOST_TEST(gradient_size > 0.1, constraint->name());
    // a.g'''.a by differences of the Hessian along the direction.
    std::vector<double> up = x, down = x, hessian_up(n * n), hessian_down(n * n);
    for (int a = 0; a < n; ++a)
    {
      up[a] += h * direction[a];
      down[a] -= h * direction[a];
    }
    constraint->hessian(up.data(), hessian_up.data());
    constraint->hessian(down.data(), hessian_down.data());
    for (int a = 0; a < n; ++a)
    {
      double sum = 0;
      for (int b = 0; b < n; ++b) sum += (hessian_up[a * n + b] - hessian_down[a * n + b]) / (2 * h) * direction[b];
      BOOST_TEST(std::abs(sum - third[a]) < tolerance, constraint->name());
    }
  }
}

BOOST_AUTO_TEST_CASE(discrete_derivatives_have_their_three_properties)
{
  for (const auto &[constraint, x0, x1] : samples())
  {
    const int n = constraint->n_dofs();
    std::vector<double> d(n), back(n), gradient(n), same(n);
    // Also for nearly and exactly equal arguments, where a plain quotient would be 0/0.
    for (const double part : {1., 1e-3, 1e-8, 1e-13, 0.})
    {
      std::vector<double> end = x0;
      double sum = 0, exact = 0;
      for (int a = 0; a < n; ++a) end[a] += part * (x1[a] - x0[a]);
      constraint->discrete_gradient(x0.data(), end.data(), d.data());
      constraint->discrete_gradient(end.data(), x0.data(), back.data());
      for (int a = 0; a < n; ++a)
      {
        sum += d[a] * (end[a] - x0[a]);
        BOOST_TEST(std::abs(d[a] - back[a]) < 1e-14, constraint->name());
      }
      exact = constraint->value(end.data()) - constraint->value(x0.data());
      BOOST_TEST(std::abs(sum - exact) < 1e-15, constraint->name() << " part " << part << ": " << sum - exact);
      if (part > 1e-6) continue;
      constraint->gradient(x0.data(), gradient.data());
      // The midpoint is half of `part` away, the gradient changes by that much.
      for (int a = 0; a < n; ++a) BOOST_TEST(std::abs(d[a] - gradient[a]) < 2 * part + 1e-14, constraint->name());
    }
  }
}

BOOST_AUTO_TEST_CASE(discrete_derivatives_of_distances_give_no_net_force_and_no_torque)
{
  for (const Form form : {Form::half_square, Form::length})
  {
    const auto rod = DistanceConstraint::between("rod", {0, 1, 2, 3, 4, 5}, 1, form);
    const std::vector<double> x0{0.1, -0.4, 0.3, 1.2, 0.5, -0.2}, x1{0.3, -0.1, 0.2, 0.9, 0.7, 0.1};
    std::vector<double> d(6);
    rod.discrete_gradient(x0.data(), x1.data(), d.data());
    Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = Eigen::Vector3d::Zero();
    for (int point = 0; point < 2; ++point)
    {
      const Eigen::Vector3d f(d[3 * point], d[3 * point + 1], d[3 * point + 2]);
      const Eigen::Vector3d middle = 0.5 * (Eigen::Map<const Eigen::Vector3d>(x0.data() + 3 * point) +
                                            Eigen::Map<const Eigen::Vector3d>(x1.data() + 3 * point));
      force += f;
      torque += middle.cross(f);
    }
    BOOST_TEST(force.norm() < 1e-15);
    BOOST_TEST(torque.norm() < 1e-15);
  }
}

BOOST_AUTO_TEST_CASE(discrete_derivatives_of_formulas_have_their_three_properties)
{
  const Eigen::Vector3d x0(0.4, -0.7, 0.3), way(0.5, 0.3, -0.6);
  for (const auto &formula : formulas)
  {
    const SurfaceConstraint surface("surface", Expression(formula, {"x", "y", "z"}), {0, 1, 2});
    for (const double part : {1., 1e-3, 1e-8, 1e-13, 1e-300, 0.})
    {
      const Eigen::Vector3d x1 = x0 + part * way, change = x1 - x0;
      Eigen::Vector3d d, back, gradient;
      surface.discrete_gradient(x0.data(), x1.data(), d.data());
      surface.discrete_gradient(x1.data(), x0.data(), back.data());
      // Rounding of a dozen operations.
      BOOST_TEST((d - back).norm() < 1e-14, formula << " part " << part);
      BOOST_TEST(std::abs(d.dot(change) - (surface.value(x1.data()) - surface.value(x0.data()))) < 3e-15, formula);
      // The gradient at the midpoint, but for O(part^2).
      const Eigen::Vector3d middle = x0 + 0.5 * change;
      surface.gradient(middle.data(), gradient.data());
      BOOST_TEST((d - gradient).norm() < 2 * part * part + 1e-14, formula << " part " << part << ": " << (d - gradient).norm());
      if (part == 1) BOOST_TEST((d - gradient).norm() > 1e-4);
    }
  }
}

BOOST_AUTO_TEST_CASE(discrete_derivatives_of_surfaces_of_revolution_give_no_torque_about_their_axis)
{
  const Eigen::Vector3d x0(0.4, -0.7, 0.3);
  for (std::size_t i = 0; i + 1 < formulas.size(); ++i)
    // Along the surface of revolution too, where a correction along the chord would be 0/0.
    for (const Eigen::Vector3d &x1 : {Eigen::Vector3d(0.9, 0.1, -0.2), Eigen::Vector3d(0.7, 0.4, 0.3), Eigen::Vector3d(0.4, -0.7 + 1e-9, 0.3)})
    {
      const SurfaceConstraint surface("surface", Expression(formulas[i], {"x", "y", "z"}), {0, 1, 2});
      Eigen::Vector3d d;
      surface.discrete_gradient(x0.data(), x1.data(), d.data());
      BOOST_TEST(std::abs((0.5 * (x0 + x1)).cross(d)[2]) < 1e-15);
      BOOST_TEST(d.head(2).norm() > 0.01);
    }
}

BOOST_AUTO_TEST_CASE(products_of_a_set_are_those_of_its_matrices)
{
  ConstraintSet set;
  Eigen::VectorXd q(6), v(6), w(6);
  q << 0.1, -0.4, 0.3, 1.2, 0.5, -0.2;
  v << 1, 2, -1, 0.5, 0.3, 0.2;
  w << 0.4, 0.1, 0.2, -0.7, 1, 0.6;
  set.add(std::make_unique<DistanceConstraint>(DistanceConstraint::between("rod", {0, 1, 4, 5}, 1, Form::length)));
  set.add(std::make_unique<CoordinateConstraint>("rail", 3, 1));
  set.add(std::make_unique<SurfaceConstraint>("curve", Expression("x^2*y - 1", {"x", "y"}), std::vector<int>{2, 3}));
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(3, 6);
  Eigen::VectorXd up, down, entries, product, lambda(3), transposed = Eigen::VectorXd::Zero(6);
  lambda << 0.7, -1.1, 0.4;
  for (int a = 0; a < 6; ++a)
  {
    Eigen::VectorXd shifted = q;
    shifted[a] += h;
    set.value(shifted, up);
    shifted[a] -= 2 * h;
    set.value(shifted, down);
    jacobian.col(a) = (up - down) / (2 * h);
  }
  set.jacobian(q, entries);
  set.apply(entries, v, product);
  BOOST_TEST((product - jacobian * v).norm() < tolerance);
  set.add_transpose(entries, lambda, 2, transposed);
  BOOST_TEST((transposed - 2 * jacobian.transpose() * lambda).norm() < tolerance);
  // g''[v, w] as the change of G v along w.
  set.jacobian(q + h * w, entries);
  set.apply(entries, v, up);
  set.jacobian(q - h * w, entries);
  set.apply(entries, v, down);
  set.second_derivative(q, v, w, product);
  BOOST_TEST((product - (up - down) / (2 * h)).norm() < tolerance);
  Eigen::VectorXd hessian_product = Eigen::VectorXd::Zero(6);
  set.add_hessian_product(q, lambda, v, 1, hessian_product);
  BOOST_TEST(std::abs(hessian_product.dot(w) - lambda.dot(product)) < 1e-13);
  BOOST_TEST(lambda.dot(product) != 0);
}

BOOST_AUTO_TEST_CASE(impossible_constraints_are_refused)
{
  BOOST_CHECK_THROW(DistanceConstraint::between("rod", {0, 1}, 0, Form::length), InputError);
  BOOST_CHECK_THROW(DistanceConstraint::between("rod", {0, 1}, -1, Form::half_square), InputError);
  const auto rod = DistanceConstraint::between("rod", {0, 1}, 1, Form::length);
  const double x[] = {0.5, 0.5};
  BOOST_CHECK_THROW(rod.value(x), DomainError);
  const SurfaceConstraint surface("surface", Expression("log(x)", {"x"}), {0});
  const double negative = -1;
  BOOST_CHECK_THROW(surface.value(&negative), DomainError);
}

BOOST_AUTO_TEST_SUITE_END()
