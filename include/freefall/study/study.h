#pragma once

#include <freefall/study/study_plan.h>
#include <freefall/study/study_table.h>
#include <freefall/study/table_average.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace freefall
{
/// Many runs, one table: `freefall study FILE`.
///
/// 1. The constructor reads and checks everything and starts nothing.
/// 2. run() makes every run as a child process of this program in `output`/runs/NAME, several at a time. A run whose folder has the
///    hash of its parameters in its name and a whole summary.json is not repeated, so an interrupted study goes on where it was.
/// 3. A run that fails is a row with its error text; its numbers are those that it left, if any.
/// 4. The results are `output`/study.csv (a row a run), fits.csv (a row a slope), a table for each Average and study.json (what a plot needs to know).
class Study
{
public:
  /// `settings` ("Section/Key=value") take the place of what the study file says. Throws InputError.
  explicit Study(const std::string &file, const std::vector<std::string> &settings = {});

  struct Options
  {
    std::filesystem::path output;
    std::filesystem::path program;  ///< this executable
    int n_jobs = 1;
    bool force = false;  ///< repeat runs that are finished
    bool quiet = false;
  };
  enum class Outcome
  {
    done,        ///< every run was made; some may have failed
    all_failed,  ///< and none succeeded
    interrupted
  };
  Outcome run(const Options &options, const std::function<bool()> &stop_requested);

  /// One line for each run to be made, with its settings.
  void list(std::ostream &stream) const;
  const StudySettings &settings() const { return settings_; }
  const StudyPlan &plan() const { return plan_; }
  /// Of the last run().
  const StudyTable &table() const { return table_; }

private:
  /// Where each job has its results, and the words of those that left none.
  struct JobResults
  {
    std::vector<std::filesystem::path> folders;
    std::map<int, std::string> failures;
  };
  bool make_runs(const Options &options, const std::function<bool()> &stop_requested, JobResults &results) const;
  void fill_table(const JobResults &results);
  void fill_row(const StudyPlan::Row &row, const JobResults &results);
  std::vector<std::string> printed_columns() const;
  /// Of the runs that are done; nothing when none is.
  std::vector<RunTables> tables_of(const AverageRequest &request, const JobResults &results) const;
  std::string description(const std::vector<FitResult> &fits) const;

  std::string file_;
  StudySettings settings_;
  StudyPlan plan_;
  StudyTable table_;
};
}  // namespace freefall
