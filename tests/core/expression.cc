#include <freefall/core/errors.h>
#include <freefall/core/expression.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
double value(const std::string &formula, double x = 0, double y = 0)
{
  const double variables[2] = {x, y};
  return Expression(formula, {"x", "y"})(variables);
}

void check_error(const std::string &formula, const std::string &expected)
{
  BOOST_CHECK_EXCEPTION(value(formula), InputError,
                        [&](const InputError &error)
                        {
                          const std::string text = error.what();
                          BOOST_TEST_MESSAGE(text);
                          return text.find("formula '" + formula + "'") == 0 && text.find(expected) != std::string::npos;
                        });
}
}  // namespace

BOOST_AUTO_TEST_SUITE(expression)

BOOST_AUTO_TEST_CASE(operators_have_the_usual_precedence)
{
  BOOST_TEST(value("2 + 3*4 - 10/4") == 11.5);
  BOOST_TEST(value("-x^2", 3) == -9);
  BOOST_TEST(value("2^3^2") == 512);
  BOOST_TEST(value("2^-2") == 0.25);
  BOOST_TEST(value("(x - 2)^3", -1) == -27);
  BOOST_TEST(value("8 - 3 - 2") == 3);
  BOOST_TEST(value("12/3/2") == 2);
  BOOST_TEST(value("--x", 5) == 5);
  BOOST_TEST(value("x^y", 2, 0.5) == std::sqrt(2.0), boost::test_tools::tolerance(1e-15));
  BOOST_TEST(value("1.5e-3*x", 2) == 0.003);
  BOOST_TEST(value("cos(pi)") == -1);
  BOOST_TEST(value("atan2(x, y)", 1, -1) == std::atan2(1.0, -1.0));
  BOOST_TEST(value("tanh(x) + sinh(x) - cosh(x)", 0.3) == std::tanh(0.3) + std::sinh(0.3) - std::cosh(0.3),
             boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(mistakes_are_named_with_their_place)
{
  check_error("x + foo(y)", "at character 5: 'foo' is not known. Variables: x, y; functions: sqrt, exp");
  check_error("abs(x)", "only smooth ones");
  check_error("x + ", "at character 5: a number, a name or '(' is missing");
  check_error("(x + y", "')' is missing");
  check_error("x y", "at character 3: 'y' is not expected here");
  check_error("x $ y", "'$' is not expected here");
  check_error("atan2(x)", "',' is missing");
  check_error("sin x", "'(' is missing");
  check_error("", "is missing");
  check_error(std::string(300, '('), "nested too deeply");
}

BOOST_AUTO_TEST_CASE(functions_with_kinks_are_there_when_asked_for_and_have_the_slope_of_the_active_side)
{
  const Expression ramp("3*min(t, 2) + abs(t - 5) - max(1, t)", {"t"}, Expression::Functions::with_kinks);
  const auto at = [&](double time)
  {
    Dual<double, 1> t(time);
    t.d[0] = 1;
    return ramp(&t);
  };
  BOOST_TEST(at(0.5).x == 1.5 + 4.5 - 1);
  BOOST_TEST(at(0.5).d[0] == 3 - 1);
  BOOST_TEST(at(3).x == 6 + 2 - 3);
  BOOST_TEST(at(3).d[0] == -1 - 1);
  BOOST_TEST(at(7).d[0] == 1 - 1);
}

BOOST_AUTO_TEST_CASE(increments_keep_their_digits_where_subtraction_loses_them)
{
  const Expression cosine("cos(x)", {"x"});
  const Increment<double> x(0.3, 1e-18);
  // -sin(0.3) 1e-18, to a few roundings.
  BOOST_TEST(cosine(&x).d == -std::sin(0.3) * 1e-18, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_SUITE_END()
