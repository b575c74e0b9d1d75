#include <freefall/output/readable_number.h>

#include <boost/test/unit_test.hpp>
#include <limits>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(readable_number)

BOOST_AUTO_TEST_CASE(times_have_three_digits_and_a_prefix)
{
  BOOST_TEST(readable_time(0) == "0 s");
  BOOST_TEST(readable_time(23.44e-6) == "23.4 us");
  BOOST_TEST(readable_time(1e-3) == "1.00 ms");
  BOOST_TEST(readable_time(0.25) == "250 ms");
  BOOST_TEST(readable_time(-3.125e-15) == "-3.12 fs");
  BOOST_TEST(readable_time(1e-20) == "1e-20 s");
  BOOST_TEST(readable_time(1) == "1 s");
  BOOST_TEST(readable_time(2000.5) == "2000.5 s");
}

BOOST_AUTO_TEST_CASE(rounding_up_moves_to_the_next_prefix)
{
  BOOST_TEST(readable_time(999.4e-6) == "999 us");
  BOOST_TEST(readable_time(999.6e-6) == "1.00 ms");
  BOOST_TEST(readable_time(0.9996) == "0.9996 s");
}

BOOST_AUTO_TEST_CASE(large_numbers_have_prefixes_too)
{
  BOOST_TEST(freefall::readable_number(123456, "", " steps/s") == "123k steps/s");
  BOOST_TEST(freefall::readable_number(12, "", " steps/s") == "12.0 steps/s");
  BOOST_TEST(freefall::readable_number(2.5e9, " ", "J") == "2.50 GJ");
  BOOST_TEST(freefall::readable_number(2.5e30, " ", "J") == "2.5e+30 J");
  BOOST_TEST(freefall::readable_number(std::numeric_limits<double>::infinity(), " ", "J") == "inf J");
}

BOOST_AUTO_TEST_CASE(durations_are_said_as_people_say_them)
{
  BOOST_TEST(readable_duration(0.2) == "0 s");
  BOOST_TEST(readable_duration(59.4) == "59 s");
  BOOST_TEST(readable_duration(59.6) == "1:00");
  BOOST_TEST(readable_duration(185) == "3:05");
  BOOST_TEST(readable_duration(3723) == "1:02:03");
  BOOST_TEST(readable_duration(2 * 86400 + 3 * 3600 + 59) == "2 d 3 h");
  BOOST_TEST(readable_duration(std::numeric_limits<double>::infinity()) == "more than 100 years");
}

BOOST_AUTO_TEST_SUITE_END()
