#include "fault_runs.h"

#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/simulation/simulation.h>
#include <freefall/simulation/tables.h>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>
#include <algorithm>
#include <cstring>

using namespace freefall;
using namespace fault_runs;

namespace
{
bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Three particles with bonds, an angle and a pair force, in the plane.
const char *const molecule = R"(
set Problem = particles
set End time = 1
subsection Particles
  set Dimension = 2
  subsection Particle a
    set Position = -0.9, 0.5
    set Velocity = 0.1, 0.2
  end
  subsection Particle b
    set Mass = 2
    set Position = 0.1, -0.9
    set Velocity = 0, -0.15
  end
  subsection Particle c
    set Position = 0.8, 0.6
    set Velocity = 0.05, 0.2
  end
end
subsection Potentials
  subsection Central gravity
    set Strength = 1
  end
  subsection Bond ab
    set Particles = a, b
    set Stiffness = 2
    set Rest length = 1.5
  end
  subsection Angle abc
    set Particles = a, b, c
    set Rest angle = 60
  end
  subsection Morse
    set Depth = 0.1
  end
end
)";

/// A double pendulum in the plane: rods of length 1.
const char *const double_pendulum = R"(
set Problem = particles
set End time = 1
subsection Particles
  set Dimension = 2
  subsection Particle a
    set Position = 1, 0
    set Velocity = 0, -0.7
  end
  subsection Particle b
    set Mass = 2
    set Position = 1, 1
    set Velocity = 0.3, -0.7
  end
end
subsection Potentials
  set Gravity = 0, -1, 0
end
subsection Constraints
  subsection Anchor rod
    set Particle = a
    set Point = 0, 0
    set Length = 1
  end
  subsection Distance rod
    set Particles = a, b
    set Length = 1
  end
end
)";

/// A body that turns in a field.
const char *const top = R"(
set Problem = rigid body
set End time = 1
subsection Rigid body
  set Inertia          = 1, 1.6, 2.1
  set Angular velocity = 0.3, 3, 0.5
  subsection Field
    set Strength  = 2
    set Direction = 0, 0, -1
    set Dipole    = 0, 1, 1
  end
end
)";

/// One way to run a row of the table: its settings, and a system that it can run.
struct Variation
{
  std::string integrator;
  std::vector<std::string> settings;  ///< of its section
};

/// Settings that make an integrator carry something else; every row runs with its defaults too.
std::vector<Variation> variations()
{
  std::vector<Variation> all{{"force-stepping", {"Engine=local", "Spacing=1e-3"}},
                             {"force-stepping", {"Engine=kinetic", "Spacing=1e-3"}},
                             {"force-stepping", {"Engine=sherman-morrison", "Spacing=1e-3"}},
                             {"generalised-alpha", {"Adaptive=true"}},
                             {"pushforward Newmark", {"Adaptive=true", "Linear solver=jacobi"}},
                             {"Zhang-Skeel", {"Order=4"}},
                             {"Zhang-Skeel", {"Form=simplified", "Adaptive=true", "Linear solver=jacobi"}},
                             {"RATTLE", {"Order=4"}},
                             {"constrained ODE", {"Method=Fehlberg", "Position projection=1e-10"}},
                             {"constrained ODE", {"Method=Gauss collocation", "Momentum projection=1e-12"}},
                             {"constrained ODE", {"Position projection=1e-9", "Momentum projection=1e-9"}},
                             {"constrained symplectic Euler", {"Form=first order"}},
                             {"constrained Gauss", {"Index=3", "Stages=2", "Projected=true"}}};
  for (const auto &row : integrator_table())
    if (row.name != "force-stepping") all.push_back({row.name, {}});
  return all;
}

/// Half a run by one integrator, the other half by it and by another one that loaded what it saved. Says what differs.
std::string difference_after_restart(const IntegratorRow &row, const ParameterSection &parameters, const System &system)
{
  const auto &section = parameters.section("Integrator").section(row.title());
  State state = system.initial_state();
  auto integrator = row.make(section);
  integrator->initialize(system, state);
  for (const double time : {0.1, 0.15, 0.4}) integrator->advance(state, time);
  Archive saved;
  integrator->archive(saved, state);

  State other_state = state;
  auto other = row.make(section);
  other->initialize(system, system.initial_state());
  Archive loaded(saved.bytes());
  other->archive(loaded, other_state);
  loaded.finish();
  Archive again;
  other->archive(again, other_state);
  if (again.bytes() != saved.bytes()) return "what was loaded is saved as something else";
  for (const double time : {0.55, 0.8})
  {
    integrator->advance(state, time);
    other->advance(other_state, time);
  }
  const auto same = [](const Eigen::VectorXd &a, const Eigen::VectorXd &b)
  { return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0; };
  if (state.time != other_state.time || !same(state.q, other_state.q) || !same(state.v, other_state.v)) return "the states differ";
  Archive end, other_end;
  integrator->archive(end, state);
  other->archive(other_end, other_state);
  if (end.bytes() != other_end.bytes()) return "what they carry differs, or their counts do";
  const NamedValues counts = integrator->summary(), other_counts = other->summary();
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i].name.find("seconds") == std::string::npos && counts[i].value != other_counts[i].value)
      return fmt::format("{} is {}, not {}", counts[i].name, other_counts[i].value, counts[i].value);
  return "";
}
}  // namespace

