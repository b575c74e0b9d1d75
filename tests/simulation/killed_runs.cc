#include "fault_runs.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(killed_runs)

BOOST_AUTO_TEST_CASE(runs_killed_tens_of_times_end_with_the_same_files)
{
  int n_kills = 0;
  for (const auto &which : fault_runs::cases())
  {
    const auto report = fault_runs::kill_and_resume(which, 4, 1);
    BOOST_TEST(report.differences == "", which.name << ": " << report.differences);
    BOOST_TEST(report.n_finished > 0);
    n_kills += report.n_kills;
  }
  BOOST_TEST(n_kills >= 56);
}

BOOST_AUTO_TEST_SUITE_END()
