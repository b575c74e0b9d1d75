#include "fault_runs.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(slow_killed_runs)

BOOST_AUTO_TEST_CASE(runs_killed_hundreds_of_times_end_with_the_same_files)
{
  int n_kills = 0;
  for (unsigned int seed = 2; seed < 4; ++seed)
    for (const auto &which : fault_runs::cases())
    {
      const auto report = fault_runs::kill_and_resume(which, 25, seed);
      BOOST_TEST(report.differences == "", which.name << ": " << report.differences);
      BOOST_TEST_MESSAGE(which.name << ": " << report.n_kills << " kills, " << report.n_before_first_checkpoint
                                    << " before the first checkpoint, " << report.n_finished << " runs compared");
      n_kills += report.n_kills;
    }
  BOOST_TEST(n_kills >= 700);
}

BOOST_AUTO_TEST_SUITE_END()
