#include <freefall/core/errors.h>
#include <freefall/output/atomic_file.h>
#include <output/file_size_limit.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>

using namespace freefall;
using namespace freefall::testing;

BOOST_AUTO_TEST_SUITE(atomic_file)

BOOST_AUTO_TEST_CASE(the_file_appears_only_at_commit)
{
  TemporaryFolder folder;
  AtomicFile file(folder / "a.txt");
  file.write("first ");
  file.write("second");
  BOOST_TEST(!std::filesystem::exists(folder / "a.txt"));
  file.commit();
  BOOST_TEST(contents_of(folder / "a.txt") == "first second");
  BOOST_TEST(!std::filesystem::exists(folder / "a.txt.partial"));
}

BOOST_AUTO_TEST_CASE(an_earlier_file_stays_until_commit_and_is_then_replaced)
{
  TemporaryFolder folder;
  make_file(folder / "a.txt", "a longer earlier text");
  AtomicFile file(folder / "a.txt");
  file.write("new");
  BOOST_TEST(contents_of(folder / "a.txt") == "a longer earlier text");
  file.commit();
  BOOST_TEST(contents_of(folder / "a.txt") == "new");
}

BOOST_AUTO_TEST_CASE(without_commit_nothing_is_left)
{
  TemporaryFolder folder;
  {
    AtomicFile file(folder / "a.txt");
    file.write("text");
    BOOST_TEST(!folder.holds_nothing());
  }
  BOOST_TEST(folder.holds_nothing());
}

BOOST_AUTO_TEST_CASE(a_leftover_of_a_killed_program_is_overwritten)
{
  TemporaryFolder folder;
  make_file(folder / "a.txt.partial", "half of something much longer");
  write_file_atomically(folder / "a.txt", "whole");
  BOOST_TEST(contents_of(folder / "a.txt") == "whole");
  BOOST_TEST(!std::filesystem::exists(folder / "a.txt.partial"));
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_an_error_with_path_and_reason)
{
  TemporaryFolder folder;
  const auto path = folder / "missing" / "a.txt";
  BOOST_CHECK_EXCEPTION(write_file_atomically(path, "x"), RunError,
                        [&](const RunError &error) {
                          return contains(error.what(), path.string()) && contains(error.what(), "No such file or directory");
                        });
}

BOOST_AUTO_TEST_CASE(a_regular_file_in_place_of_the_folder_is_an_error_with_path_and_reason)
{
  TemporaryFolder folder;
  make_file(folder / "file", "");
  const auto path = folder / "file" / "a.txt";
  BOOST_CHECK_EXCEPTION(write_file_atomically(path, "x"), RunError,
                        [&](const RunError &error)
                        { return contains(error.what(), path.string()) && contains(error.what(), "Not a directory"); });
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_an_error_that_keeps_the_earlier_file_and_leaves_no_partial_one)
{
  TemporaryFolder folder;
  make_file(folder / "a.txt", "earlier");
  {
    FileSizeLimit limit(1000);
    BOOST_CHECK_EXCEPTION(write_file_atomically(folder / "a.txt", std::string(5000, 'x')), RunError,
                          [](const RunError &error)
                          { return contains(error.what(), "a.txt") && contains(error.what(), "File too large"); });
  }
  BOOST_TEST(contents_of(folder / "a.txt") == "earlier");
  BOOST_TEST(!std::filesystem::exists(folder / "a.txt.partial"));
}

BOOST_AUTO_TEST_CASE(a_rename_that_fails_is_an_error_and_leaves_no_partial_file)
{
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a.txt");
  BOOST_CHECK_EXCEPTION(write_file_atomically(folder / "a.txt", "x"), RunError,
                        [](const RunError &error) { return contains(error.what(), "Is a directory"); });
  BOOST_TEST(!std::filesystem::exists(folder / "a.txt.partial"));
}

BOOST_AUTO_TEST_SUITE_END()
