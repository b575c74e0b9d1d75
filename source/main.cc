#include <freefall/core/errors.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/ranks.h>
#include <freefall/output/run_folder.h>
#include <freefall/output/summary.h>
#include <freefall/simulation/simulation.h>
#include <freefall/simulation/tables.h>
#include <freefall/study/study.h>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <thread>

using namespace freefall;

namespace
{
enum ExitCode
{
  success = 0,
  wrong_input = 2,
  run_failed = 3
};

volatile std::sig_atomic_t stop_signal = 0;
void request_stop(int signal) { stop_signal = signal; }

/// What the commands run and check share.
struct InputFile
{
  std::string file;
  std::vector<std::string> settings;

  void add_to(CLI::App &command)
  {
    command.add_option("file", file, "parameter file, .prm or .json")->required();
    command.add_option("--set", settings, "\"Section/Key=value\" in place of the file's value; can be repeated")
      ->allow_extra_args(false);
  }
  void read(ParameterSection &root) const
  {
    Simulation::declare_parameters(root);
    read_parameter_file(file, root);
    for (const auto &setting : settings) apply_setting(root, setting);
  }
};

/// Runs to the end.
int go(Simulation &simulation, const RunFolder &folder, bool quiet)
{
  quiet = quiet || ranks::rank() > 0;
  Progress progress(std::cerr, Progress::style_for(STDERR_FILENO, quiet), simulation.time(), simulation.end_time());
  for (const auto &note : simulation.notes()) progress.note(note);
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  try
  {
    const auto outcome = simulation.run(folder, progress, [] { return stop_signal != 0; });
    if (!quiet) fmt::print("results in {}: open snapshots.pvd in ParaView\n", folder.path().string());
    return outcome == Simulation::Outcome::done ? success : run_failed;
  }
  catch (const RunError &error)
  {
    throw RunError(fmt::format("{} All results so far are kept. When that is mended, go on with: {}freefall resume {}",
                               error.what(), ranks::size() > 1 ? fmt::format("mpirun -n {} ", ranks::size()) : "",
                               folder.path().string()));
  }
}

int run(const InputFile &input, std::string output, bool force, bool quiet)
{
  ParameterSection root;
  input.read(root);
  Simulation simulation(root);
  if (output.empty()) output = (std::filesystem::path("output") / std::filesystem::path(input.file).stem()).string();
  return go(simulation, RunFolder(output, force), quiet);
}

int resume(const std::string &path, bool previous, bool quiet)
{
  const RunFolder folder = RunFolder::reopen(path);
  const auto file = folder.file("parameters.prm");
  const bool has_checkpoint =
    std::filesystem::exists(folder.file("checkpoint")) || std::filesystem::exists(folder.file("checkpoint.previous"));
  if (!has_checkpoint && summary_status(folder.file("summary.json")) == "done")
  {
    if (ranks::rank() == 0) fmt::print("{}: the run is done, there is nothing to resume\n", path);
    return success;
  }
  if (!std::filesystem::exists(file) || !has_checkpoint)
    throw InputError(fmt::format("The folder '{}' holds no {}. Start the run with: freefall run FILE --output {} --force", path,
                                 has_checkpoint ? "parameters.prm" : "checkpoint of a run", path));
  ParameterSection root;
  Simulation::declare_parameters(root);
  read_parameter_file(file.string(), root);
  Simulation simulation(root);
  simulation.load_checkpoint(folder, previous);
  return go(simulation, folder, quiet);
}

struct StudyOptions
{
  std::string file, output;
  std::vector<std::string> settings;
  int n_jobs = 0;
  bool force = false, quiet = false, list_only = false, no_plot = false;

