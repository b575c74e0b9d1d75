#include <freefall/core/large_vector.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <numeric>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(large_vector)

BOOST_AUTO_TEST_CASE(memory_begins_on_a_cache_line_and_large_memory_on_a_huge_page)
{
  for (const std::size_t n : {1, 100, 300000})  // doubles: the last is 2.4 MB
  {
    LargeVector<double> values(n, 1.);
    const auto address = reinterpret_cast<std::uintptr_t>(values.data());
    BOOST_TEST(address % 64 == 0u);
    if (n * sizeof(double) >= LargeAllocator<double>::huge_page) BOOST_TEST(address % LargeAllocator<double>::huge_page == 0u);
    BOOST_TEST(std::accumulate(values.begin(), values.end(), 0.) == n);
  }
}

BOOST_AUTO_TEST_CASE(it_grows_copies_and_moves_like_a_vector)
{
  LargeVector<int> values;
  for (int i = 0; i < 1000000; ++i) values.push_back(i);
  const LargeVector<int> copy = values;
  const LargeVector<int> moved = std::move(values);
  BOOST_TEST((copy == moved));
  BOOST_TEST(moved[999999] == 999999);
}

BOOST_AUTO_TEST_SUITE_END()
