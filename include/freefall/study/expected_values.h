#pragma once

#include <freefall/study/study_plan.h>
#include <freefall/study/study_table.h>

#include <iosfwd>
#include <vector>

namespace freefall
{
/// Throws InputError unless each has a value for every row of its variants.
void check_expected_values(const StudySettings &study, const StudyPlan &plan);

/// The columns NAME and NAME_deviation: quantity / expected - 1, or the quantity itself where 0 is expected.
/// Throws RunError that names the nearest column when the table does not have the quantity.
void add_expected_values(StudyTable &table, const std::vector<ExpectedValues> &expected);

/// "paper: y is within 1.5 % in 14 of 15 rows; the largest deviation is 1.62 %, of naive_turns=10-...", one line each.
void print_expected_values(std::ostream &stream, const StudyTable &table, const std::vector<ExpectedValues> &expected);
}  // namespace freefall
