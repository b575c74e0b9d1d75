#pragma once

#include <freefall/core/parameters.h>
#include <freefall/study/sweep.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace freefall
{
/// Parameters with the values that they get, "Section/Key" and text, each key once: what --set would say.
class Settings
{
public:
  /// A key that is there already gets the new value.
  void set(const std::string &key, const std::string &value);
  void set(const Settings &others);
  const std::vector<std::pair<std::string, std::string>> &entries() const { return entries_; }

private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

/// A named set of parameters, such as an integrator with its own settings.
struct Variant
{
  std::string name;
  Settings settings;
};

/// A part of a run's time.
struct TimeSpan
{
  double from = 0;
  double to = std::numeric_limits<double>::infinity();
};

/// A number taken from the history of a run.
struct Measure
{
  std::string name;      ///< the column of study.csv
  std::string quantity;  ///< a column of history.csv
  /// initial, final, final magnitude, change, minimum, maximum, magnitude, mean, largest change, growth exponent
  std::string of;
  TimeSpan span;         ///< the rows that count
};

/// The distance of a run's history from that of the reference run or from a formula.
struct ErrorMeasure
{
  std::string name;                     ///< the column is "error_NAME"
  std::vector<std::string> quantities;  ///< columns of history.csv, together one vector
  std::string exact;                    ///< formulas of t, one for each quantity; empty: the reference run
  bool at_end_only = false;
  bool relative = true;  ///< to the largest length of the reference's vector
  bool is_growth = false;  ///< not the error but the exponent of t with which it grows
  TimeSpan span;           ///< the rows that count
  std::string column() const { return "error_" + name; }
};

/// How far a number of a run, or the sum of several, is from a value or from that of the reference run.
struct Deviation
{
  std::string name;                     ///< the column is "deviation_NAME"
  std::vector<std::string> quantities;  ///< numbers of summary.json or measures, which are added
  std::optional<double> from;           ///< nothing: the reference run's
  bool relative = true;                 ///< to what it deviates from
  std::string column() const { return "deviation_" + name; }
};

/// quantity = C * against_1 ^ slope_1 * against_2 ^ slope_2 ..., by least squares of the logarithms.
struct FitRequest
{
  std::string name;
  std::string quantity;
  std::vector<std::string> against;
  std::vector<std::string> separately_for;  ///< one fit for each set of values of these columns
  std::vector<double> expected;             ///< slopes that theory says, for the reader
  double minimum = 0;                       ///< rows with a smaller quantity are left out
  double maximum = 0;                       ///< and with a larger one, when positive
  std::vector<std::string> variants;        ///< rows of these only; of all when empty
};

/// Numbers that a column should have, such as those of a paper's table: columns NAME and NAME_deviation.
struct ExpectedValues
{
  std::string name;
  std::string quantity;                       ///< a column of study.csv
  std::vector<std::optional<double>> values;  ///< for each row in the order of the table; nothing where none is known
  std::optional<double> tolerance;            ///< largest relative deviation that counts as agreement
  std::vector<std::string> variants;          ///< rows of these only; of all when empty
  std::string deviation_column() const { return name + "_deviation"; }
};

struct PlotRequest
{
  std::string name, x, y, x_label, y_label, title;
  std::vector<std::string> lines;     ///< one line for each set of values of these columns
  std::vector<std::string> variants;  ///< rows of these only; of all when empty
  bool shows_histories = false;       ///< x and y are columns of history.csv, a line for each run
  bool is_change = false;             ///< of a history: y less its first value
  bool x_is_logarithmic = true, y_is_logarithmic = true;
};

/// The mean over runs of a table that each of them has, such as radial_distribution.csv over seeds: a table NAME.csv.
struct AverageRequest
{
  std::string name;
  std::string table;                        ///< TABLE.csv in the folder of each run
  std::string along;                        ///< the column that tells rows apart, the same in all runs
  std::vector<std::string> quantities;      ///< columns; all but `along` when empty
  std::vector<std::string> separately_for;  ///< one mean for each set of values of these columns of study.csv
};

/// What a study file says.
struct StudySettings
{
  std::string title;
  std::string base_file;  ///< as a path from the working folder
  Settings common;        ///< of all runs
  std::vector<Variant> variants;  ///< one without a name when the file has none
  std::vector<Sweep> sweeps;
  Settings reference;
  std::vector<std::string> reference_separately_for;
  std::vector<Measure> measures;
  std::vector<ErrorMeasure> errors;
  std::vector<ExpectedValues> expected;
  std::vector<Deviation> deviations;
  std::vector<FitRequest> fits;
  std::vector<AverageRequest> averages;
  std::vector<PlotRequest> plots;
  std::vector<std::string> table_columns;

  bool needs_reference_run() const;
};

/// All keys of a study file. With `run_parameters` the sections that take parameters of a run know them all, which reading
/// needs and the help does not.
void declare_study_parameters(ParameterSection &root, bool run_parameters = true);
/// `file` is where the parameters come from: the base file is looked for beside it. Throws InputError.
StudySettings parse_study_parameters(const ParameterSection &root, const std::string &file);
}  // namespace freefall
