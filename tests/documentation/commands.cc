#include <documentation/documented_commands.h>
#include <output/postprocess_script.h>
#include <output/temporary_folder.h>

#include <boost/test/unit_test.hpp>
#include <regex>

using namespace freefall::testing;

namespace
{
/// Commands that this test does not start: they install, build or open windows.
bool is_for_people(const std::string &command)
{
  for (const char *start : {"./quickstart", "cmake ", "ctest ", "paraview ", "postprocess/paraview ", "build/tests/", "build/benchmarks/"})
    if (starts_with(command, start)) return true;
  return false;
}

/// The same command, made to read and check its input only. Empty for those of postprocess, which slow_commands runs.
std::string checking(std::string command)
{
  if (starts_with(command, "postprocess/")) return "";
  const std::string ranks = std::regex_replace(command, std::regex("^mpirun -n \\w+ "), "");
  command = ranks;
  take_option(command, "--output");
  take_option(command, "--jobs");
  command = std::regex_replace(command, std::regex(" --(force|quiet|again)\\b"), "");
  if (starts_with(command, "build/freefall run ")) return std::regex_replace(command, std::regex("freefall run"), "freefall check");
  if (starts_with(command, "build/freefall study ")) return command + " --list";
  if (starts_with(command, "build/freefall resume ")) return "build/freefall resume --help";
  return command;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(commands)

BOOST_AUTO_TEST_CASE(every_command_of_the_documentation_is_one_that_is_known)
{
  const auto all = documented_commands();
  BOOST_TEST(all.size() > 20u);
  for (const auto &command : all)
    BOOST_TEST((is_for_people(command.text) || starts_with(command.text, "build/freefall ") || starts_with(command.text, "mpirun ") ||
                starts_with(command.text, "postprocess/")),
               command.place << ": " << command.text);
}

BOOST_AUTO_TEST_CASE(files_and_settings_in_documented_commands_are_valid)
{
  TemporaryFolder folder;
  make_clone(folder.path());
  for (const auto &command : documented_commands())
  {
    const std::string check = is_for_people(command.text) ? "" : checking(command.text);
    if (check.empty()) continue;
    // What brackets hold may be left out.
    const std::string plain = std::regex_replace(check, std::regex(" \\[[^\\]]*\\]"), "");
    const Outcome outcome = run("cd " + folder.path().string() + " && " + plain);
    BOOST_TEST(outcome.exit_code == 0, command.place << ": " << plain << " said " << outcome.text);
  }
}

BOOST_AUTO_TEST_CASE(programs_and_pages_that_the_documentation_names_exist)
{
  const std::filesystem::path root = FREEFALL_SOURCE_DIR;
  for (const auto &command : documented_commands())
    if (starts_with(command.text, "postprocess/") || starts_with(command.text, "./quickstart"))
      BOOST_TEST(std::filesystem::exists(root / command.text.substr(0, command.text.find(' '))), command.place);
  const std::regex link("\\]\\(([^)#]+)");
  for (const std::string page : {"README.md", "docs/guide.md", "docs/gallery.md", "docs/studies.md"})
  {
    const std::string text = contents_of(root / page);
    BOOST_TEST(!text.empty(), page);
    for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found)
    {
      const std::string target = (*found)[1];
      if (starts_with(target, "http")) continue;
      BOOST_TEST(std::filesystem::exists((root / page).parent_path() / target), page << " links to " << target);
    }
  }
}

BOOST_AUTO_TEST_CASE(pictures_of_the_documentation_are_small)
{
  // 150 kB each and 4 MB in all: a clone stays quick.
  std::uintmax_t sum = 0;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(FREEFALL_SOURCE_DIR) / "docs"))
    if (entry.path().extension() == ".png")
    {
      sum += entry.file_size();
      BOOST_TEST(entry.file_size() < 150'000u, entry.path());
    }
  BOOST_TEST(sum < 4'000'000u);
}

BOOST_AUTO_TEST_SUITE_END()
