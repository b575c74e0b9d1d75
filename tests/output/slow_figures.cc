#include <output/postprocess_script.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>

using namespace freefall::testing;

namespace
{
const auto needs_matplotlib = needs("/usr/bin/python3 -c 'import matplotlib, numpy'");
}

BOOST_AUTO_TEST_SUITE(slow_figures)

BOOST_AUTO_TEST_CASE(every_figure_of_the_papers_is_made_from_shortened_runs, *needs_matplotlib)
{
  TemporaryFolder folder;
  const Outcome outcome = run(script("figures") + " --quick --program " FREEFALL_EXECUTABLE " --output " + folder.path().string());
  BOOST_TEST(outcome.exit_code == 0, outcome.text);
  BOOST_TEST(!contains(outcome.text, "missing:"), outcome.text);
  BOOST_TEST(!contains(outcome.text, "failed:"), outcome.text);
}

BOOST_AUTO_TEST_SUITE_END()
