#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace freefall
{
/// Tells a user how far a run has come:
///
///     42%  23.4 us / 55.0 us  drift 1.2e-14  123k steps/s  2.34 us/s  0:12 left
///
/// The times are simulated ones; drift is the relative energy drift, without its sign; speeds are averages since the run began,
/// in steps and simulated time per second of the wall clock, and the time left follows from them.
class Progress
{
public:
  enum class Style
  {
    rewritten,  ///< one line of a terminal, rewritten in place at most five times a second
    lines,      ///< a new line every `line_interval` seconds, for a log file
    quiet       ///< nothing
  };
  /// The style for an open file: `rewritten` for a terminal, `lines` for any other.
  static Style style_for(int descriptor, bool quiet);

  /// Seconds of a clock that never goes back, from any origin.
  using Clock = std::function<double()>;
  static double steady_seconds();

  /// The run goes from start_time to end_time, in s. The stream outlives the object.
  Progress(std::ostream &out,
           Style style,
           double start_time,
           double end_time,
           double line_interval = 10,
           Clock clock = steady_seconds);

  /// Says where the run is, if it is time to say so. Cheap: to be called after every step.
  void update(double time, std::int64_t n_steps, double relative_energy_drift);
  /// Prints a line of its own, such as a warning.
  void note(const std::string &text);
  /// The last word: where the run ended, then "done in 12 s" or "stopped after 12 s: cause". Nothing is printed afterwards.
  void done() { finish("done in", ""); }
  void stopped(const std::string &cause) { finish("stopped after", cause); }

private:
  std::string line() const;
  void print_line();
  void finish(const std::string &verb, const std::string &cause);

  std::ostream &out_;
  Style style_;
  double start_time_, end_time_;
  double interval_;
  Clock clock_;
  double wall_start_, wall_now_, next_print_;
  double time_;
  std::int64_t n_steps_ = 0;
  double drift_ = 0;
  bool line_is_open_ = false;  ///< the cursor stands behind a line without its newline
};
}  // namespace freefall
