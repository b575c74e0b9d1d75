#include <output/example_run.h>
#include <output/postprocess_script.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <vector>

using namespace freefall::testing;
using nlohmann::json;

namespace
{
const auto needs_paraview = needs("command -v pvpython && command -v Xvfb");
const auto needs_film = needs("command -v pvpython && command -v Xvfb && command -v ffmpeg && command -v ffprobe");
}

BOOST_AUTO_TEST_SUITE(slow_paraview)

BOOST_AUTO_TEST_CASE(paraview_reads_back_what_was_written, *needs_paraview)
{
  TemporaryFolder folder;
  write_example_run(folder.path(), 1);
  const Outcome outcome =
    run("pvpython " FREEFALL_SOURCE_DIR "/tests/output/read_with_paraview.py " + (folder / "snapshots.pvd").string());
  BOOST_REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.text);
  const json snapshots = json::parse(outcome.text);
  BOOST_REQUIRE(snapshots.size() == 21u);
  for (int i = 0; i <= 20; ++i)
  {
    const freefall::Snapshot expected = deforming_block(1, i * 5e-6);
    const json &found = snapshots[i];
    BOOST_TEST(found["time"].get<double>() == expected.time);
    BOOST_TEST(found["time_value"].get<double>() == expected.time);
    BOOST_TEST(found["n_cells"] == 6);
    BOOST_TEST(found["cell_types"] == json({10}));
    BOOST_TEST(found["last_cell"] == json({0, 4, 6, 7}));
    const std::vector<double> points(expected.points.data(), expected.points.data() + expected.points.size());
    BOOST_TEST(found["points"].get<std::vector<double>>() == points);
    BOOST_TEST(found["velocity"].get<std::vector<double>>() == expected.point_fields[0].values);
    BOOST_TEST(found["stress"].get<std::vector<double>>() == expected.cell_fields[0].values);
  }
}

BOOST_AUTO_TEST_CASE(render_draws_a_picture_of_the_run, *needs_paraview)
{
  TemporaryFolder folder;
  write_example_run(folder.path(), 2);
  const Outcome outcome = run(script("render") + " " + folder.path().string());
  BOOST_REQUIRE_MESSAGE(outcome.exit_code == 0, outcome.text);
  const std::array<unsigned, 2> expected = {1400, 900};
  BOOST_TEST(size_of_png(folder / "picture.png") == expected);
}

BOOST_AUTO_TEST_CASE(render_makes_pictures_and_a_film_of_a_real_run, *needs_film)
{
  TemporaryFolder folder;
  // No row of this history has any contact energy: the wall is touched for nanoseconds.
  const Outcome made = run(FREEFALL_EXECUTABLE " run " FREEFALL_SOURCE_DIR
                                               "/parameters/cube_impact_force_stepping.prm --quiet --force --set 'End time=20e-6' "
                                               "--set 'Output/Snapshot interval=5e-6' --set 'Checks/Check interval=1e-6' --output " +
                           folder.path().string());
  BOOST_REQUIRE_MESSAGE(made.exit_code == 0, made.text);
  const std::string command = script("render") + " " + folder.path().string();
  const Outcome frames = run(command + " --frames 3 --output " + (folder / "frame.png").string());
  BOOST_REQUIRE_MESSAGE(frames.exit_code == 0, frames.text);
  BOOST_TEST(contents_of(folder / "frame_0000.png") != contents_of(folder / "frame_0002.png"));
  const Outcome film = run(command + " --film " + (folder / "film.mp4").string());
  BOOST_REQUIRE_MESSAGE(film.exit_code == 0, film.text);
  const Outcome probe = run("ffprobe -v error -show_entries stream=codec_name,width,height,nb_frames -of csv=p=0 " +
                            (folder / "film.mp4").string());
  BOOST_TEST(probe.text == "h264,1400,900,5\n");
}

BOOST_AUTO_TEST_CASE(render_says_what_is_wrong, *needs_paraview)
{
  TemporaryFolder folder;
  const Outcome no_run = run(script("render") + " " + folder.path().string());
  BOOST_TEST(no_run.exit_code == 2);
  BOOST_TEST_CONTEXT(no_run.text) { BOOST_TEST(contains(no_run.text, "There is no '" + (folder / "snapshots.pvd").string())); }

  write_example_run(folder.path(), 1);
  const Outcome too_late = run(script("render") + " " + folder.path().string() + " --time 1");
  BOOST_TEST(too_late.exit_code == 2);
  BOOST_TEST_CONTEXT(too_late.text) { BOOST_TEST(contains(too_late.text, "--time 1: the snapshots are from 0 s to 0.0001 s")); }
}

BOOST_AUTO_TEST_SUITE_END()
