#include <fmt/format.h>
#include <freefall/output/progress.h>
#include <freefall/output/readable_number.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <utility>

namespace freefall
{
namespace
{
constexpr const char *to_start_of_line = "\r";
constexpr const char *erase_rest_of_line = "\x1b[K";
constexpr double rewrite_interval = 0.2;
// A line that wraps cannot be rewritten; most terminals have 80 columns or more.
constexpr std::size_t longest_line = 79;
}  // namespace

Progress::Style Progress::style_for(int descriptor, bool quiet)
{
  if (quiet) return Style::quiet;
  return ::isatty(descriptor) == 1 ? Style::rewritten : Style::lines;
}

double Progress::steady_seconds()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Progress::Progress(std::ostream &out, Style style, double start_time, double end_time, double line_interval, Clock clock)
  : out_(out),
    style_(style),
    start_time_(start_time),
    end_time_(end_time),
    interval_(style == Style::rewritten ? rewrite_interval : line_interval),
    clock_(std::move(clock)),
    wall_start_(clock_()),
    wall_now_(wall_start_),
    next_print_(wall_start_ + interval_),
    time_(start_time)
{
}

void Progress::update(double time, std::int64_t n_steps, double relative_energy_drift)
{
  if (style_ == Style::quiet) return;
  time_ = time;
  n_steps_ = n_steps;
  drift_ = relative_energy_drift;
  wall_now_ = clock_();
  if (wall_now_ < next_print_) return;
  next_print_ = wall_now_ + interval_;
  print_line();
}

void Progress::note(const std::string &text)
{
  if (style_ == Style::quiet) return;
  if (line_is_open_) out_ << to_start_of_line << erase_rest_of_line;
  out_ << text << '\n' << std::flush;
  if (line_is_open_) print_line();
}

std::string Progress::line() const
{
  const double span = end_time_ - start_time_;
  const double fraction = span > 0 ? std::clamp((time_ - start_time_) / span, 0., 1.) : 1;
  // Rounded down: 100 % is the end and nothing before it.
  std::string text = fmt::format("{:3.0f}%  {} / {}  drift {:.1e}", std::floor(100 * fraction), readable_time(time_),
                                 readable_time(end_time_), std::fabs(drift_));
  const double elapsed = wall_now_ - wall_start_;
  if (elapsed > 0)
    text += "  " + readable_number(static_cast<double>(n_steps_) / elapsed, "", " steps/s") + "  " +
            readable_time((time_ - start_time_) / elapsed) + "/s";
  if (elapsed > 0 && fraction > 0 && fraction < 1) text += "  " + readable_duration(elapsed * (1 / fraction - 1)) + " left";
  return text;
}

void Progress::print_line()
{
  if (style_ == Style::rewritten)
    out_ << to_start_of_line << line().substr(0, longest_line) << erase_rest_of_line << std::flush;
  else
    out_ << line() << '\n' << std::flush;
  line_is_open_ = style_ == Style::rewritten;
}

void Progress::finish(const std::string &verb, const std::string &cause)
{
  if (style_ == Style::quiet) return;
  wall_now_ = clock_();
  print_line();
  if (line_is_open_) out_ << '\n';
  out_ << fmt::format("{} {}{}{}\n", verb, readable_duration(wall_now_ - wall_start_), cause.empty() ? "" : ": ", cause)
       << std::flush;
  line_is_open_ = false;
  style_ = Style::quiet;
}
}  // namespace freefall
