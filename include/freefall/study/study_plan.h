#pragma once

#include <freefall/study/study_settings.h>

#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// The runs of a study, spelt out.
///
/// Guarantees
/// * Every setting of every run has been applied to the base file once: an unknown parameter or a value that is not allowed is an
///   InputError before anything is started.
/// * Two rows with equal parameters share one job.
/// * The order of the rows is that of the file: variants, then the first sweep, ..., the last sweep changes fastest.
/// * The hash of a job is that of all its parameters, defaults included, so it changes with the base file.
struct StudyPlan
{
  /// A run to be made.
  struct Job
  {
    Settings settings;
    std::string hash;  ///< 16 hexadecimal digits
    std::string name;  ///< the variant and the swept values, fit for a file name; ends with the hash
  };
  /// A row of the table.
  struct Row
  {
    std::string variant;
    /// A value for each sweep; none where the sweep is not for this variant.
    std::vector<std::optional<std::string>> values;
    int job = 0;
    std::optional<int> reference_job;
  };

  std::vector<Job> jobs;
  std::vector<Row> rows;
  std::vector<std::string> units;  ///< of each sweep's parameter
};

/// More runs than this are a mistake.
constexpr int max_study_runs = 10000;

/// Throws InputError.
StudyPlan make_study_plan(const StudySettings &study);

/// 64-bit FNV-1a, as 16 hexadecimal digits.
std::string hash_of(const std::string &text);
}  // namespace freefall
