#include <documentation/documented_commands.h>
#include <output/postprocess_script.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>
#include <regex>

using namespace freefall::testing;

namespace
{
const auto needs_all = needs("/usr/bin/python3 -c 'import matplotlib, numpy' && command -v pvpython && command -v Xvfb && command -v ffmpeg");

/// The value of a key outside all sections, or of one in the section Settings of a study.
std::string value_in(const std::filesystem::path &file, const std::string &key)
{
  const std::string text = contents_of(file);
  std::smatch found;
  return std::regex_search(text, found, std::regex("set " + key + " *= *([^ \n#]+)")) ? std::string(found[1]) : "";
}

std::string shortened_time(const std::filesystem::path &file)
{
  const std::string time = value_in(file, "End time");
  BOOST_REQUIRE_MESSAGE(!time.empty(), file.string() << " has no End time");
  return std::to_string(std::stod(time) / 200 * 1e12) + "e-12";
}

/// The same with a two-hundredth of the time, so that everything is started and written, but nothing takes long.
std::string shortened(const std::string &command, const std::filesystem::path &folder)
{
  std::smatch file;
  if (std::regex_search(command, file, std::regex("freefall run (\\S+)")))
    return command + " --force --set 'End time=" + shortened_time(folder / std::string(file[1])) + "'";
  if (std::regex_search(command, file, std::regex("freefall study (\\S+)")))
  {
    const std::filesystem::path study = folder / std::string(file[1]);
    const auto timed = value_in(study, "End time").empty() ? study.parent_path() / value_in(study, "Base") : study;
    return command + " --set 'Settings/End time=" + shortened_time(timed) + "'";
  }
  if (starts_with(command, "postprocess/figures") && command.find("--list") == std::string::npos)
    return command + " --quick --program " FREEFALL_EXECUTABLE;
  return command;
}

bool is_runnable(const std::string &command)
{
  // A million dofs are read and checked by the fast test; the bare name of a page of help needs no run.
  return (starts_with(command, "build/freefall ") || starts_with(command, "mpirun ") ||
          (starts_with(command, "postprocess/") && !starts_with(command, "postprocess/paraview"))) &&
         command.find("million") == std::string::npos;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(slow_commands)

BOOST_AUTO_TEST_CASE(documented_commands_work_one_after_the_other, *needs_all)
{
  TemporaryFolder folder;
  make_clone(folder.path());
  for (const auto &command : documented_commands())
  {
    if (!is_runnable(command.text)) continue;
    const std::string plain = std::regex_replace(command.text, std::regex(" \\[[^\\]]*\\]"), "");
    const std::string text = shortened(plain, folder.path());
    const Outcome outcome = run("cd " + folder.path().string() +
                                " && OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
                                "OMPI_MCA_rmaps_base_oversubscribe=1 " + text);
    BOOST_TEST(outcome.exit_code == 0, command.place << ": " << text << " said " << outcome.text);
  }
}

BOOST_AUTO_TEST_SUITE_END()
