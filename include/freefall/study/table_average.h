#pragma once

#include <freefall/study/run_results.h>
#include <freefall/study/study_settings.h>
#include <freefall/study/study_table.h>

#include <string>
#include <vector>

namespace freefall
{
/// The tables of some runs, which differ in nothing but what is averaged over (such as the seed).
struct RunTables
{
  std::vector<std::string> group;  ///< values of AverageRequest::separately_for
  std::vector<HistoryTable> tables;
};

/// For each group and row of the tables: the values of the groups' columns, the entry of `along`, then for each quantity its mean
/// over the runs and QUANTITY_standard_error (nothing for a single run), at last n_runs. The standard error is that of the mean of
/// independent runs, s / sqrt(n).
/// Throws RunError when tables have other rows or lack a column.
StudyTable average(const AverageRequest &request, const std::vector<RunTables> &runs);
}  // namespace freefall
