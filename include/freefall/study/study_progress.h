#pragma once

#include <freefall/output/progress.h>

#include <iosfwd>
#include <string>

namespace freefall
{
/// One line for a whole study: "study: 7 of 24 runs done, 1 failed, 2 running, 0:40 left". The time left follows from the average of
/// the runs made so far.
class StudyProgress
{
public:
  /// `n_known` runs were finished before. The stream outlives the object.
  StudyProgress(
    std::ostream &out, Progress::Style style, int n_runs, int n_known, Progress::Clock clock = Progress::steady_seconds);

  void ended(bool succeeded);
  /// Prints the line if it is time to.
  void tick(int n_running);
  /// The last word.
  void finish(bool all_made);

private:
  std::string line(int n_running) const;

  std::ostream &out_;
  Progress::Style style_;
  int n_runs_, n_known_;
  Progress::Clock clock_;
  double start_, next_print_;
  int n_succeeded_ = 0, n_failed_ = 0;
};
}  // namespace freefall
