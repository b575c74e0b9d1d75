#include <freefall/core/pattern.h>

#include <boost/test/unit_test.hpp>
#include <initializer_list>
#include <stdexcept>

using namespace freefall;

namespace
{
void check_all(const Pattern &pattern, std::initializer_list<const char *> good, std::initializer_list<const char *> bad)
{
  for (const char *text : good)
    BOOST_TEST(!pattern.check(text).has_value(), "\"" << text << "\" should be " << pattern.describe());
  for (const char *text : bad)
    BOOST_TEST(pattern.check(text).has_value(), "\"" << text << "\" should not be " << pattern.describe());
}
}  // namespace

BOOST_AUTO_TEST_SUITE(pattern)

BOOST_AUTO_TEST_CASE(numbers_keep_to_their_bounds)
{
  check_all(Pattern::number("m"), {"0", "-1e300", "+3", ".5"}, {"", "1,5", "nan", "inf", "1 m", "1e999"});
  check_all(Pattern::number("m", Bounds::positive()), {"1e-300", "5"}, {"0", "-0.0", "-1"});
  check_all(Pattern::number("m", Bounds::non_negative()), {"0", "5"}, {"-1e-300"});
  check_all(Pattern::number("", Bounds::closed(0, 1)), {"0", "0.5", "1"}, {"-1e-16", "1.0000000000000002"});
  check_all(Pattern::number("", Bounds::open(-1, 0.5)), {"-0.999", "0"}, {"-1", "0.5"});
  check_all(Pattern::number("", Bounds::left_open(0, 1)), {"1"}, {"0"});
  check_all(Pattern::number("", Bounds::right_open(0, 1)), {"0"}, {"1"});
  check_all(Pattern::number("", Bounds::above(2)), {"2.5"}, {"2"});
  check_all(Pattern::number("", Bounds::at_least(2)), {"2"}, {"1.9"});
}

BOOST_AUTO_TEST_CASE(integers_keep_to_their_range)
{
  check_all(Pattern::integer(1, 3), {"1", "3", "+2"}, {"0", "4", "1.0", "", "two"});
  check_all(Pattern::integer(), {"-2147483648", "2147483647"}, {"2147483648"});
}

BOOST_AUTO_TEST_CASE(other_kinds_take_what_they_say)
{
  check_all(Pattern::boolean(), {"true", "false", "yes", "no"}, {"1", "maybe", ""});
  check_all(Pattern::choice({"newmark", "verlet"}), {"newmark", " verlet "}, {"Newmark", "", "new mark"});
  check_all(Pattern::text(), {"", "anything at all"}, {});
  check_all(Pattern::vector(3, "m"), {"1,2,3", " 1 , -2.5e3 ,.5"}, {"1,2", "1,2,3,4", "1,2,", "1 2 3", "", "1;2;3", "1,2,nan"});
  check_all(Pattern::vector(2, "m", Bounds::positive()), {"1,2"}, {"1,0"});
  check_all(Pattern::numbers("m"), {"", "1", "1,2,3"}, {"1,,2", "a", "1 2"});
  check_all(Pattern::integers(), {"", "1", "1, 2"}, {"1.5", "1,,2"});
  check_all(Pattern::integers(0, 5), {"0,5"}, {"0,6"});
}

BOOST_AUTO_TEST_CASE(words_can_be_added_to_any_pattern)
{
  const Pattern pattern = Pattern::number("m/s", Bounds::positive()).or_word("auto").or_word("none");
  check_all(pattern, {"3", "auto", " none "}, {"0", "Auto", "automatic", ""});
  BOOST_TEST(pattern.is_word("auto"));
  BOOST_TEST(!pattern.is_word("3"));
  BOOST_TEST(pattern.describe() == "a positive number in m/s, or auto, or none");
}

BOOST_AUTO_TEST_CASE(formulas_are_compiled_when_checked)
{
  check_all(Pattern::formula(1, {"x", "t"}), {"x + sin(t)", "3", "x == 1 ? 2 : 3"}, {"", "y", "sin(", "x = 3", "1,5", "x; t"});
  check_all(Pattern::formula(3, {"x", "y", "z"}, "m"), {"x; y; z", "0;0;-9.81"}, {"x; y", "x; y; ", "x; y; q", "x;;y"});
  BOOST_TEST(Pattern::formula(3, {"x"}, "m").check("1; 2").value() == "must be 3 formulas of x in m, separated by ;. Found 2.");
  BOOST_TEST(Pattern::formula(1, {"x", "y"})
               .check("x + foo")
               .value()
               .find("Formula \"x + foo\" at position 5: \"foo\" is not known. "
                     "Variables: x, y; constants: e, pi; functions: abs, ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_mismatch_says_what_is_allowed_and_what_to_do)
{
  BOOST_TEST(Pattern::number("kg/m3", Bounds::positive()).check("-3").value() == "must be a positive number in kg/m3.");
  BOOST_TEST(Pattern::number("m").check("1,5").value() == "must be a number in m. Write decimals with a point: 1.5.");
  BOOST_TEST(Pattern::number("").check("1e400").value() ==
             "must be a number. \"1e400\" is not a number in the range of double precision.");
  BOOST_TEST(Pattern::vector(3, "m").check("1, 2").value() == "must be 3 numbers in m, separated by commas. Found 2.");
  BOOST_TEST(Pattern::vector(3, "m").check("1, b, 2").value() ==
             "must be 3 numbers in m, separated by commas. \"b\" is not a number.");
  BOOST_TEST(Pattern::choice({"newmark", "verlet"}).check("newmrak").value() ==
             "must be one of newmark, verlet. Did you mean \"newmark\"?");
  BOOST_TEST(Pattern::choice({"newmark"}).or_word("auto").check("Auto").value() ==
             "must be newmark, or auto. Did you mean \"auto\"?");
}

BOOST_AUTO_TEST_CASE(patterns_describe_themselves)
{
  BOOST_TEST(Pattern::number().describe() == "a number");
  BOOST_TEST(Pattern::number("s", Bounds::non_negative()).describe() == "a non-negative number in s");
  BOOST_TEST(Pattern::number("", Bounds::closed(0, 0.5)).describe() == "a number in [0, 0.5]");
  BOOST_TEST(Pattern::number("m", Bounds::open(0, 1)).describe() == "a number in (0, 1) m");
  BOOST_TEST(Pattern::number("m", Bounds::at_least(2)).describe() == "a number of at least 2 m");
  BOOST_TEST(Pattern::integer().describe() == "an integer");
  BOOST_TEST(Pattern::integer(1).describe() == "an integer of at least 1");
  BOOST_TEST(Pattern::integer(1, 3).describe() == "an integer from 1 to 3");
  BOOST_TEST(Pattern::formula(1, {"x", "y"}, "Pa").describe() == "a formula of x, y in Pa");
  BOOST_TEST(Pattern::integers().describe() == "any count of integers, separated by commas");
}

BOOST_AUTO_TEST_CASE(senseless_patterns_are_programming_mistakes)
{
  BOOST_CHECK_THROW(Pattern::choice({}), std::logic_error);
  BOOST_CHECK_THROW(Pattern::vector(0), std::logic_error);
  BOOST_CHECK_THROW(Pattern::formula(0, {"x"}), std::logic_error);
}

BOOST_AUTO_TEST_SUITE_END()
