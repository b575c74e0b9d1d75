#include <freefall/study/power_law_fit.h>
#include <freefall/study/study_table.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <sstream>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(power_law_fit)

BOOST_AUTO_TEST_CASE(exact_power_law_of_two_variables_is_found_to_rounding)
{
  Eigen::MatrixXd x(9, 2);
  Eigen::VectorXd y(9);
  int row = 0;
  for (const double h : {1e-3, 5e-4, 2.5e-4})
    for (const double n : {213., 375., 1287.})
    {
      x.row(row) << h, n;
      y[row++] = 4.2e-3 * h / (n * n);
    }
  const auto fit = fit_power_law(x, y);
  BOOST_TEST_REQUIRE(fit.has_value());
  // Logarithms of numbers around 1e-12 carry an absolute rounding error of a few 1e-15.
  BOOST_TEST(std::abs(fit->slopes[0].value - 1) < 1e-13);
  BOOST_TEST(std::abs(fit->slopes[1].value + 2) < 1e-13);
  BOOST_TEST(std::abs(fit->log_constant - std::log(4.2e-3)) < 1e-12);
  BOOST_TEST(*fit->slopes[0].half_width < 1e-13);
  BOOST_TEST(*fit->r_squared > 1 - 1e-13);
}

BOOST_AUTO_TEST_CASE(uncertainty_is_that_of_the_textbook)
{
  // ln x = 0, 1, 2 and ln y = 0, 1 + d, 2: slope 1, residuals -d/3, 2d/3, -d/3, so s^2 = (6/9) d^2 / 1 and the standard error
  // is s / sqrt(sum of squares of ln x about its mean = 2). Student's t for 95 % and 1 degree of freedom is 12.7062.
  const double d = 0.3;
  Eigen::MatrixXd x(3, 1);
  x << 1, std::exp(1.), std::exp(2.);
  const Eigen::Vector3d y(1, std::exp(1 + d), std::exp(2.));
  const auto fit = fit_power_law(x, y);
  BOOST_TEST_REQUIRE(fit.has_value());
  const double error = std::sqrt(6. / 9. * d * d / 2);
  BOOST_TEST(std::abs(fit->slopes[0].value - 1) < 1e-14);
  BOOST_TEST(std::abs(*fit->slopes[0].standard_error - error) < 1e-14);
  BOOST_TEST(std::abs(*fit->slopes[0].half_width / error - 12.7062) < 1e-4);
}

BOOST_AUTO_TEST_CASE(two_points_give_a_slope_without_uncertainty_and_one_point_none)
{
  Eigen::MatrixXd x(2, 1);
  x << 1, 2;
  const auto fit = fit_power_law(x, Eigen::Vector2d(1, 8));
  BOOST_TEST_REQUIRE(fit.has_value());
  BOOST_TEST(std::abs(fit->slopes[0].value - 3) < 1e-14);
  BOOST_TEST(!fit->slopes[0].half_width.has_value());
  BOOST_TEST(!fit_power_law(x.topRows(1), Eigen::VectorXd::Ones(1)).has_value());
}

BOOST_AUTO_TEST_CASE(variables_that_do_not_vary_independently_give_no_fit)
{
  Eigen::MatrixXd x(4, 2);
  for (int i = 0; i < 4; ++i) x.row(i) << i + 1, 3. * (i + 1) * (i + 1);
  BOOST_TEST(!fit_power_law(x, Eigen::Vector4d(1, 2, 3, 4)).has_value());
  BOOST_TEST(!fit_power_law(Eigen::MatrixXd::Ones(4, 1), Eigen::Vector4d(1, 2, 3, 4)).has_value());
}

BOOST_AUTO_TEST_CASE(table_is_fitted_by_groups_and_leaves_out_what_has_no_logarithm)
{
  StudyTable table;
  for (const std::string variant : {"a", "b"})
    for (const double h : {0.1, 0.2, 0.4, 0.8})
    {
      table.add_row();
      table.set("variant", variant);
      table.set("h", h);
      if (variant == "b" && h == 0.8)
        table.set("error", std::numeric_limits<double>::quiet_NaN());
      else
        table.set("error", variant == "a" ? 3 * h * h : 5 * std::pow(h, 4));
    }
  const auto fits = fit_table(table, {{"order", "error", {"h"}, {"variant"}, {}, 0, 0, {}}});
  BOOST_TEST_REQUIRE(fits.size() == 2u);
  BOOST_TEST(std::abs(fits[0].fit->slopes[0].value - 2) < 1e-13);
  BOOST_TEST(std::abs(fits[1].fit->slopes[0].value - 4) < 1e-13);
  BOOST_TEST(fits[0].n_left_out == 0);
  BOOST_TEST(fits[1].n_left_out == 1);
  std::ostringstream printed;
  print_fits(printed, fits);
  BOOST_TEST(printed.str().find("order, b: error ~ h^(4 +- ") != std::string::npos, printed.str());

  const auto of_b = fit_table(table, {{"order", "error", {"h"}, {}, {}, 0.01, 0, {"b"}}});
  BOOST_TEST_REQUIRE(of_b.size() == 1u);
  BOOST_TEST(of_b[0].n_left_out == 3);  // 5e-4 and 8e-3 are below 0.01, and the NaN
  BOOST_TEST(!of_b[0].fit.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
