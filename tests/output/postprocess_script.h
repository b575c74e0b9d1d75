#pragma once

#include <output/temporary_folder.h>
#include <sys/wait.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace freefall::testing
{
struct Outcome
{
  int exit_code = -1;
  std::string text;  ///< standard output and error
};

/// Runs a command of the shell.
inline Outcome run(const std::string &command)
{
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  BOOST_REQUIRE(pipe != nullptr);
  Outcome outcome;
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) outcome.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

/// The path of a script of postprocess/.
inline std::string script(const std::string &name) { return FREEFALL_SOURCE_DIR "/postprocess/" + name; }

/// A precondition that skips a test (its report says so) where the command fails because something is not installed.
inline auto needs(const std::string &command)
{
  return boost::unit_test::precondition(
    [command](boost::unit_test::test_unit_id)
    {
      boost::test_tools::assertion_result result(std::system(("{ " + command + "; } >/dev/null 2>&1").c_str()) == 0);
      result.message() << "something is not installed: " << command;
      return result;
    });
}

/// Width and height as a PNG's first chunk gives them.
inline std::array<unsigned, 2> size_of_png(const std::filesystem::path &path)
{
  const std::string bytes = contents_of(path);
  BOOST_REQUIRE(bytes.substr(1, 3) == "PNG");
  std::array<unsigned, 2> size{};
  for (int i = 0; i < 8; ++i) size[i / 4] = 256 * size[i / 4] + static_cast<unsigned char>(bytes[16 + i]);
  return size;
}
}  // namespace freefall::testing
