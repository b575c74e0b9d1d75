#include <freefall/output/readable_number.h>
#include <freefall/study/study_progress.h>

#include <fmt/format.h>
#include <ostream>
#include <utility>

namespace freefall
{
namespace
{
constexpr double rewrite_interval = 0.2, line_interval = 10;
}

StudyProgress::StudyProgress(std::ostream &out, Progress::Style style, int n_runs, int n_known, Progress::Clock clock)
  : out_(out), style_(style), n_runs_(n_runs), n_known_(n_known), clock_(std::move(clock)), start_(clock_())
{
  next_print_ = start_ + (style == Progress::Style::rewritten ? rewrite_interval : line_interval);
  if (style_ != Progress::Style::quiet && n_known > 0) out_ << fmt::format("study: {} of {} runs are there already\n", n_known, n_runs);
}

void StudyProgress::ended(bool succeeded) { ++(succeeded ? n_succeeded_ : n_failed_); }

std::string StudyProgress::line(int n_running) const
{
  std::string text = fmt::format("study: {} of {} runs done", n_known_ + n_succeeded_, n_runs_);
  if (n_failed_ > 0) text += fmt::format(", {} failed", n_failed_);
  if (n_running > 0) text += fmt::format(", {} running", n_running);
  const int n_made = n_succeeded_ + n_failed_, n_left = n_runs_ - n_known_ - n_made;
  if (n_made > 0 && n_left > 0) text += ", " + readable_duration((clock_() - start_) / n_made * n_left) + " left";
  return text;
}

void StudyProgress::tick(int n_running)
{
  if (style_ == Progress::Style::quiet || clock_() < next_print_) return;
  const bool rewritten = style_ == Progress::Style::rewritten;
  next_print_ = clock_() + (rewritten ? rewrite_interval : line_interval);
  out_ << (rewritten ? "\r" : "") << line(n_running) << (rewritten ? "\x1b[K" : "\n") << std::flush;
}

void StudyProgress::finish(bool all_made)
{
  if (style_ == Progress::Style::quiet) return;
  if (style_ == Progress::Style::rewritten) out_ << "\r\x1b[K";
  out_ << line(0) << " in " << readable_duration(clock_() - start_) << (all_made ? "" : "; interrupted, start it again to go on")
       << '\n'
       << std::flush;
}
}  // namespace freefall
