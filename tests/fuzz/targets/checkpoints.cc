#include <freefall/core/archive.h>
#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/output/checkpoint_file.h>
#include <freefall/simulation/simulation.h>
#include <freefall/simulation/tables.h>

#include "../fuzz_target.h"
#include "../input_file.h"

#include <fstream>
#include <iterator>
#include <memory>

using namespace freefall;

namespace
{
const CheckpointIdentity identity{"0.0.0", 1, 2, 1};

const char *const two_bodies = "set Problem = particles\nset End time = 1\nsubsection Particles\n  set Dimension = 2\n"
                               "  subsection Particle a\n    set Position = -0.9, 0.5\n    set Velocity = 0.1, 0.2\n  end\n"
                               "  subsection Particle b\n    set Position = 0.1, -0.9\n    set Velocity = 0, -0.15\n  end\nend\n"
                               "subsection Potentials\n  subsection Central gravity\n    set Strength = 1\n  end\nend\n";

/// A run of two bodies by one integrator, part of the way.
struct HalfRun
{
  explicit HalfRun(const IntegratorRow &row, const std::string &engine = "")
  {
    Simulation::declare_parameters(root);
    read_prm(two_bodies, "two_bodies.prm", root);
    if (!engine.empty()) apply_setting(root, "Integrator/Force-stepping/Engine=" + engine);
    if (!engine.empty()) apply_setting(root, "Integrator/Force-stepping/Spacing=1e-2");
    for (const auto &problem : problem_table())
      if (problem.name == "particles") system = problem.make(root);
    state = system->initial_state();
    integrator = row.make(root.section("Integrator").section(row.title()));
    integrator->initialize(*system, state);
  }
  ParameterSection root;
  std::unique_ptr<System> system;
  State state;
  std::unique_ptr<Integrator> integrator;
};

std::vector<std::unique_ptr<HalfRun>> half_runs()
{
  std::vector<std::unique_ptr<HalfRun>> runs;
  for (const auto &row : integrator_table())
    for (const std::string engine : {"local", "kinetic", "sherman-morrison"})
      try
      {
        if (row.name == "force-stepping")
          runs.push_back(std::make_unique<HalfRun>(row, engine));
        else if (engine == "local")
          runs.push_back(std::make_unique<HalfRun>(row));
      }
      catch (const InputError &)
      {
        // An integrator for other systems.
      }
  return runs;
}
}  // namespace

namespace fuzzing
{
void run_checkpoint_file(const std::string &bytes)
{
  try
  {
    Archive archive(checkpoint_contents(bytes, "checkpoint", identity));
  }
  catch (const CheckpointRefused &)
  {
  }
}

/// Contents behind a checksum that is right. The first byte chooses the integrator.
void run_checkpoint_contents(const std::string &bytes)
{
  static const auto runs = half_runs();
  if (bytes.empty()) return;
  HalfRun &run = *runs[static_cast<unsigned char>(bytes[0]) % runs.size()];
  State state = run.system->initial_state();
  run.integrator->initialize(*run.system, state);
  try
  {
    Archive archive(bytes.substr(1));
    run.integrator->archive(archive, state);
    archive.finish();
  }
  catch (const ArchiveError &)
  {
  }
}

std::vector<std::string> checkpoint_file_seeds()
{
  const InputFile place("checkpoint", "");
  std::vector<std::string> seeds;
  for (const auto &run : half_runs())
  {
    Archive archive;
    run->integrator->archive(archive, run->state);
    write_checkpoint(place.path(), identity, archive.bytes());
    std::ifstream file(place.path(), std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    std::filesystem::remove(previous_of(place.path()));
    if (seeds.size() == 3) break;
  }
  return seeds;
}

std::vector<std::string> checkpoint_contents_seeds()
{
  std::vector<std::string> seeds;
  for (const auto &run : half_runs())
  {
    run->integrator->advance(run->state, 0.1);
    Archive archive;
    run->integrator->archive(archive, run->state);
    seeds.push_back(static_cast<char>(seeds.size()) + archive.bytes());
  }
  return seeds;
}
}  // namespace fuzzing
