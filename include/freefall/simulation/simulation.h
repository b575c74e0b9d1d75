#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/heat_bath.h>
#include <freefall/integrators/integrator.h>
#include <freefall/output/progress.h>
#include <freefall/output/run_folder.h>
#include <freefall/simulation/checkpoints.h>
#include <freefall/simulation/energy_monitor.h>
#include <freefall/systems/sampler.h>
#include <freefall/systems/tally.h>
#include <freefall/systems/system.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// One run: a system, an integrator, and what is written when.
///
/// The constructor parses and checks everything and starts the integrator, so that all mistakes of the input show before a
/// file is touched. On several ranks every function is collective. run() then leaves, whatever happens, a complete history, snapshots and summary of all that was computed.
class Simulation
{
public:
  /// All parameters of all problems and integrators.
  static void declare_parameters(ParameterSection &root);

  /// The parameters outlive the object. Throws InputError.
  explicit Simulation(const ParameterSection &parameters);
  ~Simulation();

  enum class Outcome
  {
    done,
    stopped,     ///< the run could not go on; the cause is in summary.json
    interrupted  ///< stop_requested() said so
  };
  /// Goes on where the last checkpoint in the folder, or the one before it, was written: call it once, before run(). The results
  /// in the folder are cut back to that moment by run(). InputError when there is none that can be used.
  void load_checkpoint(const RunFolder &folder, bool previous);

  /// Runs to the end time, or until it cannot go on or `stop_requested` returns true. RunError when results cannot be written.
  /// The results of a run that was stopped and resumed, any number of times, are those of the run that never was, byte for byte,
  /// but for its wall time.
  Outcome run(const RunFolder &folder, Progress &progress, const std::function<bool()> &stop_requested);

  const System &system() const { return *system_; }
  const Integrator &integrator() const { return *integrator_; }
  double end_time() const { return end_time_; }
  /// Where it is now, s.
  double time() const { return state_.time; }
  /// One line each: what a user should know before the run. Collective.
  std::vector<std::string> notes() const;

private:
  class Writers;
  struct Interrupted;

  /// How far the outputs are.
  struct OutputProgress
  {
    std::uint64_t history_bytes = 0;
    std::vector<double> snapshot_times;
    bool has_row = false;
    double last_row = 0;  ///< time of the last row of the history
    bool has_conserved_energy = false;
    std::uint64_t trajectory_bytes = 0;
    bool has_trajectory_row = false;
    double last_trajectory_row = 0;
    std::int64_t next_row = 1, next_snapshot = 1, next_trajectory_row = 1;  ///< as multiples of the intervals
    double wall_seconds = 0;                                                ///< of all runs before this one
  };

  void parse_intervals();
  void couple(const HeatBath::Settings &settings);
  /// Saves or loads everything.
  void archive(Archive &archive);
  void save_checkpoint(Writers &writers);
  void check_ranks() const;
  void run_to_end(Writers &writers, Progress &progress, const std::function<bool()> &stop_requested);
  void advance_to(double time, Writers &writers, Progress &progress, const std::function<bool()> &stop_requested);
  /// Moves the state to this time and shows it to the system as often as that asks for.
  void advance_and_sample(double target);
  /// Samples the state; returns the error of its energy.
  double look();
  /// Throws StepFailed if the run watches something go wrong.
  void check(double energy_error) const;

  const ParameterSection &parameters_;
  std::string integrator_name_;
  double end_time_ = 0;
  double history_interval_ = 0;
  std::optional<double> snapshot_interval_;
  std::optional<double> trajectory_interval_;
  double check_interval_ = 0;
  std::optional<double> maximum_energy_error_;
  std::optional<double> minimum_time_step_;

  std::unique_ptr<System> system_;
  Sampler *sampler_ = nullptr;  ///< the system, if it is one
  std::optional<HeatBath> bath_;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<Tally> tally_;  ///< null for a problem that has none
  double last_tally_time_ = -std::numeric_limits<double>::infinity();  ///< a resumed run looks again at the state of its checkpoint
  State state_;
  std::unique_ptr<EnergyMonitor> energy_;
  std::unique_ptr<Checkpoints> checkpoints_;
  std::string why_not_restartable_;  ///< empty for a run that can be saved
  bool is_resumed_ = false;
  OutputProgress outputs_;
  double wall_start_ = 0;
};
}  // namespace freefall
