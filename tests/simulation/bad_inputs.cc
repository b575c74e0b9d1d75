#include "run_program.h"

#include <boost/test/unit_test.hpp>
#include <regex>

namespace fs = std::filesystem;

namespace
{
/// What a case of the folder bad_inputs must show: in comments at the top of a .prm, in a file NAME.expect beside others.
struct Expectation
{
  int exit_code = 2;
  std::string text;
};

Expectation expectation(const fs::path &input)
{
  Expectation expected;
  const fs::path beside = input.string() + ".expect";
  const std::string text = read_text(input);
  std::smatch match;
  if (fs::exists(beside))
    expected.text = read_text(beside);
  else
  {
    BOOST_TEST_REQUIRE(std::regex_search(text, match, std::regex("# expect: (.*)")), input.string()
                                                                                       << " says nothing of what to expect");
    expected.text = match[1];
    BOOST_TEST_REQUIRE(std::regex_search(text, match, std::regex("# exit: ([0-9])")));
    expected.exit_code = std::stoi(match[1]);
  }
  return expected;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(bad_inputs)

BOOST_AUTO_TEST_CASE(every_bad_input_ends_with_its_text_and_exit_code)
{
  int n_cases = 0;
  for (const auto &entry : fs::directory_iterator(fs::path(FREEFALL_SOURCE_DIR) / "tests" / "bad_inputs"))
  {
    const fs::path input = entry.path();
    if (input.extension() == ".expect" || entry.is_directory()) continue;
    ++n_cases;
    const Expectation expected = expectation(input);
    const ScratchFolder scratch("bad_inputs");
    const auto result = run_freefall("run " + input.string() + " --quiet --output " + (scratch / "run").string());
    BOOST_TEST(result.exit_code == expected.exit_code, input.filename() << ": exit code " << result.exit_code << ", said\n"
                                                                        << result.output);
    // A run that stopped under way says why in its summary, because --quiet silences the screen.
    const std::string said = expected.exit_code == 2 ? result.output : read_text(scratch / "run/summary.json");
    BOOST_TEST((said.find(expected.text) != std::string::npos), input.filename() << ": expected\n"
                                                                                 << expected.text << "\nsaid\n"
                                                                                 << said);
    BOOST_TEST(fs::exists(scratch / "run/history.csv") == (expected.exit_code == 3),
               input.filename() << ": results where none should be, or none");
    BOOST_TEST(result.output.find("terminate called") == std::string::npos);
  }
  BOOST_TEST(n_cases >= 60);
}

BOOST_AUTO_TEST_SUITE_END()
