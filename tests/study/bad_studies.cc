#include <study/study_files.h>

#include <boost/test/unit_test.hpp>
#include <regex>

namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(bad_studies)

BOOST_AUTO_TEST_CASE(every_bad_study_ends_with_its_text_and_exit_code_2_and_starts_nothing)
{
  int n_cases = 0;
  for (const auto &entry : fs::directory_iterator(fs::path(FREEFALL_SOURCE_DIR) / "tests" / "bad_studies"))
  {
    if (entry.path().filename() == "base.prm") continue;
    ++n_cases;
    const std::string text = read_text(entry.path());
    std::smatch expected;
    BOOST_TEST_REQUIRE(std::regex_search(text, expected, std::regex("# expect: (.*)")), entry.path().string());
    const ScratchFolder scratch("bad_study");
    const auto result = run_freefall("study " + entry.path().string() + " --output " + (scratch / "out").string());
    BOOST_TEST(result.exit_code == 2, entry.path().filename() << " said\n" << result.output);
    BOOST_TEST((result.output.find(expected[1]) != std::string::npos), entry.path().filename() << ": expected\n"
                                                                                              << expected[1] << "\nsaid\n"
                                                                                              << result.output);
    BOOST_TEST(!fs::exists(scratch / "out"), entry.path().filename());
  }
  BOOST_TEST(n_cases >= 14);
}

BOOST_AUTO_TEST_SUITE_END()
