#include "allocation_watch.h"
#include "fuzz_target.h"
#include "mutation.h"

#include <boost/test/unit_test.hpp>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

// Every reader of bytes from outside against its corpus and thousands of inputs made from it. The same targets run under
// libFuzzer, which looks for new paths: ./quickstart fuzz.

namespace
{
/// An input that takes longer hangs: the slowest takes a hundredth of it.
constexpr unsigned int longest_seconds = 20;

/// What reading may take: meshes of VTK compressed by zlib grow by a factor of 1032 at most; all else is far below.
std::size_t allowed_memory(std::size_t n_bytes) { return 100'000'000 + 2'000 * n_bytes; }

std::string current_input;

/// Leaves the input that is read when the process dies.
std::string keep(const std::string &target, const std::string &bytes)
{
  const auto path = std::filesystem::temp_directory_path() / ("freefall_fuzz_" + target + "_failed");
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

[[noreturn]] void say_that_it_hangs(int)
{
  const char text[] = "\nthis input hangs: ";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  (void)!write(STDERR_FILENO, current_input.data(), current_input.size());
  _exit(1);
}

/// What is wrong with an input; nothing if all is well.
std::string finding(const FuzzTarget &target, const std::string &bytes)
{
  current_input = bytes;
  allocation_watch::reset();
  alarm(longest_seconds);
  std::string problem;
  try
  {
    target.run(bytes);
  }
  catch (const std::exception &error)
  {
    problem = std::string("throws ") + error.what();
  }
  alarm(0);
  if (problem.empty() && allocation_watch::peak() > allowed_memory(bytes.size()))
    problem = "takes " + std::to_string(allocation_watch::peak()) + " bytes of memory";
  return problem;
}

/// How many inputs: enough to meet every kind of change in every part of a corpus; more by FREEFALL_FUZZ_INPUTS.
int n_mutations()
{
  const char *wanted = std::getenv("FREEFALL_FUZZ_INPUTS");
  return wanted ? std::atoi(wanted) : 1500;
}

/// The corpus and mutations of it, until the first finding.
void search(const FuzzTarget &target)
{
  std::signal(SIGALRM, say_that_it_hangs);
  const auto seeds = target.seeds();
  BOOST_TEST_REQUIRE(!seeds.empty(), target.name << " has no corpus");
  fuzzing::Mutator mutator(1);
  for (std::size_t i = 0; i < seeds.size() + n_mutations(); ++i)
  {
    const std::string bytes = i < seeds.size() ? seeds[i] : mutator.mutate(seeds);
    BOOST_TEST_CHECKPOINT(target.name << ", input " << i);
    const std::string problem = finding(target, bytes);
    BOOST_TEST_REQUIRE(problem.empty(), target.name << ", input " << i << " of " << bytes.size() << " bytes, "
                                                    << (problem.empty() ? "" : keep(target.name, bytes)) << ": " << problem);
  }
}
}  // namespace

BOOST_AUTO_TEST_SUITE(mutated_inputs)

BOOST_AUTO_TEST_CASE(a_target_that_fails_is_found)
{
  const FuzzTarget throws{"throws", "", [](const std::string &) { throw std::runtime_error("once"); }, nullptr};
  BOOST_TEST(finding(throws, "x") == "throws once");
#ifndef __SANITIZE_ADDRESS__
  static std::string taken;
  const FuzzTarget greedy{"greedy", "", [](const std::string &) { taken.assign(200'000'000, 'x'); }, nullptr};
  BOOST_TEST(finding(greedy, "x").find("bytes of memory") != std::string::npos);
  taken = {};
#endif
}

BOOST_AUTO_TEST_CASE(no_input_crashes_hangs_or_takes_memory_beyond_its_size)
{
  for (const auto &target : fuzz_targets()) BOOST_TEST_CONTEXT(target.name) search(target);
}

BOOST_AUTO_TEST_SUITE_END()
