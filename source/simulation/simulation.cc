#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/output/atomic_file.h>
#include <freefall/output/history_writer.h>
#include <freefall/output/snapshot_writer.h>
#include <freefall/output/summary.h>
#include <freefall/simulation/simulation.h>
#include <freefall/simulation/tables.h>

#include <fmt/format.h>
#include <limits>
#include <algorithm>
#include <cmath>
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
  Writers(const Simulation &simulation, const RunFolder &folder)
    : simulation_(simulation), folder_(folder), history_(folder.file("history.csv")), snapshots_(folder.path(), "snapshot")
  {
    const bool deformed = simulation.parameters_.section("Output").text("Snapshot geometry") == "deformed";
    geometry_ = deformed ? SnapshotGeometry::deformed : SnapshotGeometry::reference;
  }

  /// A row and a snapshot of the current state, each unless there is one already.
  void write_history();
  void write_snapshot();
  void write_tables() const;
  void write_summary(const std::string &status, const std::string &message, double wall_seconds) const;

private:
  NamedValues history_row();

  const Simulation &simulation_;
  const RunFolder &folder_;
  HistoryWriter history_;
  SnapshotWriter snapshots_;
  SnapshotGeometry geometry_;
  std::optional<double> last_row_;
  bool has_conserved_energy_ = false;
};

void Simulation::Writers::write_history()
{
  if (last_row_ == simulation_.state_.time) return;
  history_.write(history_row());
  last_row_ = simulation_.state_.time;
}

void Simulation::Writers::write_snapshot()
{
  const bool written = !snapshots_.times().empty() && snapshots_.times().back() == simulation_.state_.time;
  if (simulation_.snapshot_interval_ && !written)
    snapshots_.write(simulation_.system_->snapshot(simulation_.state_, geometry_));
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
  if (has(EnergyAccount::external)) row.push_back({"external_work", balance.external_work});
  row.push_back({"total_energy", balance.total()});
  const auto conserved = simulation_.integrator_->conserved_energy(state);
  if (!last_row_) has_conserved_energy_ = conserved.has_value();
  // The state that a failed step leaves may have none: the column stays.
  if (has_conserved_energy_)
    row.push_back({"conserved_energy", conserved.value_or(std::numeric_limits<double>::quiet_NaN())});
  for (const auto &value : system.observe(state)) row.push_back(value);
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
  summary.n_dofs = system.n_dofs();
  summary.n_steps = statistics.n_steps;
  summary.n_force_evaluations = statistics.n_force_evaluations;
  summary.n_potential_evaluations = statistics.n_potential_evaluations;
  const double elapsed = simulation_.state_.time - system.initial_state().time;
  summary.time_step.average = statistics.n_steps > 0 ? elapsed / static_cast<double>(statistics.n_steps) : 0;
  summary.time_step.minimum = statistics.smallest_time_step;
  summary.time_step.maximum = statistics.largest_time_step;
  summary.relative_energy_drift = simulation_.energy_->largest_error();
  summary.wall_seconds = wall_seconds;
  summary.sections.push_back({"integrator_details", simulation_.integrator_->summary()});
  for (const auto &wall : system.walls())
    summary.walls.push_back({{wall.point[0], wall.point[1], wall.point[2]}, {wall.normal[0], wall.normal[1], wall.normal[2]}});
  freefall::write_summary(folder_.file("summary.json"), summary);
}

