#include "../fuzz_target.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fs = std::filesystem;

namespace
{
/// Larger files only slow the search down: what they can hide is in small ones too.
constexpr std::uintmax_t largest_seed = 20'000;

const fs::path source = FREEFALL_SOURCE_DIR;

/// The files of a folder (right in it) with one of the extensions, by name.
void add_files(const fs::path &folder, const std::vector<std::string> &extensions, std::vector<std::string> &seeds)
{
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> paths;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.file_size() <= largest_seed &&
        (extensions.empty() || std::count(extensions.begin(), extensions.end(), entry.path().extension().string()) > 0))
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path &path : paths)
  {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
}

/// What is kept for one target alone, findings of earlier searches among it, comes first.
std::vector<std::string> seeds_of(const std::string &target,
                                  const std::vector<std::string> &folders = {},
                                  const std::vector<std::string> &extensions = {})
{
  std::vector<std::string> seeds;
  add_files(source / "tests" / "fuzz" / "corpus" / target, {}, seeds);
  for (const auto &folder : folders) add_files(source / folder, extensions, seeds);
  return seeds;
}

std::vector<std::string> with(std::vector<std::string> seeds, const std::vector<std::string> &more)
{
  seeds.insert(seeds.end(), more.begin(), more.end());
  return seeds;
}
}  // namespace

const std::vector<FuzzTarget> &fuzz_targets()
{
  using namespace fuzzing;
  static const std::vector<FuzzTarget> targets{
    {"prm", ".prm", run_prm, [] { return seeds_of("prm", {"parameters", "tests/bad_inputs"}, {".prm"}); }},
    {"json", ".json", run_json, [] { return seeds_of("json", {"parameters", "tests/bad_inputs"}, {".json"}); }},
    {"settings", ".txt", run_settings, [] { return seeds_of("settings"); }},
    {"formula", ".txt", run_formula, [] { return seeds_of("formula"); }},
    {"study", ".prm", run_study,
     [] { return seeds_of("study", {"parameters/studies", "tests/bad_studies"}, {".prm", ".json"}); }},
    {"particles", ".csv", run_particles, [] { return seeds_of("particles", {"parameters"}, {".csv"}); }},
    {"links", ".csv", run_links, [] { return seeds_of("links", {"parameters"}, {".csv"}); }},
    {"history", ".csv", run_history, [] { return seeds_of("history"); }},
    {"summary", ".json", run_summary, [] { return seeds_of("summary"); }},
    {"checkpoint_file", "", run_checkpoint_file, [] { return with(seeds_of("checkpoint_file"), checkpoint_file_seeds()); }},
    {"checkpoint_contents", "", run_checkpoint_contents,
     [] { return with(seeds_of("checkpoint_contents"), checkpoint_contents_seeds()); }},
    {"gmsh", ".msh", run_gmsh, [] { return seeds_of("gmsh", {"meshes", "tests/bad_inputs/meshes"}, {".msh"}); }},
    {"abaqus", ".inp", run_abaqus, [] { return seeds_of("abaqus", {"meshes"}, {".inp"}); }},
    {"vtk", ".vtk", run_vtk, [] { return seeds_of("vtk", {"meshes"}, {".vtk"}); }},
    {"vtu", ".vtu", run_vtu, [] { return seeds_of("vtu", {"meshes"}, {".vtu"}); }},
  };
  return targets;
}