BOOST_AUTO_TEST_SUITE(restart)

BOOST_AUTO_TEST_CASE(every_integrator_goes_on_bit_for_bit_from_what_it_saved)
{
  for (const auto &variation : variations())
  {
    const auto &row = *std::find_if(integrator_table().begin(), integrator_table().end(),
                                    [&](const auto &candidate) { return candidate.name == variation.integrator; });
    std::string refusals;
    bool was_run = false;
    for (const char *problem : {molecule, double_pendulum, top})
    {
      ParameterSection root;
      Simulation::declare_parameters(root);
      read_prm(problem, "problem", root);
      for (const auto &setting : variation.settings) apply_setting(root, "Integrator/" + row.title() + "/" + setting);
      const auto rows = problem_table();
      const auto kind = std::find_if(rows.begin(), rows.end(), [&](const auto &one) { return one.name == root.text("Problem"); });
      BOOST_TEST_REQUIRE((kind != rows.end()));
      const auto system = kind->make(root);
      try
      {
        const std::string difference = difference_after_restart(row, root, *system);
        BOOST_TEST(difference == "", row.name << ": " << difference);
        was_run = true;
      }
      catch (const InputError &error)
      {
        refusals += error.what();
      }
    }
    BOOST_TEST(was_run, row.name << " runs no system: " << refusals);
  }
}

BOOST_AUTO_TEST_CASE(interrupted_and_resumed_runs_leave_the_files_of_the_run_that_never_was)
{
  for (const auto &which : cases())
  {
    const ScratchFolder scratch("terminate");
    const std::string reference = (scratch / "reference").string(), folder = (scratch / "stopped").string();
    const auto begin = std::chrono::steady_clock::now();
    BOOST_TEST_REQUIRE(run_freefall("run " + which.arguments + " --quiet --output " + reference).exit_code == 0, which.name);
    const double duration = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    int exit_code = run_and_signal("run " + which.arguments + " --quiet --output " + folder, 0.6 * duration, SIGTERM);
    for (int i = 0; exit_code == 3 && i < 3; ++i)
    {
      BOOST_TEST(contains(read_text(folder + "/summary.json"), "\"status\": \"interrupted\""));
      BOOST_TEST(contains(read_text(folder + "/summary.json"), "freefall resume"));
      exit_code = run_and_signal("resume " + folder + " --quiet", i == 2 ? 1000 : 0.5 * duration, SIGTERM);
    }
    // A SIGTERM before the program listens ends it at once: then nothing was there to resume.
    if (exit_code == -1) exit_code = run_freefall("run " + which.arguments + " --force --quiet --output " + folder).exit_code;
    BOOST_TEST(exit_code == 0, which.name);
    BOOST_TEST(differences(folder, results(reference)) == "", which.name);
  }
}

BOOST_AUTO_TEST_CASE(the_same_input_gives_the_same_bytes_whatever_the_threads_of_libraries)
{
  for (const auto &which : cases())
  {
    const ScratchFolder scratch("twice");
    const std::string command = std::string(FREEFALL_EXECUTABLE) + " run " + which.arguments + " --quiet --output ";
    BOOST_TEST_REQUIRE(run_command("OPENBLAS_NUM_THREADS=1 " + command + (scratch / "a").string()).exit_code == 0, which.name);
    const std::string threads = "OPENBLAS_NUM_THREADS=4 OMP_NUM_THREADS=4 DEAL_II_NUM_THREADS=4 ";
    BOOST_TEST_REQUIRE(run_command(threads + command + (scratch / "b").string()).exit_code == 0, which.name);
    BOOST_TEST(differences(scratch / "b", results(scratch / "a")) == "", which.name);
  }
}

BOOST_AUTO_TEST_CASE(a_finished_run_has_nothing_to_resume)
{
  const ScratchFolder scratch("finished");
  const std::string folder = (scratch / "a").string();
  BOOST_TEST(run_freefall("run " + cases()[5].arguments + " --quiet --output " + folder).exit_code == 0);
  BOOST_TEST(!fs::exists(folder + "/checkpoint"));
  const auto before = results(folder);
  const auto resumed = run_freefall("resume " + folder);
  BOOST_TEST(resumed.exit_code == 0);
  BOOST_TEST(contains(resumed.output, "nothing to resume"), resumed.output);
  BOOST_TEST(differences(folder, before) == "");
}

/// By a new file: a run that was killed between two renames has one file under the names of both checkpoints.
void replace_checkpoint(const std::string &folder, const std::string &bytes)
{
  fs::remove(folder + "/checkpoint");
  std::ofstream(folder + "/checkpoint", std::ios::binary) << bytes;
}

