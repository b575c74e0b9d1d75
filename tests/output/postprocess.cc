#include <output/postprocess_script.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>

using namespace freefall::testing;

namespace
{
const auto needs_matplotlib = needs("/usr/bin/python3 -c 'import matplotlib, numpy'");
}

BOOST_AUTO_TEST_SUITE(postprocess)

BOOST_AUTO_TEST_CASE(history_plots_whole_rows_of_the_columns_that_exist, *needs_matplotlib)
{
  TemporaryFolder folder;
  make_file(folder / "history.csv", "time,kinetic_energy\n0,1\n1e-6,2\n2e-6,1\n3e-");
  const Outcome outcome = run(script("plot") + " history " + folder.path().string());
  BOOST_REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.text);
  const std::array<unsigned, 2> expected = {1430, 975};  // two panels: there is no angular momentum
  BOOST_TEST(size_of_png(folder / "history.png") == expected);
}

BOOST_AUTO_TEST_CASE(history_says_what_is_wrong, *needs_matplotlib)
{
  TemporaryFolder folder;
  const std::string command = script("plot") + " history " + folder.path().string();
  const Outcome missing = run(command);
  BOOST_TEST(missing.exit_code == 2);
  BOOST_TEST_CONTEXT(missing.text) { BOOST_TEST(contains(missing.text, "No such file or directory")); }
  make_file(folder / "history.csv", "time,kinetic_energy\n0,1\n1\n");
  const Outcome ragged = run(command);
  BOOST_TEST(ragged.exit_code == 2);
  BOOST_TEST_CONTEXT(ragged.text) { BOOST_TEST(contains(ragged.text, "no table of numbers")); }
}

BOOST_AUTO_TEST_SUITE_END()
