#include <freefall/core/archive.h>
#include <freefall/core/errors.h>
#include <freefall/output/checkpoint_file.h>

#include "file_size_limit.h"
#include "temporary_folder.h"

#include <boost/test/unit_test.hpp>

using namespace freefall;
using namespace freefall::testing;

namespace
{
const CheckpointIdentity identity{"1.2.3", 17, 23, 1};

std::string contents_with(double value)
{
  Archive archive;
  archive("value", value);
  return archive.bytes();
}

/// Why the bytes are refused; "nothing" if they are not.
std::string refusal(const std::string &bytes, const CheckpointIdentity &expected = identity)
{
  try
  {
    checkpoint_contents(bytes, "FILE", expected);
  }
  catch (const CheckpointRefused &error)
  {
    return error.what();
  }
  return "nothing";
}

std::string example_bytes()
{
  const TemporaryFolder folder;
  write_checkpoint(folder / "checkpoint", identity, contents_with(1));
  return contents_of(folder / "checkpoint");
}
}  // namespace

BOOST_AUTO_TEST_SUITE(checkpoint_file)

BOOST_AUTO_TEST_CASE(contents_come_back_and_the_previous_file_is_kept)
{
  const TemporaryFolder folder;
  const auto path = folder / "checkpoint";
  for (const double value : {1., 2., 3.}) write_checkpoint(path, identity, contents_with(value));
  BOOST_TEST((read_checkpoint(path, identity) == contents_with(3)));
  BOOST_TEST((read_checkpoint(previous_of(path), identity) == contents_with(2)));
  std::size_t n_files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder.path())) n_files += entry.exists();
  BOOST_TEST(n_files == 2u);
}

BOOST_AUTO_TEST_CASE(any_flipped_byte_is_refused)
{
  const std::string whole = example_bytes();
  BOOST_TEST(refusal(whole) == "nothing");
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const char mask : {'\x01', '\x80', '\xff'})
    {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ mask);
      BOOST_TEST(refusal(damaged) != "nothing", "byte " << i << " was flipped");
    }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_or_too_long_is_refused)
{
  const std::string whole = example_bytes();
  for (std::size_t n = 0; n < whole.size(); ++n) BOOST_TEST(refusal(whole.substr(0, n)) != "nothing", n << " bytes were left");
  BOOST_TEST(refusal(whole + '\0') != "nothing");
}

BOOST_AUTO_TEST_CASE(what_it_belongs_to_must_agree)
{
  const std::string whole = example_bytes();
  BOOST_TEST(contains(refusal(whole, {"1.2.4", 17, 23, 1}), "version 1.2.3 of Freefall; this is version 1.2.4"));
  BOOST_TEST(contains(refusal(whole, {"1.2.3", 18, 23, 1}), "other parameters"));
  BOOST_TEST(contains(refusal(whole, {"1.2.3", 17, 24, 1}), "another system"));
  BOOST_TEST(contains(refusal(whole, {"1.2.3", 17, 23, 3}), "that of a run on 1 process, not 3. Resume it with freefall resume."));
}

BOOST_AUTO_TEST_CASE(a_failed_write_leaves_both_files_as_they_were)
{
  const TemporaryFolder folder;
  const auto path = folder / "checkpoint";
  for (const double value : {1., 2.}) write_checkpoint(path, identity, contents_with(value));
  Archive large;
  std::vector<double> numbers(10000);
  large("numbers", numbers);
  {
    const FileSizeLimit limit(4096);
    BOOST_CHECK_THROW(write_checkpoint(path, identity, large.bytes()), RunError);
  }
  BOOST_TEST((read_checkpoint(path, identity) == contents_with(2)));
  BOOST_TEST((read_checkpoint(previous_of(path), identity) == contents_with(1)));
  BOOST_TEST(!std::filesystem::exists(path.string() + ".partial"));
}

BOOST_AUTO_TEST_SUITE_END()
