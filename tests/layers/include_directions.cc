#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace fs = std::filesystem;

namespace
{
/// What each layer may include besides itself (DESIGN.md: nothing includes a folder to its right).
const std::map<std::string, std::set<std::string>> allowed{
  {"core", {}},
  {"potentials", {"core"}},
  {"constraints", {"core"}},
  {"systems", {"core", "potentials", "constraints"}},
  {"integrators", {"core", "potentials", "constraints", "systems"}},
  {"output", {"core", "systems"}},
  {"simulation", {"core", "potentials", "constraints", "systems", "integrators", "output"}},
  {"study", {"core", "output", "simulation"}},
};

/// The messages of all includes in `directory` that are against the rules; `n_files` counts what was read.
std::vector<std::string> violations(const fs::path &directory, int &n_files)
{
  std::vector<std::string> found;
  const std::regex own("#include [<\"]freefall/([a-z_]+)/"), dealii("#include [<\"](deal\\.II|Epetra|ml_|Trilinos)");
  for (const auto &entry : fs::recursive_directory_iterator(directory))
  {
    const fs::path relative = fs::relative(entry.path(), directory);
    if (!entry.is_regular_file() || relative.begin() == --relative.end()) continue;
    ++n_files;
    const std::string layer = relative.begin()->string();
    const auto rule = allowed.find(layer);
    if (rule == allowed.end())
    {
      found.push_back(entry.path().string() + " lies in no known layer");
      continue;
    }
    std::ifstream file(entry.path());
    std::string line;
    while (std::getline(file, line))
    {
      std::smatch match;
      if (std::regex_search(line, match, own) && match[1] != layer && !rule->second.count(match[1]))
        found.push_back(entry.path().string() + ": " + line);
      if (std::regex_search(line, match, dealii) && relative.string().rfind("systems/fem/", 0) != 0)
        found.push_back(entry.path().string() + " must not see deal.II: " + line);
    }
  }
  return found;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(include_directions)

BOOST_AUTO_TEST_CASE(no_layer_includes_one_to_its_right)
{
  int n_files = 0;
  for (const char *folder : {"include/freefall", "source"})
    for (const auto &message : violations(fs::path(FREEFALL_SOURCE_DIR) / folder, n_files)) BOOST_ERROR(message);
  BOOST_TEST(n_files > 50);  // the folders were found and read
}

BOOST_AUTO_TEST_CASE(wrong_include_is_found)
{
  const fs::path folder = fs::temp_directory_path() / "freefall_include_directions";
  fs::remove_all(folder);
  fs::create_directories(folder / "core");
  std::ofstream(folder / "core" / "bad.h") << "#include <freefall/systems/system.h>\n#include <deal.II/grid/tria.h>\n";
  int n_files = 0;
  BOOST_TEST(violations(folder, n_files).size() == 2);
  fs::remove_all(folder);
}

BOOST_AUTO_TEST_SUITE_END()
