#pragma once

#include <freefall/study/study_settings.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace freefall
{
/// The columns of a run's history.csv, or of another table of numbers in its folder; a last row that a killed run left unfinished is dropped.
class HistoryTable
{
public:
  /// Throws RunError when the file is missing or no table of numbers.
  explicit HistoryTable(const std::filesystem::path &file);

  const std::vector<std::string> &names() const { return names_; }
  /// Throws RunError that names the nearest column.
  const std::vector<double> &column(const std::string &name) const;

private:
  std::string file_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

/// What summary.json says.
struct RunReport
{
  std::string status, message;
  /// Every number, those of nested objects as "time_step.average"; arrays are left out, null is no number.
  std::vector<std::pair<std::string, double>> numbers;
};

/// Nothing when the file is missing or not whole.
std::optional<RunReport> read_run_report(const std::filesystem::path &folder);

/// The measure of a history. Throws RunError.
double evaluate(const Measure &measure, const HistoryTable &history);

/// |sum of the run's numbers - expected|, relative to `expected` where asked for.
double evaluate(const Deviation &deviation, double sum, double expected);

/// The sum of numbers of summary.json or measures of the history. Throws RunError that names the nearest.
double sum_of(const std::vector<std::string> &quantities,
              const RunReport &report,
              const std::vector<Measure> &measures,
              const HistoryTable &history);

/// The error of a history against that of the reference run, or against the formulas (then `reference` is not looked at).
/// Throws RunError, also when the two have no times in common.
double evaluate(const ErrorMeasure &measure, const HistoryTable &history, const HistoryTable *reference);
}  // namespace freefall
