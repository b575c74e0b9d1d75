#include <freefall/core/text.h>

#include <boost/test/unit_test.hpp>
#include <sstream>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(number_text)

BOOST_AUTO_TEST_CASE(whole_numbers_in_the_usual_forms_are_read)
{
  // Equality, not a tolerance: the nearest double is what the compiler reads too.
  BOOST_TEST(parse_number("1e-9").value() == 1e-9);
  BOOST_TEST(parse_number(".5").value() == 0.5);
  BOOST_TEST(parse_number("5.").value() == 5.);
  BOOST_TEST(parse_number("+3").value() == 3.);
  BOOST_TEST(parse_number("  -2.5E3\t").value() == -2500.);
  BOOST_TEST(parse_number("0.1").value() == 0.1);
  BOOST_TEST(parse_number("4.9406564584124654e-324").value() == 4.9406564584124654e-324);
}

BOOST_AUTO_TEST_CASE(anything_else_is_not_a_number)
{
  for (const char *text :
       {"",    " ",   "1,5", "nan", "NaN", "inf", "-inf", "infinity", "1e400", "-1e400", "1e-400", "1 2", "3m",   "0x10",
        "+-3", "++3", "--3", "+",   "-",   ".",   "e5",   "1e",       "1e+",   "1.2.3",  "one",    "1d5", "1'000"})
    BOOST_TEST(!parse_number(text).has_value(), "\"" << text << "\" was taken for a number");
}

BOOST_AUTO_TEST_CASE(integers_are_whole_and_within_the_range_of_int)
{
  BOOST_TEST(parse_integer("-3").value() == -3);
  BOOST_TEST(parse_integer("+7").value() == 7);
  BOOST_TEST(parse_integer("2147483647").value() == 2147483647);
  for (const char *text : {"", "1.0", "1e3", "2147483648", "-2147483649", "0x1", "3 ,", "+-1"})
    BOOST_TEST(!parse_integer(text).has_value(), "\"" << text << "\" was taken for an integer");
}

BOOST_AUTO_TEST_CASE(booleans_are_four_words)
{
  BOOST_TEST(parse_boolean("true").value());
  BOOST_TEST(parse_boolean(" yes ").value());
  BOOST_TEST(!parse_boolean("false").value());
  BOOST_TEST(!parse_boolean("no").value());
  for (const char *text : {"", "1", "0", "True", "on", "y"}) BOOST_TEST(!parse_boolean(text).has_value());
}

BOOST_AUTO_TEST_CASE(splitting_keeps_empty_parts_but_a_blank_text_has_none)
{
  BOOST_TEST(split("1, 2 ,3", ',') == (std::vector<std::string>{"1", "2", "3"}), boost::test_tools::per_element());
  BOOST_TEST(split("1,,2,", ',') == (std::vector<std::string>{"1", "", "2", ""}), boost::test_tools::per_element());
  BOOST_TEST(split("  ", ',').empty());
  BOOST_TEST(join({"a", "b", "c"}, ", ") == "a, b, c");
  BOOST_TEST(join({}, ", ") == "");
}

BOOST_AUTO_TEST_CASE(blanks_in_names_are_made_regular)
{
  BOOST_TEST(normalise_blanks("  End \t  time\r") == "End time");
  BOOST_TEST(normalise_blanks(" ") == "");
}

BOOST_AUTO_TEST_CASE(a_long_text_is_abbreviated_between_characters)
{
  BOOST_TEST(abbreviate("short") == "short");
  BOOST_TEST(abbreviate(std::string(200, 'a')) == std::string(200, 'a'));
  BOOST_TEST(abbreviate(std::string(201, 'a')) == std::string(200, 'a') + "...");
  BOOST_TEST(abbreviate(std::string(199, 'a') + "\u00e9 and more") == std::string(199, 'a') + "...");
}

BOOST_AUTO_TEST_CASE(search_ignores_case)
{
  BOOST_TEST(contains_ignoring_case("Material/Density", "DENS"));
  BOOST_TEST(contains_ignoring_case("Material/Density", ""));
  BOOST_TEST(contains_ignoring_case("", ""));
  BOOST_TEST(!contains_ignoring_case("Density", "Densities"));
}

BOOST_AUTO_TEST_CASE(wrapping_keeps_to_the_width_loses_no_word_and_keeps_line_breaks)
{
  std::ostringstream stream;
  write_wrapped(stream, "aaa bbb  ccc\nddd averyverylongword e", "# ", 9);
  BOOST_TEST(stream.str() == "# aaa bbb\n# ccc\n# ddd\n# averyverylongword\n# e\n");
  std::ostringstream nothing;
  write_wrapped(nothing, "", "# ");
  BOOST_TEST(nothing.str() == "");
}

BOOST_AUTO_TEST_SUITE_END()
