#include <freefall/core/errors.h>
#include <freefall/output/snapshot_writer.h>
#include <output/deforming_block.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace freefall;
using namespace freefall::testing;

BOOST_AUTO_TEST_SUITE(snapshot_writer)

BOOST_AUTO_TEST_CASE(the_collection_is_whole_after_every_snapshot)
{
  TemporaryFolder folder;
  SnapshotWriter snapshots(folder.path(), "cube");
  BOOST_TEST(snapshots.write(deforming_block(1, 0)) == folder / "snapshots" / "cube_000000.vtu");
  const std::string begin = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n";
  const std::string first = "    <DataSet timestep=\"0\" file=\"snapshots/cube_000000.vtu\"/>\n";
  const std::string end = "  </Collection>\n</VTKFile>\n";
  BOOST_TEST(contents_of(folder / "snapshots.pvd") == begin + first + end);

  snapshots.write(deforming_block(1, 0.1 + 0.2));
  const std::string second = "    <DataSet timestep=\"0.30000000000000004\" file=\"snapshots/cube_000001.vtu\"/>\n";
  BOOST_TEST(contents_of(folder / "snapshots.pvd") == begin + first + second + end);
  BOOST_TEST(std::filesystem::exists(folder / "snapshots" / "cube_000001.vtu"));
}

BOOST_AUTO_TEST_CASE(a_resumed_run_keeps_the_first_snapshots_and_overwrites_later_ones)
{
  TemporaryFolder folder;
  {
    SnapshotWriter snapshots(folder.path(), "cube");
    for (double time : {0., 1e-6, 2e-6}) snapshots.write(deforming_block(1, time));
  }
  SnapshotWriter snapshots(folder.path(), "cube", {0., 1e-6});
  snapshots.write(deforming_block(1, 5e-6));
  const std::vector<double> expected = {0., 1e-6, 5e-6};
  BOOST_TEST(snapshots.times() == expected);
  BOOST_TEST(contains(contents_of(folder / "snapshots" / "cube_000002.vtu"), ">5e-06<"));
  BOOST_TEST(contains(contents_of(folder / "snapshots.pvd"), "\"5e-06\" file=\"snapshots/cube_000002.vtu\""));
  BOOST_TEST(!contains(contents_of(folder / "snapshots.pvd"), "\"2e-06\""));
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_made_is_an_error_with_path_and_reason)
{
  TemporaryFolder folder;
  make_file(folder / "file", "");
  SnapshotWriter snapshots(folder / "file", "cube");
  BOOST_CHECK_EXCEPTION(snapshots.write(deforming_block(1, 0)), RunError,
                        [](const RunError &error)
                        { return contains(error.what(), "snapshots") && contains(error.what(), "Not a directory"); });
  BOOST_TEST(snapshots.times().empty());
}

BOOST_AUTO_TEST_SUITE_END()
