#include <freefall/core/errors.h>
#include <freefall/output/summary.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

using namespace freefall;
using namespace freefall::testing;
using nlohmann::json;

namespace
{
RunSummary example()
{
  RunSummary summary;
  summary.status = "stopped";
  summary.message = "element 17 inverted";
  summary.integrator = "force_stepping";
  summary.end_time = 0.1 + 0.2;
  summary.n_dofs = 213;
  summary.n_steps = 1234567890123;
  summary.n_force_evaluations = 5;
  summary.n_potential_evaluations = 6;
  summary.time_step = {1e-9, 1e-15, 2e-8};
  summary.relative_energy_drift = 3e-14;
  summary.wall_seconds = 1.5;
  summary.warnings = {"first", "second"};
  summary.sections = {{"force_stepping", {{"n_swaps", 22099}, {"queue_length", 12.5}}}};
  summary.walls = {{{0, 0, -0.05}, {0, 0, 1}}};
  return summary;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(summary)

BOOST_AUTO_TEST_CASE(every_entry_is_written_under_its_documented_key)
{
  TemporaryFolder folder;
  write_summary(folder / "summary.json", example());
  const json read = json::parse(contents_of(folder / "summary.json"));
  const json expected = json::parse(R"({
    "status": "stopped", "message": "element 17 inverted", "integrator": "force_stepping", "end_time": 0.30000000000000004,
    "n_dofs": 213, "n_ranks": 1, "n_steps": 1234567890123, "n_force_evaluations": 5, "n_potential_evaluations": 6,
    "time_step": {"average": 1e-9, "minimum": 1e-15, "maximum": 2e-8}, "relative_energy_drift": 3e-14, "wall_seconds": 1.5,
    "warnings": ["first", "second"], "walls": [{"point": [0, 0, -0.05], "normal": [0, 0, 1]}],
    "force_stepping": {"n_swaps": 22099, "queue_length": 12.5}})");
  BOOST_TEST(read == expected);
}

BOOST_AUTO_TEST_CASE(counts_among_the_further_numbers_have_no_point)
{
  const std::string text = to_json(example());
  BOOST_TEST(contains(text, "\"n_swaps\": 22099,"));
  BOOST_TEST(contains(text, "\"queue_length\": 12.5"));
}

BOOST_AUTO_TEST_CASE(infinite_numbers_and_numbers_that_are_none_become_null)
{
  RunSummary summary = example();
  summary.time_step.minimum = std::numeric_limits<double>::infinity();
  summary.relative_energy_drift = std::numeric_limits<double>::quiet_NaN();
  summary.sections = {{"other", {{"x", -std::numeric_limits<double>::infinity()}}}};
  const json read = json::parse(to_json(summary));
  BOOST_TEST(read["time_step"]["minimum"].is_null());
  BOOST_TEST(read["relative_energy_drift"].is_null());
  BOOST_TEST(read["other"]["x"].is_null());
}

BOOST_AUTO_TEST_CASE(a_section_cannot_take_the_place_of_another_entry)
{
  RunSummary summary = example();
  summary.sections = {{"n_steps", {}}};
  BOOST_CHECK_THROW(to_json(summary), std::logic_error);
}

BOOST_AUTO_TEST_CASE(a_message_that_is_no_utf8_is_still_written)
{
  RunSummary summary = example();
  summary.message =
    "cannot read 'a\xff"
    "b'";
  BOOST_TEST(json::parse(to_json(summary))["message"] ==
             "cannot read 'a\xef\xbf\xbd"
             "b'");
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_missing_is_an_error)
{
  TemporaryFolder folder;
  BOOST_CHECK_THROW(write_summary(folder / "missing" / "summary.json", example()), RunError);
}

BOOST_AUTO_TEST_SUITE_END()
