#include <freefall/core/window_mean.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(window_mean)

BOOST_AUTO_TEST_CASE(the_mean_of_a_straight_line_is_exact_whatever_the_samples)
{
  WindowMean window(0.3);
  for (const double t : {0., 0.17, 0.29, 0.5, 0.55, 1.})
  {
    window.add(t, Eigen::Vector2d(1 + 2 * t, -t));
    // The middle of the window, or of what there is of it: exact up to rounding of a few terms of size 1.
    const double middle = t - std::min(t, 0.3) / 2;
    BOOST_TEST(std::abs(window.mean()[0] - (1 + 2 * middle)) < 1e-14);
    BOOST_TEST(std::abs(window.mean()[1] + middle) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(an_oscillation_averages_out_and_its_offset_stays)
{
  const double period = 0.01;
  WindowMean window(20 * period);
  double largest = 0;
  for (int i = 0; i <= 100000; ++i)
  {
    const double t = i * period / 40;
    window.add(t, Eigen::VectorXd::Constant(1, 3 + std::cos(2 * M_PI * t / period)));
    if (t > 0.2) largest = std::max(largest, std::abs(window.mean()[0] - 3));
  }
  // A whole number of periods cancels, but for one that an end of the window cuts by rounding.
  BOOST_TEST(largest < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_sample_that_is_not_later_is_ignored)
{
  WindowMean window(1);
  BOOST_TEST(window.is_empty());
  window.add(1, Eigen::VectorXd::Constant(1, 5));
  window.add(1, Eigen::VectorXd::Constant(1, 100));
  BOOST_TEST(window.mean()[0] == 5);
  BOOST_CHECK_THROW(WindowMean(0), std::logic_error);
}

BOOST_AUTO_TEST_CASE(what_was_saved_goes_on_bit_for_bit)
{
  WindowMean window(0.7), other(0.7);
  const auto value = [](double t) { return Eigen::Vector2d(std::sin(9 * t), std::exp(-t)); };
  for (int i = 0; i < 50; ++i) window.add(0.1 * i, value(0.1 * i));
  Archive saved;
  window.archive(saved);
  Archive loaded(saved.bytes());
  other.archive(loaded);
  loaded.finish();
  for (int i = 50; i < 60; ++i)
  {
    window.add(0.1 * i, value(0.1 * i));
    other.add(0.1 * i, value(0.1 * i));
    BOOST_TEST(window.mean() == other.mean());
  }
}

BOOST_AUTO_TEST_SUITE_END()
