#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/ranks.h>
#include <freefall/output/atomic_file.h>
#include <freefall/output/history_writer.h>
#include <freefall/output/snapshot_writer.h>
#include <freefall/output/summary.h>
#include <freefall/simulation/simulation.h>
#include <freefall/simulation/tables.h>
#include <freefall/systems/conditions.h>
#include <freefall/systems/name_of_largest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace freefall
{
namespace
{
template <typename Row>
std::vector<std::string> names(const std::vector<Row> &rows)
{
  std::vector<std::string> result;
  for (const auto &row : rows) result.push_back(row.name);
  return result;
}

template <typename Row>
const Row &find(const std::vector<Row> &rows, const std::string &name)
{
  return *std::find_if(rows.begin(), rows.end(), [&](const Row &row) { return row.name == name; });
}

/// More rows or files than this are a slip of the finger, not a wish.
constexpr double max_outputs = 1e6;
}  // namespace

struct Simulation::Interrupted
{
};

/// What a run writes while it goes on.
class Simulation::Writers
{
public:
  /// A resumed run goes on with the files that are there.
  Writers(Simulation &simulation, const RunFolder &folder)
    : simulation_(simulation),
      folder_(folder),
      outputs_(simulation.outputs_),
      snapshots_(folder.path(), "snapshot", outputs_.snapshot_times)
  {
    ranks::on_rank_zero([&] { open("history.csv", outputs_.history_bytes, history_); });
    if (simulation.is_resumed_) folder.clear_for_resume();
    if (simulation.is_resumed_ && simulation.snapshot_interval_) ranks::on_rank_zero([&] { snapshots_.write_collection(); });
    const bool deformed = simulation.parameters_.section("Output").text("Snapshot geometry") == "deformed";
    geometry_ = deformed ? SnapshotGeometry::deformed : SnapshotGeometry::reference;
    if (simulation.trajectory_interval_)
      ranks::on_rank_zero([&] { open("trajectory.csv", outputs_.trajectory_bytes, trajectory_); });
  }

  /// A row and a snapshot of the current state, each unless there is one already.
  void write_history();
  void write_snapshot();
  void write_trajectory();
  void write_tables() const;
  /// The state of a run that cannot go on, for ParaView.
  void write_failure() const;
  /// What is written so far is on the disk, and outputs_ says how much it is.
  void flush();
  const RunFolder &folder() const { return folder_; }
  void write_summary(const std::string &status, const std::string &message, double wall_seconds) const;

private:
  void open(const std::string &name, std::uint64_t n_bytes, std::optional<HistoryWriter> &writer) const
  {
    if (simulation_.is_resumed_)
      writer.emplace(folder_.file(name), n_bytes);
    else
      writer.emplace(folder_.file(name));
  }
  NamedValues history_row();

  const Simulation &simulation_;
  const RunFolder &folder_;
  OutputProgress &outputs_;
  std::optional<HistoryWriter> history_, trajectory_;  ///< of rank 0
  SnapshotWriter snapshots_;
  SnapshotGeometry geometry_;
};

void Simulation::Writers::write_history()
{
  if (outputs_.has_row && outputs_.last_row == simulation_.state_.time) return;
  const NamedValues row = history_row();
  ranks::on_rank_zero([&] { history_->write(row); });
  outputs_.has_row = true;
  outputs_.last_row = simulation_.state_.time;
}

void Simulation::Writers::flush()
{
  outputs_.snapshot_times = snapshots_.times();
  ranks::on_rank_zero(
    [&]
    {
      history_->flush();
      outputs_.history_bytes = history_->n_bytes();
      if (!trajectory_) return;
      trajectory_->flush();
      outputs_.trajectory_bytes = trajectory_->n_bytes();
    });
}

void Simulation::Writers::write_failure() const
{
  SnapshotWriter::write_grid(folder_.file("failure"), simulation_.system_->snapshot(simulation_.state_, geometry_));
}

void Simulation::Writers::write_snapshot()
{
  const bool written = !snapshots_.times().empty() && snapshots_.times().back() == simulation_.state_.time;
  if (simulation_.snapshot_interval_ && !written)
    snapshots_.write(simulation_.system_->snapshot(simulation_.state_, geometry_));
}

void Simulation::Writers::write_trajectory()
{
  if (!simulation_.trajectory_interval_) return;
  if (outputs_.has_trajectory_row && outputs_.last_trajectory_row == simulation_.state_.time) return;
  NamedValues row{{"time", simulation_.state_.time}};
  for (auto &value : simulation_.system_->trajectory(simulation_.state_)) row.push_back(std::move(value));
  ranks::on_rank_zero([&] { trajectory_->write(row); });
  outputs_.has_trajectory_row = true;
  outputs_.last_trajectory_row = simulation_.state_.time;
}

NamedValues Simulation::Writers::history_row()
{
  const System &system = *simulation_.system_;
  const State &state = simulation_.state_;
  const auto &statistics = simulation_.integrator_->statistics();
  const auto has = [&](EnergyAccount account)
  {
    return std::any_of(system.terms().begin(), system.terms().end(),
                       [&](const auto &family) { return family->account() == account; });
  };
  const EnergyBalance balance = system.energy_balance(state);
  NamedValues row{{"time", state.time},
                  {"step", static_cast<double>(statistics.n_steps)},
                  {"time_step", statistics.last_time_step},
                  {"kinetic_energy", balance.kinetic},
                  {"potential_energy", balance.internal}};
  if (has(EnergyAccount::contact)) row.push_back({"contact_energy", balance.contact});
  const Conditions *conditions = system.conditions();
  if (has(EnergyAccount::external) || (conditions && (conditions->has_loads() || conditions->moves_supports())))
    row.push_back({"external_work", balance.external_work});
  if (conditions && conditions->has_damping()) row.push_back({"damping_loss", balance.damping_loss});
  row.push_back({"total_energy", balance.total()});
  const auto conserved = simulation_.integrator_->conserved_energy(state);
  if (!outputs_.has_row) outputs_.has_conserved_energy = conserved.has_value();
  // The state that a failed step leaves may have none: the column stays.
  if (outputs_.has_conserved_energy)
    row.push_back({"conserved_energy", conserved.value_or(std::numeric_limits<double>::quiet_NaN())});
  for (const auto &value : system.observe(state)) row.push_back(value);
  for (const auto &value : simulation_.integrator_->observe(state)) row.push_back(value);
  return row;
}

void Simulation::Writers::write_summary(const std::string &status, const std::string &message, double wall_seconds) const
{
  const System &system = *simulation_.system_;
  const auto &statistics = simulation_.integrator_->statistics();
  RunSummary summary;
  summary.status = status;
  summary.message = message;
  summary.integrator = simulation_.integrator_name_;
  summary.end_time = simulation_.state_.time;
  summary.n_dofs = system.n_global_dofs();
  summary.n_ranks = ranks::size();
  summary.n_steps = statistics.n_steps;
  summary.n_force_evaluations = statistics.n_force_evaluations;
  summary.n_potential_evaluations = statistics.n_potential_evaluations;
  const double elapsed = simulation_.state_.time - system.initial_state().time;
  summary.time_step.average = statistics.n_steps > 0 ? elapsed / static_cast<double>(statistics.n_steps) : 0;
  summary.time_step.minimum = statistics.smallest_time_step;
  summary.time_step.maximum = statistics.largest_time_step;
  summary.relative_energy_drift = simulation_.energy_->largest_error();
  summary.wall_seconds = wall_seconds;
  summary.warnings = system.warnings();
  summary.sections.push_back({"integrator_details", simulation_.integrator_->summary()});
  // From the file, so that a run that was resumed knows all of it.
  NamedValues measured;
  ranks::on_rank_zero([&] { measured = system.measure(read_history(folder_.file("history.csv"))); });
  if (!measured.empty()) summary.sections.push_back({"measured", measured});
  NamedValues problem = system.summary();
  for (const auto &largest : simulation_.energy_->largest_watched()) problem.push_back(largest);
  if (!problem.empty()) summary.sections.push_back({"problem_details", problem});
  for (const auto &wall : system.walls())
  {
    const std::array<double, 3> point{wall.point[0], wall.point[1], wall.point[2]};
    const std::array<double, 3> normal{wall.normal[0], wall.normal[1], wall.normal[2]};
    if (wall.radius > 0)
      summary.rounds.push_back({point, normal, wall.radius});
    else
      summary.walls.push_back({point, normal});
  }
  ranks::on_rank_zero([&] { freefall::write_summary(folder_.file("summary.json"), summary); });
}

void Simulation::Writers::write_tables() const
{
  ranks::on_rank_zero(
    [&]
    {
      auto tables = simulation_.integrator_->tables();
      if (simulation_.tally_)
        for (auto &table : simulation_.tally_->tables()) tables.push_back(std::move(table));
      for (const auto &table : tables)
      {
        HistoryWriter writer(folder_.file(table.name + ".csv"));
        for (const auto &row : table.rows) writer.write(row);
      }
    });
}

void Simulation::declare_parameters(ParameterSection &root)
{
  root.declare("Title", "", Pattern::text(), "What the run is about; for the reader only.");
  root.declare("Problem", "solid", Pattern::choice(names(problem_table())), "Kind of system; see: freefall list");
  root.declare("End time", "0", Pattern::number("s", Bounds::non_negative()), "When the run ends; it begins at time 0.");
  auto &integrator =
    root.section("Integrator",
                 "How the system is moved forward in time. Only the section of the chosen integrator counts, so "
                 "that one line changes the method.");
  integrator.declare("Name", "explicit Newmark", Pattern::choice(names(integrator_table())), "see: freefall list");
  for (const auto &row : integrator_table()) row.declare(integrator.section(row.title(), row.description));

  HeatBath::declare_parameters(root);
  auto &checks = root.section("Checks", "The run watches itself.");
  checks.declare("Maximum energy error", "0.05", Pattern::number("", Bounds::positive()).or_word("none"),
                 "The run stops with exit code 3 when the energy account is off by more than this, relative to the energy at "
                 "the start.");
  checks.declare(
    "Check interval", "auto", Pattern::number("s", Bounds::positive()).or_word("auto"),
    "Simulated time between two looks at the energy. auto: a tenth of the history interval. A value below the time "
    "step looks at every step.");
  checks.declare("Minimum time step", "none", Pattern::number("s", Bounds::positive()).or_word("none"),
                 "The run stops with exit code 3 when an integrator that chooses its own steps takes one below this. The events "
                 "of force-stepping are no such steps.");
  auto &output = root.section("Output", "What is written to the folder of the run.");
  output.declare("History interval", "auto", Pattern::number("s", Bounds::positive()).or_word("auto"),
                 "Simulated time between two rows of history.csv. auto: a 400th of End time.");
  output.declare("Snapshot interval", "auto", Pattern::number("s", Bounds::positive()).or_word("auto").or_word("none"),
                 "Simulated time between two snapshots for ParaView. auto: a 40th of End time.");
  output.declare("Trajectory interval", "none", Pattern::number("s", Bounds::positive()).or_word("none"),
                 "Simulated time between two rows of trajectory.csv: position and velocity of every particle.");
  output.declare("Snapshot geometry", "deformed", Pattern::choice({"deformed", "reference"}),
                 "Where snapshots draw the bodies. With reference, ParaView's Warp By Vector moves them by the displacement.");
  Checkpoints::declare_parameters(output);
  for (const auto &row : problem_table()) row.declare(root);
}

Simulation::Simulation(const ParameterSection &parameters) : parameters_(parameters)
{
  end_time_ = parameters.number("End time");
  if (!(end_time_ > 0)) throw parameters.error("End time", "must be a positive number in s: how long to simulate.");
  parse_intervals();
  const auto &section = parameters.section("Integrator");
  integrator_name_ = section.text("Name");
  const auto &row = find(integrator_table(), integrator_name_);
  integrator_ = row.make(section.section(row.title()));
  if (const auto settings = HeatBath::parse_parameters(parameters)) couple(*settings);
  system_ = find(problem_table(), parameters.text("Problem")).make(parameters);
  tally_ = system_->make_tally();
  if (ranks::size() > 1) check_ranks();
  if (system_->constraints() && !integrator_->handles_constraints())
    throw section.error("Name", "does not know constraints, and this problem has some. Choose an integrator that keeps them, such as "
                                "RATTLE, or replace them by a penalty (Constraints/Penalty, or Rigid body/Formulation). See: "
                                "freefall list");
  sampler_ = dynamic_cast<Sampler *>(system_.get());
  state_ = system_->initial_state();
  if (trajectory_interval_ && system_->trajectory(state_).empty())
    throw parameters.section("Output").error(
      "Trajectory interval", fmt::format("must be none: the problem {} has no particles.", parameters.text("Problem")));
  try
  {
    integrator_->initialize(*system_, state_);
  }
  catch (const RunError &error)
  {
    throw InputError(fmt::format("the run cannot start: {}", error.what()));
  }
  energy_ = std::make_unique<EnergyMonitor>(*system_, *integrator_);
  checkpoints_ = std::make_unique<Checkpoints>(parameters, *system_);
  try
  {
    Archive trial;
    integrator_->archive(trial, state_);
  }
  catch (const NotRestartable &error)
  {
    why_not_restartable_ = error.what();
    if (checkpoints_->has_interval())
      throw parameters.section("Output").error(
        "Checkpoint interval", fmt::format("cannot be kept: {} cannot be saved. Set it to none.", integrator_name_));
  }
}

Simulation::~Simulation() = default;

void Simulation::couple(const HeatBath::Settings &settings)
{
  bath_.emplace(settings);
  try
  {
    integrator_->couple(*bath_);
  }
  catch (const InputError &error)
  {
    throw parameters_.section("Thermostat").error("Temperature", fmt::format("with {}: {}.", integrator_name_, error.what()));
  }
}

void Simulation::check_ranks() const
{
  const std::string advice = "Leave out mpirun, or start one process.";
  if (!system_->is_distributed())
    throw InputError(fmt::format("started as {} processes, but the problem {} runs in one. {}", ranks::size(),
                                 parameters_.text("Problem"), advice));
  if (!integrator_->runs_distributed())
    throw InputError(fmt::format("started as {} processes, but the integrator {} runs in one. {}", ranks::size(),
                                 integrator_name_, advice));
}

void Simulation::parse_intervals()
{
  const auto &output = parameters_.section("Output"), &checks = parameters_.section("Checks");
  const auto check_count = [&](const std::string &key, double interval)
  {
    if (end_time_ / interval > max_outputs)
      throw output.error(key, fmt::format("makes {:.3g} outputs until End time = {:.3g} s; at most {:.3g} are allowed.",
                                          end_time_ / interval, end_time_, max_outputs));
  };
  history_interval_ = output.number_unless_word("History interval").value_or(end_time_ / 400);
  check_count("History interval", history_interval_);
  if (!output.is_word("Snapshot interval", "none"))
  {
    snapshot_interval_ = output.number_unless_word("Snapshot interval").value_or(end_time_ / 40);
    check_count("Snapshot interval", *snapshot_interval_);
  }
  trajectory_interval_ = output.number_unless_word("Trajectory interval");
  if (trajectory_interval_) check_count("Trajectory interval", *trajectory_interval_);
  check_interval_ = checks.number_unless_word("Check interval").value_or(history_interval_ / 10);
  maximum_energy_error_ = checks.number_unless_word("Maximum energy error");
  minimum_time_step_ = checks.number_unless_word("Minimum time step");
}

std::vector<std::string> Simulation::notes() const
{
  std::vector<std::string> notes{fmt::format("{}: {} degrees of freedom", parameters_.text("Problem"), system_->n_global_dofs()),
                                 fmt::format("{} to {:.6g} s", integrator_name_, end_time_)};
  if (ranks::size() > 1) notes.push_back(fmt::format("on {} processes", ranks::size()));
  for (const auto &note : integrator_->notes()) notes.push_back(note);
  for (const auto &warning : system_->warnings()) notes.push_back("warning: " + warning);
  if (!why_not_restartable_.empty()) notes.push_back("no checkpoints are written: " + why_not_restartable_);
  return notes;
}

void Simulation::archive(Archive &archive)
{
  archive("time", state_.time);
  archive("q", state_.q);
  archive("v", state_.v);
  archive("work_of_supports", state_.work.supports);
  archive("work_of_loads", state_.work.loads);
  archive("work_of_damping", state_.work.damping);
  {
    const Archive::Part part(archive, "output");
    archive("history_bytes", outputs_.history_bytes);
    archive.list("snapshot_times", outputs_.snapshot_times);
    archive("has_row", outputs_.has_row);
    archive("last_row", outputs_.last_row);
    archive("has_conserved_energy", outputs_.has_conserved_energy);
    archive("next_row", outputs_.next_row);
    archive("next_snapshot", outputs_.next_snapshot);
    archive("trajectory_bytes", outputs_.trajectory_bytes);
    archive("has_trajectory_row", outputs_.has_trajectory_row);
    archive("last_trajectory_row", outputs_.last_trajectory_row);
    archive("next_trajectory_row", outputs_.next_trajectory_row);
    archive("wall_seconds", outputs_.wall_seconds);
  }
  energy_->archive(archive);
  if (tally_)
  {
    const Archive::Part part(archive, "tally");
    archive("last_time", last_tally_time_);
    tally_->archive(archive);
  }
  {
    const Archive::Part part(archive, "system");
    system_->archive(archive);
  }
  integrator_->archive(archive, state_);
}

void Simulation::save_checkpoint(Writers &writers)
{
  if (!why_not_restartable_.empty()) return;
  writers.flush();
  const double now = Progress::steady_seconds(), earlier = outputs_.wall_seconds;
  outputs_.wall_seconds += now - wall_start_;
  Archive saved;
  archive(saved);
  outputs_.wall_seconds = earlier;
  checkpoints_->write(writers.folder().path(), saved.bytes(), state_.time, now);
}

void Simulation::load_checkpoint(const RunFolder &folder, bool previous)
{
  Archive saved(checkpoints_->read(folder.path(), previous));
  try
  {
    archive(saved);
    saved.finish();
  }
  catch (const ArchiveError &error)
  {
    throw InputError(fmt::format("The checkpoint in '{}' does not fit this program: {}. Resume it with the program that wrote it.",
                                 folder.path().string(), error.what()));
  }
  is_resumed_ = true;
}

Simulation::Outcome Simulation::run(const RunFolder &folder, Progress &progress, const std::function<bool()> &stop_requested)
{
  wall_start_ = Progress::steady_seconds();
  if (!is_resumed_)
  {
    std::ostringstream used;
    write_prm(parameters_, used);
    ranks::on_rank_zero([&] { write_file_atomically(folder.file("parameters.prm"), used.str()); });
  }
  Writers writers(*this, folder);
  if (checkpoints_) checkpoints_->begin(state_.time, wall_start_);

  Outcome outcome = Outcome::done;
  std::string message;
  try
  {
    run_to_end(writers, progress, stop_requested);
  }
  catch (const StepFailed &error)
  {
    outcome = Outcome::stopped;
    message = error.what();
  }
  catch (const Interrupted &)
  {
    outcome = Outcome::interrupted;
    message = fmt::format("interrupted at time {:.6g} s", state_.time);
    const std::string launcher = ranks::size() > 1 ? fmt::format("mpirun -n {} ", ranks::size()) : "";
    if (why_not_restartable_.empty()) message += fmt::format(". Go on with: {}freefall resume {}", launcher, folder.path().string());
    // Before the row and the snapshot of this moment, which the run that goes on does not have.
    save_checkpoint(writers);
  }
  writers.write_history();
  writers.write_snapshot();
  if (outcome == Outcome::stopped) writers.write_failure();
  writers.write_trajectory();
  writers.write_tables();
  const char *status[] = {"done", "stopped", "interrupted"};
  writers.write_summary(status[static_cast<int>(outcome)], message,
                        outputs_.wall_seconds + Progress::steady_seconds() - wall_start_);
  if (outcome == Outcome::done && checkpoints_) Checkpoints::remove(folder.path());
  progress.update(state_.time, integrator_->statistics().n_steps, energy_->largest_error());
  if (outcome == Outcome::done)
    progress.done();
  else
    progress.stopped(message);
  return outcome;
}

void Simulation::run_to_end(Writers &writers, Progress &progress, const std::function<bool()> &stop_requested)
{
  if (!is_resumed_)
  {
    look();
    if (sampler_) sampler_->sample(state_);
    writers.write_history();
    writers.write_snapshot();
    writers.write_trajectory();
    save_checkpoint(writers);
  }
  // Output times are multiples of the intervals, computed by multiplication so that they do not drift.
  const auto output_time = [&](std::int64_t number, const std::optional<double> &interval)
  { return interval ? std::min(end_time_, static_cast<double>(number) * *interval) : end_time_; };
  double time = 0;
  while (time < end_time_)
  {
    const double row_time = output_time(outputs_.next_row, history_interval_);
    const double snapshot_time = output_time(outputs_.next_snapshot, snapshot_interval_);
    const double trajectory_time = output_time(outputs_.next_trajectory_row, trajectory_interval_);
    time = std::min({row_time, snapshot_time, trajectory_time});
    advance_to(time, writers, progress, stop_requested);
    if (time == row_time)
    {
      writers.write_history();
      ++outputs_.next_row;
    }
    if (time == snapshot_time)
    {
      writers.write_snapshot();
      ++outputs_.next_snapshot;
    }
    if (time == trajectory_time)
    {
      writers.write_trajectory();
      ++outputs_.next_trajectory_row;
    }
  }
}

void Simulation::advance_to(double time,
                            Writers &writers,
                            Progress &progress,
                            const std::function<bool()> &stop_requested)
{
  double target;
  do
  {
    if (ranks::any(stop_requested())) throw Interrupted();
    target = std::min(time, state_.time + check_interval_);
    advance_and_sample(target);
    const double error = look();
    progress.update(state_.time, integrator_->statistics().n_steps, energy_->largest_error());
    check(error);
    if (checkpoints_ && checkpoints_->is_due(state_.time, Progress::steady_seconds())) save_checkpoint(writers);
  } while (target < time);
}

void Simulation::advance_and_sample(double target)
{
  if (!sampler_ || !std::isfinite(sampler_->sampling_interval())) return integrator_->advance(state_, target);
  double reached = state_.time;
  do
  {
    // A step longer than the interval goes beyond the time that was asked for.
    reached = std::min(target, std::max(reached, state_.time) + sampler_->sampling_interval());
    integrator_->advance(state_, reached);
    sampler_->sample(state_);
  } while (reached < target);
}

double Simulation::look()
{
  if (tally_ && state_.time > last_tally_time_)
  {
    tally_->sample(state_);
    last_tally_time_ = state_.time;
  }
  return energy_->look(state_);
}

void Simulation::check(double energy_error) const
{
  // The place is that of the fastest dof: where things fly apart.
  const auto place = [&] { return name_of_largest(*system_, state_.v); };
  if (!std::isfinite(energy_->energy()))
    throw StepFailed(
      fmt::format("the energy is not finite at time {:.6g} s; fastest is {}. Use a shorter time step.", state_.time, place()));
  if (maximum_energy_error_ && energy_error > *maximum_energy_error_)
    throw StepFailed(
      fmt::format("the energy error {:.3g} passed Checks/Maximum energy error = {:.3g} at time {:.6g} s; fastest is {}. Use a "
                  "shorter time step, or raise the limit if that error is acceptable.",
                  energy_error, *maximum_energy_error_, state_.time, place()));
  const auto &statistics = integrator_->statistics();
  if (minimum_time_step_ && integrator_->chooses_time_step() && statistics.smallest_time_step < *minimum_time_step_)
    throw StepFailed(
      fmt::format("a time step of {:.3g} s fell below Checks/Minimum time step = {:.3g} s before time {:.6g} s; fastest is {}. "
                  "Lower the limit, or look for what forces the short step: failure.vtu shows the state.",
                  statistics.smallest_time_step, *minimum_time_step_, state_.time, place()));
}
}  // namespace freefall