  void add_to(CLI::App &command)
  {
    command.add_option("file", file, "study file, .prm or .json")->required();
    command.add_option("--set", settings, "\"Section/Key=value\" in place of the study file's value; can be repeated")
      ->allow_extra_args(false);
    command.add_option("--output", output, "folder of the results (default: output/<name of the file>)");
    command.add_option("--jobs", n_jobs, "how many runs at a time (default: one for each core)")->check(CLI::Range(1, 1024));
    command.add_flag("--force", force, "repeat runs that are finished");
    command.add_flag("--list", list_only, "show the runs and their settings, start nothing");
    command.add_flag("--no-plot", no_plot, "draw no pictures");
    command.add_flag("--quiet", quiet, "print errors only");
  }
};

/// The pictures of a study, by postprocess/plot; without Python or matplotlib the results are no worse.
void plot_study(const std::filesystem::path &folder, bool quiet)
{
  const std::filesystem::path script = FREEFALL_POSTPROCESS_DIR "/plot";
  if (!std::filesystem::exists(script)) return;
  std::cout << std::flush;
  const auto quoted = [](const std::string &text)
  {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
  };
  const std::string command = quoted(script.string()) + " study " + quoted(folder.string()) + (quiet ? " >/dev/null" : "");
  if (std::system(command.c_str()) != 0) fmt::print(stderr, "freefall: no pictures were drawn; the tables are complete.\n");
}

int study(StudyOptions options)
{
  if (ranks::size() > 1) throw InputError("freefall study starts its runs itself. Leave out mpirun.");
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
  Study study(options.file, options.settings);
  if (options.list_only)
  {
    study.list(std::cout);
    return success;
  }
  if (options.output.empty())
    options.output = (std::filesystem::path("output") / std::filesystem::path(options.file).stem()).string();
  if (options.n_jobs == 0) options.n_jobs = std::max(1u, std::thread::hardware_concurrency());
  const auto outcome =
    study.run({options.output, std::filesystem::read_symlink("/proc/self/exe"), options.n_jobs, options.force, options.quiet},
              [] { return stop_signal != 0; });
  if (!options.quiet) fmt::print("results in {}: study.csv, fits.csv\n", options.output);
  if (!options.no_plot && outcome == Study::Outcome::done && !study.settings().plots.empty())
    plot_study(options.output, options.quiet);
  return outcome == Study::Outcome::done ? success : run_failed;
}

int check(const InputFile &input)
{
  ParameterSection root;
  input.read(root);
  const Simulation simulation(root);
  fmt::print("{}: all parameters are valid\n", input.file);
  for (const auto &note : simulation.notes()) fmt::print("  {}\n", note);
  return success;
}

int show_parameters(const std::string &name, bool of_studies)
{
  ParameterSection root;
  if (of_studies)
    declare_study_parameters(root, false);
  else
    Simulation::declare_parameters(root);
  return write_parameter_help(root, std::cout, name) ? success : wrong_input;
}

int list()
{
  for (const auto &listing : all_listings())
  {
    fmt::print("{}\n", listing.heading);
    for (const auto &[name, description] : listing.entries) fmt::print("  {:<20} {}\n", name, description);
  }
  return success;
}

int dispatch(int argc, char **argv)
{
  CLI::App app("Freefall: elastodynamics, contact and particles with integrators that keep what nature keeps.");
  app.require_subcommand(1);
  app.set_version_flag("--version", FREEFALL_VERSION);
  InputFile input;
  std::string output, name;
  bool force = false, previous = false, quiet = false, of_studies = false;
  StudyOptions study_options;

  auto *run_command = app.add_subcommand("run", "run a parameter file");
  input.add_to(*run_command);
  run_command->add_option("--output", output, "folder of the results (default: output/<name of the file>)");
  run_command->add_flag("--force", force, "replace the results of an earlier run in that folder");
  run_command->add_flag("--quiet", quiet, "print errors only");
  auto *resume_command = app.add_subcommand("resume", "go on with a run that was stopped, from its last checkpoint");
  resume_command->add_option("folder", output, "folder of the run")->required();
  resume_command->add_flag("--previous", previous, "from the checkpoint before the last one");
  resume_command->add_flag("--quiet", quiet, "print errors only");
  auto *study_command = app.add_subcommand("study", "many runs over swept parameters: one table, fitted slopes, plots");
  study_options.add_to(*study_command);
  auto *check_command = app.add_subcommand("check", "parse and validate a parameter file, start nothing");
  input.add_to(*check_command);
  auto *parameters_command = app.add_subcommand("parameters", "every parameter: default, unit, meaning, allowed values");
  parameters_command->add_option("name", name, "show only sections and keys that contain this");
  parameters_command->add_flag("--study", of_studies, "those of study files");
  auto *list_command = app.add_subcommand("list", "problems, integrators, materials, contact surfaces");

  // Of a mistyped command CLI11 would only say that one is required.
  std::vector<std::string> commands;
  for (const auto *command : app.get_subcommands({})) commands.push_back(command->get_name());
  const std::string typed = argc > 1 ? argv[1] : "-";
  if (typed[0] != '-' && std::find(commands.begin(), commands.end(), typed) == commands.end())
    throw InputError(fmt::format("unknown command \"{}\".{} See: freefall --help", typed, did_you_mean(typed, commands)));
  try
  {
    app.parse(argc, argv);
  }
  catch (const CLI::ParseError &error)
  {
    return app.exit(error) == 0 ? success : wrong_input;
  }
  if (*run_command) return run(input, output, force, quiet);
  if (*resume_command) return resume(output, previous, quiet);
  if (*study_command) return study(study_options);
  if (*check_command) return check(input);
  if (*parameters_command) return show_parameters(name, of_studies);
  if (*list_command) return list();
  return wrong_input;
}

/// Says what went wrong and ends the program. Of several ranks that fail together rank 0 speaks; one that fails alone speaks
/// when rank 0 has had its time, and takes the others with it.
int fail(const std::exception &error, int exit_code)
{
  if (ranks::size() == 1)
  {
    fmt::print(stderr, "freefall: {}\n", error.what());
    return exit_code;
  }
  if (ranks::rank() > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
  fmt::print(stderr, "freefall{}: {}\n", ranks::rank() > 0 ? fmt::format(" (rank {})", ranks::rank()) : "", error.what());
  ranks::abort(exit_code);
}
}  // namespace

int main(int argc, char **argv)
{
  const ranks::Session session;
  try
  {
    return dispatch(argc, argv);
  }
  catch (const InputError &error)
  {
    return fail(error, wrong_input);
  }
  catch (const std::exception &error)
  {
    return fail(error, run_failed);
  }
}
