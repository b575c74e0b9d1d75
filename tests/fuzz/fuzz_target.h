#pragma once

#include <string>
#include <vector>

/// One way in for bytes from outside, for fuzzing.
///
/// Contract of `run`: any bytes end in a return, within seconds and with memory in proportion to their number. What the program
/// tells its user as wrong input (InputError and the like) is caught in there; any other exception is a finding.
struct FuzzTarget
{
  std::string name;
  std::string extension;  ///< of the corpus' files, for people
  void (*run)(const std::string &bytes);
  /// Good and bad inputs to begin with: the ready-made parameter files, the bad inputs of the tests, and so on.
  std::vector<std::string> (*seeds)();
};

/// All of them: one table, no registration.
const std::vector<FuzzTarget> &fuzz_targets();

// The targets, one unit each in targets/.
namespace fuzzing
{
void run_prm(const std::string &bytes);
void run_json(const std::string &bytes);
void run_settings(const std::string &bytes);
void run_formula(const std::string &bytes);
void run_study(const std::string &bytes);
void run_particles(const std::string &bytes);
void run_links(const std::string &bytes);
void run_history(const std::string &bytes);
void run_summary(const std::string &bytes);
void run_checkpoint_file(const std::string &bytes);
void run_checkpoint_contents(const std::string &bytes);
void run_gmsh(const std::string &bytes);
void run_abaqus(const std::string &bytes);
void run_vtk(const std::string &bytes);
void run_vtu(const std::string &bytes);

std::vector<std::string> checkpoint_file_seeds();
std::vector<std::string> checkpoint_contents_seeds();
}  // namespace fuzzing
