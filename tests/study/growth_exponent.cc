#include <freefall/core/errors.h>
#include <freefall/study/growth_exponent.h>
#include <freefall/study/run_results.h>
#include <study/study_files.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
std::vector<double> times()
{
  std::vector<double> all;
  for (int i = 0; i <= 1000; ++i) all.push_back(0.1 * i);
  return all;
}
template <typename Function>
std::vector<double> values(const Function &function)
{
  std::vector<double> all;
  for (const double t : times()) all.push_back(function(t));
  return all;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(growth_exponent)

BOOST_AUTO_TEST_CASE(a_power_of_time_has_its_exponent)
{
  for (const double exponent : {0., 0.5, 1., 3.})
    // Rounding of logarithms.
    BOOST_TEST(std::abs(freefall::growth_exponent(times(), values([&](double t) { return 7 * std::pow(t, exponent); }), {1, 100}) -
                        exponent) < 1e-12);
}

BOOST_AUTO_TEST_CASE(an_oscillation_under_the_envelope_does_not_count)
{
  // Each part holds a peak of |sin 5 t|, which the rows meet within 0.05: 1 - cos(0.25) = 3 % at most.
  const auto y = values([](double t) { return t * t * std::sin(5 * t); });
  BOOST_TEST(std::abs(freefall::growth_exponent(times(), y, {2, 100}) - 2) < 0.03);
  BOOST_TEST(std::abs(freefall::growth_exponent(times(), y, {2, 30}) - 2) < 0.03);
}

BOOST_AUTO_TEST_CASE(only_the_span_counts)
{
  const auto y = values([](double t) { return t < 10 ? t : 10 * std::pow(t / 10, 3); });
  BOOST_TEST(std::abs(freefall::growth_exponent(times(), y, {1, 9.9}) - 1) < 1e-12);
  BOOST_TEST(std::abs(freefall::growth_exponent(times(), y, {10.1, 1e9}) - 3) < 1e-12);
}

BOOST_AUTO_TEST_CASE(what_does_not_change_has_no_exponent)
{
  const auto text = [](const RunError &error) { return std::string(error.what()).find("three of 8 parts") != std::string::npos; };
  BOOST_CHECK_EXCEPTION(freefall::growth_exponent(times(), values([](double) { return 0.; }), {1, 100}), RunError, text);
  BOOST_CHECK_EXCEPTION(freefall::growth_exponent(times(), values([](double t) { return t; }), {200, 300}), RunError, text);
}

BOOST_AUTO_TEST_CASE(measures_look_at_their_span)
{
  const ScratchFolder scratch("measure_span");
  std::ofstream(scratch / "history.csv") << "time,y\n0,1\n1,-3\n2,2\n3,7\n4,5\n5,6\n6,-9\n";
  const HistoryTable history(scratch / "history.csv");
  const auto of = [&](const std::string &what, TimeSpan span = {}) { return evaluate(Measure{"m", "y", what, span}, history); };
  BOOST_TEST(of("magnitude") == 9);
  BOOST_TEST(of("magnitude", {0, 2}) == 3);
  BOOST_TEST(of("maximum", {4, 5}) == 6);
  BOOST_TEST(of("mean", {4, 5}) == 5.5);
  BOOST_TEST(of("final magnitude") == 9);
  // Against the first value of the history, whatever the span: 7 - 1, -3 - 1.
  BOOST_TEST(of("largest change", {0, 5}) == 6);
  BOOST_TEST(of("largest change", {0, 2}) == 4);
  BOOST_CHECK_THROW(of("mean", {4.2, 4.8}), RunError);
}

BOOST_AUTO_TEST_SUITE_END()
