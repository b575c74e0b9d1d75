#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/integrator.h>
#include <freefall/output/progress.h>
#include <freefall/output/run_folder.h>
#include <freefall/simulation/energy_monitor.h>
#include <freefall/systems/system.h>

#include <functional>
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
  /// Runs to the end time, or until it cannot go on or `stop_requested` returns true. RunError when results cannot be written.
  Outcome run(const RunFolder &folder, Progress &progress, const std::function<bool()> &stop_requested);

  const System &system() const { return *system_; }
  const Integrator &integrator() const { return *integrator_; }
  double end_time() const { return end_time_; }
  /// One line each: what a user should know before the run. Collective.
  std::vector<std::string> notes() const;

private:
  class Writers;
  struct Interrupted;

  void parse_intervals();
  void check_ranks() const;
  void run_to_end(Writers &writers, Progress &progress, const std::function<bool()> &stop_requested);
  void advance_to(double time, Progress &progress, const std::function<bool()> &stop_requested);

  const ParameterSection &parameters_;
  std::string integrator_name_;
  double end_time_ = 0;
  double history_interval_ = 0;
  std::optional<double> snapshot_interval_;
  double check_interval_ = 0;
  std::optional<double> maximum_energy_error_;

  std::unique_ptr<System> system_;
  std::unique_ptr<Integrator> integrator_;
  State state_;
  std::unique_ptr<EnergyMonitor> energy_;
};
}  // namespace freefall