void Simulation::Writers::write_tables() const
{
  for (const auto &table : simulation_.integrator_->tables())
  {
    HistoryWriter writer(folder_.file(table.name + ".csv"));
    for (const auto &row : table.rows) writer.write(row);
  }
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

  auto &checks = root.section("Checks", "The run watches itself.");
  checks.declare("Maximum energy error", "0.05", Pattern::number("", Bounds::positive()).or_word("none"),
                 "The run stops with exit code 3 when the energy account is off by more than this, relative to the energy at "
                 "the start.");
  checks.declare(
    "Check interval", "auto", Pattern::number("s", Bounds::positive()).or_word("auto"),
    "Simulated time between two looks at the energy. auto: a tenth of the history interval. A value below the time "
    "step looks at every step.");
  auto &output = root.section("Output", "What is written to the folder of the run.");
  output.declare("History interval", "auto", Pattern::number("s", Bounds::positive()).or_word("auto"),
                 "Simulated time between two rows of history.csv. auto: a 400th of End time.");
  output.declare("Snapshot interval", "auto", Pattern::number("s", Bounds::positive()).or_word("auto").or_word("none"),
                 "Simulated time between two snapshots for ParaView. auto: a 40th of End time.");
  output.declare("Snapshot geometry", "deformed", Pattern::choice({"deformed", "reference"}),
                 "Where snapshots draw the bodies. With reference, ParaView's Warp By Vector moves them by the displacement.");
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
  system_ = find(problem_table(), parameters.text("Problem")).make(parameters);
  if (system_->constraints() && !integrator_->handles_constraints())
    throw section.error("Name", "does not know constraints, and the section Constraints has some. Choose an integrator that keeps "
                                "them, such as RATTLE, or set Constraints/Penalty. See: freefall list");
  state_ = system_->initial_state();
  try
  {
    integrator_->initialize(*system_, state_);
  }
  catch (const RunError &error)
  {
    throw InputError(fmt::format("the run cannot start: {}", error.what()));
  }
  energy_ = std::make_unique<EnergyMonitor>(*system_, *integrator_);
}

Simulation::~Simulation() = default;

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
  check_interval_ = checks.number_unless_word("Check interval").value_or(history_interval_ / 10);
  maximum_energy_error_ = checks.number_unless_word("Maximum energy error");
}

std::vector<std::string> Simulation::notes() const
{
  std::vector<std::string> notes{fmt::format("{}: {} degrees of freedom", parameters_.text("Problem"), system_->n_dofs()),
                                 fmt::format("{} to {:.6g} s", integrator_name_, end_time_)};
  for (const auto &note : integrator_->notes()) notes.push_back(note);
  return notes;
}

Simulation::Outcome Simulation::run(const RunFolder &folder, Progress &progress, const std::function<bool()> &stop_requested)
{
  const double wall_start = Progress::steady_seconds();
  std::ostringstream used;
  write_prm(parameters_, used);
  write_file_atomically(folder.file("parameters.prm"), used.str());
  Writers writers(*this, folder);

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
  }
  writers.write_history();
  writers.write_snapshot();
  writers.write_tables();
  const char *status[] = {"done", "stopped", "interrupted"};
  writers.write_summary(status[static_cast<int>(outcome)], message, Progress::steady_seconds() - wall_start);
  progress.update(state_.time, integrator_->statistics().n_steps, energy_->largest_error());
  if (outcome == Outcome::done)
    progress.done();
  else
    progress.stopped(message);
  return outcome;
}

void Simulation::run_to_end(Writers &writers, Progress &progress, const std::function<bool()> &stop_requested)
{
  energy_->look(state_);
  writers.write_history();
  writers.write_snapshot();
  // Output times are multiples of the intervals, computed by multiplication so that they do not drift.
  std::int64_t next_row = 1, next_snapshot = 1;
  double time = 0;
  while (time < end_time_)
  {
    const double row_time = std::min(end_time_, static_cast<double>(next_row) * history_interval_);
    const double snapshot_time =
      snapshot_interval_ ? std::min(end_time_, static_cast<double>(next_snapshot) * *snapshot_interval_) : end_time_;
    time = std::min(row_time, snapshot_time);
    advance_to(time, progress, stop_requested);
    if (time == row_time)
    {
      writers.write_history();
      ++next_row;
    }
    if (time == snapshot_time)
    {
      writers.write_snapshot();
      ++next_snapshot;
    }
  }
}

void Simulation::advance_to(double time, Progress &progress, const std::function<bool()> &stop_requested)
{
  double target;
  do
  {
    if (stop_requested()) throw Interrupted();
    target = std::min(time, state_.time + check_interval_);
    integrator_->advance(state_, target);
    const double error = energy_->look(state_);
    progress.update(state_.time, integrator_->statistics().n_steps, energy_->largest_error());
    if (!std::isfinite(energy_->energy()))
      throw StepFailed(fmt::format("the energy is not finite at time {:.6g} s. Use a shorter time step.", state_.time));
    if (maximum_energy_error_ && error > *maximum_energy_error_)
      throw StepFailed(
        fmt::format("the energy error {:.3g} passed Checks/Maximum energy error = {:.3g} at time {:.6g} s. Use a "
                    "shorter time step, or raise the limit if that error is acceptable.",
                    error, *maximum_energy_error_, state_.time));
  } while (target < time);
}
}  // namespace freefall
