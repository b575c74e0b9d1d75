#include <freefall/core/counter_random.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

using namespace freefall;

BOOST_AUTO_TEST_SUITE(counter_random)

BOOST_AUTO_TEST_CASE(philox_gives_the_published_answers)
{
  using Counter = std::array<std::uint32_t, 4>;
  using Key = std::array<std::uint32_t, 2>;
  // The known answers that its authors publish with Random123 (kat_vectors, philox4x32 with 10 rounds).
  const auto expect = [](Counter counter, Key key, Counter answer) { BOOST_TEST((philox(counter, key) == answer)); };
  const std::uint32_t all = 0xffffffff;
  expect({0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect({all, all, all, all}, {all, all}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

BOOST_AUTO_TEST_CASE(uniform_numbers_are_made_of_the_bits_as_documented)
{
  // The first 53 of the 64 bits 6627e8d5 e169c58d, plus half a unit.
  const double expected = (static_cast<double>(0x6627e8d5e169c58dull >> 11) + 0.5) / 9007199254740992.;
  BOOST_TEST(CounterRandom(0, 0).uniform(0, 0) == expected);
  const double second = (static_cast<double>(0xbc57ac4c9b00dbd8ull >> 11) + 0.5) / 9007199254740992.;
  BOOST_TEST(CounterRandom(0, 0).uniform(0, 1) == second);
  BOOST_TEST(CounterRandom(0, 0).normal(0, 1) == std::sqrt(-2 * std::log(expected)) * std::sin(2 * M_PI * second));
}

BOOST_AUTO_TEST_CASE(normal_numbers_have_the_moments_of_a_gaussian)
{
  const CounterRandom random(17, 3);
  const int n = 200000;
  std::vector<double> values(n);
  random.normals(5, values);
  double sums[5] = {}, neighbours = 0;
  for (int i = 0; i < n; ++i)
  {
    double power = 1;
    for (double &sum : sums) sum += power, power *= values[i];
    if (i > 0) neighbours += values[i] * values[i - 1];
  }
  // Three standard errors of the means of x, x^2, x^3, x^4, whose variances are 1, 2, 15, 96, and of neighbours' products.
  BOOST_TEST(std::abs(sums[1] / n) < 3 * std::sqrt(1. / n));
  BOOST_TEST(std::abs(sums[2] / n - 1) < 3 * std::sqrt(2. / n));
  BOOST_TEST(std::abs(sums[3] / n) < 3 * std::sqrt(15. / n));
  BOOST_TEST(std::abs(sums[4] / n - 3) < 3 * std::sqrt(96. / n));
  BOOST_TEST(std::abs(neighbours / n) < 3 * std::sqrt(1. / n));
}

BOOST_AUTO_TEST_CASE(a_number_depends_on_seed_stream_step_and_index_and_on_nothing_else)
{
  std::vector<double> values(7);
  CounterRandom(1, 0).normals(9, values);
  for (std::uint32_t i : {6u, 0u, 3u, 5u, 1u, 2u, 4u}) BOOST_TEST(CounterRandom(1, 0).normal(9, i) == values[i]);
  std::set<double> distinct;
  const std::uint64_t large = std::uint64_t(1) << 32;
  for (const std::uint64_t seed : {std::uint64_t(0), std::uint64_t(1), large})
    for (const std::uint32_t stream : {0u, 1u})
      for (const std::uint64_t step : {std::uint64_t(0), std::uint64_t(1), large, large + 1})
        for (const std::uint32_t index : {0u, 1u, 2u, 4000000000u}) distinct.insert(CounterRandom(seed, stream).normal(step, index));
  BOOST_TEST(distinct.size() == 3 * 2 * 4 * 4);
}

BOOST_AUTO_TEST_SUITE_END()
