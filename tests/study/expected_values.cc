#include <study/study_files.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

namespace
{
/// x = cos(t) after 1 and after 2 by two steps, and what is expected of it.
std::string study(const ScratchFolder &scratch, const std::string &values, const std::string &more = "")
{
  write_oscillator(scratch / "base.prm");
  std::ofstream(scratch / "study.prm") << "set Base = base.prm\n"
                                          "subsection Variant fine\n subsection Integrator\n  subsection Explicit Newmark\n"
                                          "   set Time step = 0.001\n  end\n end\nend\nsubsection Variant coarse\nend\n"
                                          "subsection Sweep end\n set Parameter = End time\n set Values = 1, 2\nend\n"
                                          "subsection Measure x\n set Quantity = particle_body_position_x\nend\n"
                                          "subsection Expected cosine\n set Quantity = x\n set Values = "
                                       << values << "\n set Tolerance = 1e-4\n" << more << "end\n";
  return (scratch / "study.prm").string();
}
ProgramResult run_study(const ScratchFolder &scratch, const std::string &file)
{
  return run_freefall("study " + file + " --no-plot --output " + (scratch / "out").string());
}
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
}  // namespace

BOOST_AUTO_TEST_SUITE(expected_values)

BOOST_AUTO_TEST_CASE(they_stand_beside_what_was_found_with_the_deviation)
{
  const ScratchFolder scratch("expected");
  const auto result = run_study(scratch, study(scratch, "0.5403023058681398, -0.4161468365471424, 0.5403023058681398, -"));
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.output);
  const auto x = column_of(scratch / "out/study.csv", "x"), expected = column_of(scratch / "out/study.csv", "cosine"),
             deviation = column_of(scratch / "out/study.csv", "cosine_deviation");
  BOOST_TEST(expected[1] == "-0.4161468365471424");
  BOOST_TEST(expected[3] == "");
  BOOST_TEST(deviation[3] == "");
  // A deviation is a difference of two numbers near 1: rounding.
  for (int row = 0; row < 3; ++row)
    BOOST_TEST(std::abs(std::stod(x[row]) / std::stod(expected[row]) - 1 - std::stod(deviation[row])) < 1e-15);
  // Velocity Verlet is off by t dt^2 / 24 sin(t): 7e-8 at dt = 0.001, 4e-4 at 0.1.
  BOOST_TEST(contains(result.output, "cosine: x is within 0.01 % in 2 of 3 rows; the largest deviation is 0.06"), result.output);
  BOOST_TEST(contains(result.output, "coarse_end=1"), result.output);
  BOOST_TEST(contains(read_text(scratch / "out/study.json"), "\"deviation\": \"cosine_deviation\""));
}

BOOST_AUTO_TEST_CASE(they_may_be_for_some_variants_only)
{
  const ScratchFolder scratch("expected_variants");
  const auto result =
    run_study(scratch, study(scratch, "0.5403023058681398, -0.4161468365471424", " set Variants = coarse\n"));
  BOOST_TEST_REQUIRE(result.exit_code == 0, result.output);
  const auto expected = column_of(scratch / "out/study.csv", "cosine");
  BOOST_TEST(expected[0] == "");
  BOOST_TEST(expected[2] == "0.5403023058681398");
}

BOOST_AUTO_TEST_CASE(a_column_that_is_not_there_is_told_with_the_nearest)
{
  const ScratchFolder scratch("expected_column");
  auto file = study(scratch, "1, 2, 3, 4");
  std::string text = read_text(file);
  text.replace(text.find("Quantity = x\n set Values"), 12, "Quantity = n_step");
  std::ofstream(file) << text;
  const auto result = run_study(scratch, file);
  BOOST_TEST(result.exit_code == 3);
  BOOST_TEST(contains(result.output, "no column \"n_step\". Did you mean \"n_steps\"?"), result.output);
}

BOOST_AUTO_TEST_SUITE_END()
