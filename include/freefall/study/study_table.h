#pragma once

#include <freefall/study/power_law_fit.h>
#include <freefall/study/study_settings.h>

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// The results of a study: named columns of texts, some of which are numbers. An empty text means that there is no value.
class StudyTable
{
public:
  int n_rows() const { return n_rows_; }
  void add_row() { ++n_rows_; }
  /// Sets the entry of the last row; a new name makes a new column.
  void set(const std::string &column, const std::string &text);
  /// Sets the entry of any row.
  void set(int row, const std::string &column, const std::string &text);
  /// With the fewest digits that give the same double again; nothing for NaN and infinity.
  void set(const std::string &column, double number);

  const std::vector<std::string> &columns() const { return columns_; }
  bool has(const std::string &column) const;
  /// Empty for a column that is not there.
  std::string text(int row, const std::string &column) const;
  std::optional<double> number(int row, const std::string &column) const;

  /// As study.csv: texts with commas, quotes or line breaks are quoted.
  std::string to_csv() const;
  /// For people: the chosen columns, aligned; numbers with four digits.
  void print(std::ostream &stream, const std::vector<std::string> &columns) const;

private:
  int n_rows_ = 0;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> entries_;  ///< a column each; may be shorter than n_rows_
};

/// The fit of one group of rows, or why there is none.
struct FitResult
{
  FitRequest request;
  std::vector<std::string> group;  ///< values of request.separately_for
  int n_left_out = 0;              ///< rows without a positive number, or beyond the limits
  std::optional<PowerLawFit> fit;
};

/// All fits of a study; a request without "Separately for" gives one result. A column that the table does not have is a RunError
/// that names the nearest.
std::vector<FitResult> fit_table(const StudyTable &table, const std::vector<FitRequest> &requests);

/// "time_step.average ~ spacing^0.997 +- 0.012 (expected 1)", one line a result.
void print_fits(std::ostream &stream, const std::vector<FitResult> &fits);

/// fits.csv: a row for each slope.
std::string fits_to_csv(const std::vector<FitResult> &fits);
}  // namespace freefall
