#include <freefall/core/formula.h>

#include <core/thrown_text.h>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <stdexcept>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(formula)

BOOST_AUTO_TEST_CASE(a_scalar_formula_takes_its_variables_in_order)
{
  const Formula f("2 * x - y", {"x", "y"});
  BOOST_TEST(f.n_components() == 1);
  BOOST_TEST(f({3, 1}) == 5.);
  const std::vector<double> values{0, 2};
  BOOST_TEST(f(values) == -2.);
}

BOOST_AUTO_TEST_CASE(a_vector_formula_has_one_value_for_each_component)
{
  const Formula f("x; x^2 ; -y", {"x", "y"});
  BOOST_TEST(f.n_components() == 3);
  BOOST_TEST(f({3, 1}, 0) == 3.);
  BOOST_TEST(f({3, 1}, 1) == 9.);
  BOOST_TEST(f({3, 1}, 2) == -1.);
}

BOOST_AUTO_TEST_CASE(constants_are_the_nearest_doubles)
{
  BOOST_TEST(Formula("pi", {})(Span<const double>()) == std::acos(-1.));
  BOOST_TEST(Formula("e", {})(Span<const double>()) == std::exp(1.));
  // A variable of that name takes precedence.
  BOOST_TEST(Formula("2 * e", {"e"})({5.}) == 10.);
}

BOOST_AUTO_TEST_CASE(copies_and_moved_formulas_are_independent)
{
  Formula first("x", {"x"});
  const Formula copy = first;
  Formula moved = std::move(first);
  BOOST_TEST(moved({1.}) == 1.);
  BOOST_TEST(copy({2.}) == 2.);
  moved = Formula("3 * x", {"x"});
  BOOST_TEST(moved({2.}) == 6.);
  BOOST_TEST(copy({5.}) == 5.);
}

BOOST_AUTO_TEST_CASE(errors_show_formula_position_and_reason)
{
  const auto error = [](const std::string &text) { return thrown_text([&] { Formula(text, {"x", "y"}); }); };
  const std::string unknown = error("x + foo * y");
  BOOST_TEST(unknown.rfind("formula \"x + foo * y\" at position 5: \"foo\" is not known. Variables: x, y; constants: e, pi; "
                           "functions: abs, acos, ",
                           0) == 0,
             unknown);
  BOOST_TEST(contains(error(""), "formula \"\": it is empty."));
  BOOST_TEST(contains(error("x;"), "it is empty."));
  BOOST_TEST(contains(error("x +"), "something is missing at the end."));
  BOOST_TEST(contains(error("sin(x"), "a closing parenthesis is missing."));
  BOOST_TEST(contains(error("x)"), "at position 2: \")\" is not expected."));
  BOOST_TEST(contains(error("2 x"), "at position 3: an operator is missing before \"x\"."));
  BOOST_TEST(contains(error("atan2(x)"), "too few arguments of atan2."));
  BOOST_TEST(contains(error("sin(x, y)"), "too many arguments of sin."));
  BOOST_TEST(contains(error("x; y; q"), "formula \"q\" at position 1"));
  BOOST_TEST(contains(error("1,5"), "at position 2: a comma separates arguments of a function only."));
  BOOST_TEST(contains(error(std::string(30000, '(')), "formula \"((("));
}

BOOST_AUTO_TEST_CASE(assignments_are_refused_and_comparisons_are_not)
{
  for (const char *text : {"x = 3", "x=y", "y + (x = 2)"})
    BOOST_TEST(contains(thrown_text([&] { Formula(text, {"x", "y"}); }), "assignments are not allowed"));
  BOOST_TEST(Formula("(x == 1) + (x <= 1) + (x >= 1) + (x != 1)", {"x"})({1.}) == 3.);
}

BOOST_AUTO_TEST_CASE(a_checked_evaluation_refuses_what_is_not_finite)
{
  const Formula f("1 / x; sqrt(y)", {"x", "y"});
  BOOST_TEST(std::isinf(f({0, 1})));
  BOOST_TEST(f.evaluate_finite({2, 1}) == 0.5);
  BOOST_TEST(thrown_text(
               [&] {
                 f.evaluate_finite({0, 1.5});
               }) == "formula \"1 / x\" is infinite at x = 0, y = 1.5. It must be finite wherever it is used.");
  BOOST_TEST(thrown_text(
               [&] {
                 f.evaluate_finite({1, -1}, 1);
               }) == "formula \"sqrt(y)\" is not a number at x = 1, y = -1. It must be finite wherever it is used.");
}

BOOST_AUTO_TEST_CASE(a_wrong_count_of_values_is_a_programming_mistake)
{
  const Formula f("x", {"x"});
  BOOST_CHECK_THROW(f({1, 2}), std::logic_error);
  BOOST_CHECK_THROW(f({1.}, 1), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()
