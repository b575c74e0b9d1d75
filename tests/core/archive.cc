#include <freefall/core/archive.h>

#include "thrown_text.h"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <limits>

using namespace freefall;

namespace
{
struct Pair
{
  std::int64_t first = 0;
  int second = 0;
};

struct Everything
{
  double number = 0;
  std::int64_t count = 0;
  int small = 0;
  bool flag = false;
  std::string text;
  Eigen::VectorXd vector = Eigen::VectorXd::Zero(3);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(2, 2);
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(4);
  std::vector<Pair> pairs = std::vector<Pair>(2);
  std::vector<double> list;

  void archive(Archive &archive)
  {
    archive("number", number);
    archive("count", count);
    archive("small", small);
    {
      const Archive::Part part(archive, "part");
      archive("flag", flag);
      archive("text", text);
    }
    archive("vector", vector);
    archive("matrix", matrix);
    archive("bytes", bytes);
    archive.members("first", pairs, &Pair::first);
    archive.members("second", pairs, &Pair::second);
    archive.list("list", list);
  }
};

Everything example()
{
  Everything example;
  example.number = -0.1;
  example.count = std::numeric_limits<std::int64_t>::min();
  example.small = -7;
  example.flag = true;
  example.text = std::string("a\0b", 3);
  example.vector << 1, std::numeric_limits<double>::infinity(), -0.;
  example.matrix << 1, 2, 3, 4;
  example.bytes = {0, 1, 255, 3};
  example.pairs = {{1, 2}, {3, 4}};
  example.list = {5, 6, 7};
  return example;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(archive)

BOOST_AUTO_TEST_CASE(everything_comes_back_bit_for_bit)
{
  Everything saved = example(), loaded;
  // A NaN with a payload of its own.
  const std::uint64_t bits = 0x7ff8000000001234;
  std::memcpy(&saved.list[1], &bits, sizeof bits);
  Archive out;
  saved.archive(out);
  Archive in(out.bytes());
  loaded.archive(in);
  in.finish();
  BOOST_TEST(loaded.number == saved.number);
  BOOST_TEST(loaded.text == saved.text);
  BOOST_TEST(loaded.pairs[1].first == 3);
  BOOST_TEST(loaded.pairs[1].second == 4);
  BOOST_TEST(loaded.list.size() == 3u);
  Archive again;
  loaded.archive(again);
  BOOST_TEST((again.bytes() == out.bytes()));
}

BOOST_AUTO_TEST_CASE(another_name_type_or_size_is_an_error_that_names_the_block)
{
  Archive out;
  double x = 1;
  std::vector<double> three(3), two(2);
  {
    const Archive::Part part(out, "part");
    out("x", x);
  }
  out("three", three);
  const auto load = [&](auto function)
  {
    Archive in(out.bytes());
    return thrown_text<ArchiveError>([&] { function(in); });
  };
  std::int64_t n = 0;
  BOOST_TEST(load([&](Archive &in) { in("x", x); }) == "block \"x\" expected, \"part/x\" found");
  BOOST_TEST(load([&](Archive &in) { in("part/x", n); }) == "block \"part/x\" is of type d, not l");
  BOOST_TEST(load(
               [&](Archive &in)
               {
                 in("part/x", x);
                 in("three", two);
               }) == "block \"three\" has 3 entries where 2 are expected");
  BOOST_TEST(load(
               [&](Archive &in)
               {
                 in("part/x", x);
                 in.finish();
               }) == "block \"three\" is left over");
  BOOST_TEST(load(
               [&](Archive &in)
               {
                 in("part/x", x);
                 in("three", three);
                 in("more", x);
               }) == "block \"more\" is missing at the end");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_cut_anywhere_but_between_blocks_are_refused)
{
  Archive out;
  Everything saved = example();
  saved.archive(out);
  const std::string whole = out.bytes();
  int n_refused = 0;
  for (std::size_t n = 0; n < whole.size(); ++n)
  {
    try
    {
      Archive in(whole.substr(0, n));
      Everything loaded;
      loaded.archive(in);
    }
    catch (const ArchiveError &)
    {
      ++n_refused;
    }
  }
  BOOST_TEST(n_refused == static_cast<int>(whole.size()));
}

BOOST_AUTO_TEST_CASE(a_count_beyond_the_data_allocates_nothing)
{
  Archive out;
  std::vector<double> values(1);
  out("x", values);
  std::string bytes = out.bytes();
  const std::uint64_t huge = std::uint64_t(1) << 61;  // times 8 it wraps round to zero
  std::memcpy(&bytes[2 + 1 + 1], &huge, sizeof huge);
  BOOST_CHECK_THROW(Archive{bytes}, ArchiveError);
}

BOOST_AUTO_TEST_SUITE_END()