/// A folder whose run was killed when it had two checkpoints.
struct KilledRun
{
  KilledRun() : scratch("refused"), folder((scratch / "a").string())
  {
    for (double seconds = 0.2; seconds < 100 && !fs::exists(folder + "/checkpoint.previous"); seconds *= 1.2)
      if (run_and_signal("run " + which.arguments + " --force --quiet --output " + folder, seconds, SIGKILL) == 0) break;
    BOOST_TEST_REQUIRE(fs::exists(folder + "/checkpoint.previous"));
    checkpoint = read_text(folder + "/checkpoint");
  }
  void write(const std::string &bytes) const { replace_checkpoint(folder, bytes); }

  Case which = cases()[0];
  ScratchFolder scratch;
  std::string folder, checkpoint;
};

BOOST_FIXTURE_TEST_CASE(a_checkpoint_that_cannot_be_used_is_refused_and_the_one_before_is_offered, KilledRun)
{
  const auto before = results(folder);
  const auto expect_refusal = [&](const std::string &text, bool previous_is_offered)
  {
    const auto result = run_freefall("resume " + folder);
    BOOST_TEST(result.exit_code == 2, result.output);
    BOOST_TEST(contains(result.output, text), result.output);
    BOOST_TEST(contains(result.output, "--previous") == previous_is_offered, result.output);
  };
  write(checkpoint.substr(0, checkpoint.size() / 2));
  expect_refusal("is damaged", true);
  std::string flipped = checkpoint;
  flipped[flipped.size() / 3] ^= 1;
  write(flipped);
  expect_refusal("checksum", true);
  std::string newer = checkpoint;
  ++newer[20];
  write(newer);
  expect_refusal("version 3 of the format", true);
  write("");
  expect_refusal("is no checkpoint", true);
  fs::remove(folder + "/checkpoint");
  expect_refusal("Cannot open", true);

  write(checkpoint);
  const std::string parameters = read_text(folder + "/parameters.prm");
  std::ofstream(folder + "/parameters.prm")
    << std::regex_replace(parameters, std::regex("set Density *= 2700"), "set Density = 2701");
  expect_refusal("belongs to other parameters", false);
  std::ofstream(folder + "/parameters.prm") << parameters;
  BOOST_TEST(differences(folder, before) == "");
}

BOOST_AUTO_TEST_CASE(the_checkpoint_before_the_last_gives_the_same_run)
{
  const Case which = cases()[0];
  const ScratchFolder scratch("previous");
  const std::string reference = (scratch / "reference").string(), folder = (scratch / "a").string();
  BOOST_TEST_REQUIRE(run_freefall("run " + which.arguments + " --quiet --output " + reference).exit_code == 0);
  const auto is_there = [&] { return fs::exists(folder + "/checkpoint.previous"); };
  for (int i = 0; i < 20 && !is_there(); ++i)
    run_and_signal("run " + which.arguments + " --force --quiet --output " + folder, 100, SIGKILL, is_there);
  BOOST_TEST_REQUIRE(is_there());
  replace_checkpoint(folder, "not a checkpoint");
  const auto resumed = run_freefall("resume " + folder + " --previous --quiet");
  BOOST_TEST(resumed.exit_code == 0, resumed.output);
  BOOST_TEST(differences(folder, results(reference)) == "");
}

BOOST_AUTO_TEST_CASE(a_file_that_the_parameters_name_must_not_have_changed)
{
  const ScratchFolder scratch("csv");
  const std::string csv = (scratch / "bodies.csv").string(), folder = (scratch / "a").string();
  const auto write_csv = [&](const std::string &mass)
  { std::ofstream(csv) << "name,mass,x,y,vx,vy\nbody," << mass << ",0.15,0,0,3.5\n"; };
  write_csv("1");
  std::ofstream(scratch / "run.prm") << "set Problem = particles\nset End time = 1e6\nsubsection Particles\n  set Dimension = 2\n"
                                        "  set File = "
                                     << csv << "\nend\nsubsection Potentials\n  subsection Central gravity\n    set Strength = 1\n"
                                     << "  end\nend\nsubsection Checks\n  set Maximum energy error = none\nend\n"
                                     << "subsection Integrator\n  set Name = Runge-Kutta 4\nend\n"
                                     << "subsection Output\n  set History interval = 10\n  set Snapshot interval = none\nend\n";
  run_and_signal("run " + (scratch / "run.prm").string() + " --quiet --output " + folder, 2, SIGKILL);
  BOOST_TEST_REQUIRE(fs::exists(folder + "/checkpoint"));
  write_csv("2");
  const auto result = run_freefall("resume " + folder);
  BOOST_TEST(result.exit_code == 2);
  BOOST_TEST(contains(result.output, "belongs to another system"), result.output);
}

BOOST_AUTO_TEST_SUITE_END()
