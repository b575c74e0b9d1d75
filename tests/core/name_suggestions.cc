#include <freefall/core/nearest_name.h>

#include <boost/test/unit_test.hpp>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(name_suggestions)

BOOST_AUTO_TEST_CASE(each_edit_costs_two_and_a_change_of_case_one)
{
  BOOST_TEST(name_distance("Density", "Density") == 0);
  BOOST_TEST(name_distance("density", "Density") == 1);
  BOOST_TEST(name_distance("Densty", "Density") == 2);
  BOOST_TEST(name_distance("Densiity", "Density") == 2);
  BOOST_TEST(name_distance("Dencity", "Density") == 2);
  BOOST_TEST(name_distance("Denisty", "Density") == 2);
  BOOST_TEST(name_distance("", "abc") == 6);
  BOOST_TEST(name_distance("abc", "") == 6);
}

BOOST_AUTO_TEST_CASE(the_nearest_plausible_name_is_found)
{
  const std::vector<std::string> names{"Density", "Viscosity", "End time"};
  BOOST_TEST(nearest_name("Densty", names).value() == "Density");
  BOOST_TEST(nearest_name("end_time", names).value() == "End time");
  BOOST_TEST(!nearest_name("Poisson ratio", names).has_value());
  BOOST_TEST(!nearest_name("Densty", {}).has_value());
  BOOST_TEST(did_you_mean("Densty", names) == " Did you mean \"Density\"?");
  BOOST_TEST(did_you_mean("xyz", names) == "");
}

BOOST_AUTO_TEST_SUITE_END()
