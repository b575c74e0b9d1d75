#include <freefall/core/errors.h>
#include <freefall/output/history_writer.h>
#include <output/file_size_limit.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <vector>

using namespace freefall;
using namespace freefall::testing;

BOOST_AUTO_TEST_SUITE(history_writer)

BOOST_AUTO_TEST_CASE(the_first_row_gives_the_header_and_each_row_is_in_the_file_at_once)
{
  TemporaryFolder folder;
  HistoryWriter history(folder / "history.csv");
  history.write({{"time", 0}, {"step", 0}, {"kinetic_energy", 13500}});
  BOOST_TEST(contents_of(folder / "history.csv") == "time,step,kinetic_energy\n0,0,13500\n");
  history.write({{"time", 1e-7}, {"step", 1234567890}, {"kinetic_energy", 0.1}});
  BOOST_TEST(contents_of(folder / "history.csv") == "time,step,kinetic_energy\n0,0,13500\n1e-07,1234567890,0.1\n");
  BOOST_TEST(history.n_bytes() == std::filesystem::file_size(folder / "history.csv"));
}

BOOST_AUTO_TEST_CASE(every_double_comes_back_bit_for_bit)
{
  TemporaryFolder folder;
  std::mt19937_64 generator(1);
  std::vector<double> values = {0.1, 1 / 3., 5e-324, std::numeric_limits<double>::max(), std::nextafter(1., 2.)};
  while (values.size() < 1000)
  {
    const std::uint64_t bits = generator();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value)) values.push_back(value);
  }
  HistoryWriter history(folder / "history.csv");
  for (double value : values) history.write({{"x", value}});

  std::istringstream rows(contents_of(folder / "history.csv"));
  std::string row;
  std::getline(rows, row);
  for (double value : values)
  {
    BOOST_REQUIRE(std::getline(rows, row));
    BOOST_TEST(std::strtod(row.c_str(), nullptr) == value);
  }
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_are_written_as_other_programs_read_them)
{
  TemporaryFolder folder;
  HistoryWriter history(folder / "history.csv");
  const double infinity = std::numeric_limits<double>::infinity();
  history.write({{"a", std::nan("")}, {"b", -std::nan("")}, {"c", infinity}, {"d", -infinity}});
  BOOST_TEST(contents_of(folder / "history.csv") == "a,b,c,d\nnan,nan,inf,-inf\n");
}

BOOST_AUTO_TEST_CASE(other_columns_than_the_first_row_are_a_mistake_of_the_program)
{
  TemporaryFolder folder;
  HistoryWriter history(folder / "history.csv");
  BOOST_CHECK_THROW(history.write({}), std::logic_error);
  BOOST_CHECK_THROW(history.write({{"a,b", 1}}), std::logic_error);
  history.write({{"a", 1}, {"b", 2}});
  BOOST_CHECK_THROW(history.write({{"a", 1}}), std::logic_error);
  BOOST_CHECK_THROW(history.write({{"a", 1}, {"c", 2}}), std::logic_error);
  BOOST_CHECK_THROW(history.write({{"b", 1}, {"a", 2}}), std::logic_error);
  BOOST_TEST(contents_of(folder / "history.csv") == "a,b\n1,2\n");
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_opened_is_an_error_with_path_and_reason)
{
  TemporaryFolder folder;
  make_file(folder / "file", "");
  const auto path = folder / "file" / "history.csv";
  BOOST_CHECK_EXCEPTION(HistoryWriter{path}, RunError,
                        [&](const RunError &error)
                        { return contains(error.what(), path.string()) && contains(error.what(), "Not a directory"); });
}

BOOST_AUTO_TEST_CASE(a_full_device_is_an_error_with_path_and_reason)
{
  TemporaryFolder folder;
  std::filesystem::create_symlink("/dev/full", folder / "history.csv");
  HistoryWriter history(folder / "history.csv");
  BOOST_CHECK_EXCEPTION(history.write({{"time", 0}}), RunError,
                        [](const RunError &error)
                        { return contains(error.what(), "history.csv") && contains(error.what(), "No space left on device"); });
}

BOOST_AUTO_TEST_CASE(a_row_that_does_not_fit_on_the_disk_leaves_whole_rows_and_the_next_one_may_follow)
{
  TemporaryFolder folder;
  HistoryWriter history(folder / "history.csv");
  history.write({{"time", 0}, {"x", 1}});
  {
    // Two bytes more than the file has: the system writes these two, then refuses.
    FileSizeLimit limit(history.n_bytes() + 2);
    BOOST_CHECK_THROW(history.write({{"time", 1}, {"x", 0.125}}), RunError);
  }
  BOOST_TEST(contents_of(folder / "history.csv") == "time,x\n0,1\n");
  history.write({{"time", 2}, {"x", 3}});
  BOOST_TEST(contents_of(folder / "history.csv") == "time,x\n0,1\n2,3\n");
}

BOOST_AUTO_TEST_CASE(a_resumed_run_drops_later_rows_and_goes_on_with_the_same_columns)
{
  TemporaryFolder folder;
  std::uint64_t n_bytes = 0;
  {
    HistoryWriter history(folder / "history.csv");
    history.write({{"time", 0}, {"x", 1}});
    n_bytes = history.n_bytes();
    history.write({{"time", 1}, {"x", 2}});
  }
  HistoryWriter history(folder / "history.csv", n_bytes);
  BOOST_CHECK_THROW(history.write({{"time", 1}}), std::logic_error);
  history.write({{"time", 1}, {"x", 7}});
  BOOST_TEST(contents_of(folder / "history.csv") == "time,x\n0,1\n1,7\n");
}

BOOST_AUTO_TEST_CASE(a_history_changed_behind_a_stopped_run_is_not_continued)
{
  TemporaryFolder folder;
  make_file(folder / "history.csv", "time,x\n0,1\n");
  BOOST_CHECK_THROW(HistoryWriter(folder / "history.csv", 9), RunError);
  BOOST_CHECK_THROW(HistoryWriter(folder / "history.csv", 100), RunError);
  BOOST_TEST(contents_of(folder / "history.csv") == "time,x\n0,1\n");
}

BOOST_AUTO_TEST_SUITE_END()
