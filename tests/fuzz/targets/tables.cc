#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/output/history_writer.h>
#include <freefall/output/summary.h>
#include <freefall/simulation/simulation.h>
#include <freefall/simulation/tables.h>
#include <freefall/study/run_results.h>
#include <freefall/systems/particles/particle_parameters.h>

#include "../fuzz_target.h"
#include "../input_file.h"

#include <algorithm>
#include <filesystem>

using namespace freefall;

namespace
{
/// Systems of more are not built: a critical step by dense algebra and all pairs are slow, and no matter of reading.
constexpr std::ptrdiff_t most_rows = 300;

void make_particles(const std::string &parameters)
{
  ParameterSection root;
  Simulation::declare_parameters(root);
  read_prm(parameters, "particles.prm", root);
  try
  {
    parse_particle_parameters(root);
  }
  catch (const InputError &)
  {
  }
}
}  // namespace

namespace fuzzing
{
void run_particles(const std::string &bytes)
{
  if (std::count(bytes.begin(), bytes.end(), '\n') > most_rows) return;
  const InputFile file("particles.csv", bytes);
  make_particles("set Problem = particles\nsubsection Particles\n  set File = " + file.path() +
                 "\nend\nsubsection Potentials\n  set Coulomb constant = 1\n  subsection Lennard-Jones\n    set Epsilon = 1\n"
                 "    set Cut-off = 2.5\n  end\nend\n");
}

/// Distances, bonds and angles of four particles: all three readers see the bytes.
void run_links(const std::string &bytes)
{
  if (std::count(bytes.begin(), bytes.end(), '\n') > most_rows) return;
  const InputFile file("links.csv", bytes);
  const std::string four = "set Problem = particles\nsubsection Particles\n"
                           "  subsection Particle a\n    set Position = 0, 0, 0\n  end\n"
                           "  subsection Particle b\n    set Position = 1, 0, 0\n  end\n"
                           "  subsection Particle c\n    set Position = 1, 1, 0\n  end\n"
                           "  subsection Particle d\n    set Position = 1, 1, 1\n  end\nend\n";
  make_particles(four + "subsection Constraints\n  set Distance file = " + file.path() + "\nend\n");
  for (const std::string kind : {"Bond", "Angle"})
    make_particles(four + "subsection Potentials\n  set " + kind + " file = " + file.path() + "\nend\n");
}

void run_history(const std::string &bytes)
{
  const InputFile file("history.csv", bytes);
  try
  {
    read_history(file.path());
  }
  catch (const RunError &)
  {
  }
  try
  {
    const HistoryTable table(file.path());
    table.column("time");
    for (const std::string of : {"initial", "final", "change", "minimum", "maximum", "magnitude", "mean"})
      evaluate({"m", "total_energy", of}, table);
    ErrorMeasure error;
    error.quantities = {"total_energy"};
    evaluate(error, table, &table);
  }
  catch (const RunError &)
  {
  }
}

void run_summary(const std::string &bytes)
{
  const InputFile file("summary.json", bytes);
  summary_status(file.path());
  const std::filesystem::path folder = std::filesystem::path(file.path() + ".folder");
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(file.path(), folder / "summary.json", std::filesystem::copy_options::overwrite_existing);
  const auto report = read_run_report(folder);
  std::filesystem::remove_all(folder);
}
}  // namespace fuzzing
