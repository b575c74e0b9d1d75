#include <freefall/systems/particles/transitions.h>

#include <boost/test/unit_test.hpp>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(transitions)

BOOST_AUTO_TEST_CASE(only_whole_ways_from_one_state_to_the_other_count)
{
  const std::vector<double> times = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  // Starts on the way, falls down, turns back at 4.9, goes up at 6, wavers, comes down in one jump at the end.
  const std::vector<double> values = {3, 0.9, 0.5, 4.9, 0.8, 3, 5.5, 4.8, 5.2, 0.7};
  const NamedValues counted = count_transitions(times, values, {1, 5});
  BOOST_TEST_REQUIRE(counted.size() == 2);
  BOOST_TEST(counted[0].name == "n_transitions");
  BOOST_TEST(counted[0].value == 2);
  BOOST_TEST(counted[1].name == "first_transition_time");
  BOOST_TEST(counted[1].value == 6);
}

BOOST_AUTO_TEST_CASE(who_stays_has_none)
{
  const NamedValues counted = count_transitions({0, 1, 2}, {0.5, 3, 0.7}, {1, 5});
  BOOST_TEST_REQUIRE(counted.size() == 1);
  BOOST_TEST(counted[0].value == 0);
}

BOOST_AUTO_TEST_SUITE_END()
