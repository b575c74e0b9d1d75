#include <freefall/core/errors.h>
#include <freefall/core/nearest_name.h>
#include <freefall/study/expected_values.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <ostream>

namespace freefall
{
namespace
{
bool is_for(const ExpectedValues &expected, const std::string &variant)
{
  return expected.variants.empty() || std::count(expected.variants.begin(), expected.variants.end(), variant) > 0;
}
}  // namespace

void check_expected_values(const StudySettings &study, const StudyPlan &plan)
{
  for (const auto &expected : study.expected)
  {
    const auto n_rows = static_cast<std::size_t>(
      std::count_if(plan.rows.begin(), plan.rows.end(), [&](const auto &row) { return is_for(expected, row.variant); }));
    if (n_rows != expected.values.size())
      throw InputError(fmt::format("Expected {}: {} values for {} rows of the table. Give one for each, - where none is known.",
                                   expected.name, expected.values.size(), n_rows));
  }
}

void add_expected_values(StudyTable &table, const std::vector<ExpectedValues> &all)
{
  for (const auto &expected : all)
  {
    bool is_done = false;
    std::size_t i = 0;
    for (int row = 0; row < table.n_rows(); ++row)
    {
      is_done = is_done || table.text(row, "status") == "done";
      if (!is_for(expected, table.text(row, "variant"))) continue;
      const auto value = expected.values[i++];
      const auto found = table.number(row, expected.quantity);
      if (!value) continue;
      table.set(row, expected.name, fmt::format("{}", *value));
      if (found) table.set(row, expected.deviation_column(), fmt::format("{}", *value == 0 ? *found : *found / *value - 1));
    }
    // A table without any result has few columns, and the reasons are in its rows.
    if (is_done && !table.has(expected.quantity))
      throw RunError(fmt::format("Expected {}: the table has no column \"{}\".{}", expected.name, expected.quantity,
                                 did_you_mean(expected.quantity, table.columns())));
  }
}

void print_expected_values(std::ostream &stream, const StudyTable &table, const std::vector<ExpectedValues> &all)
{
  for (const auto &expected : all)
  {
    int n_known = 0, n_within = 0, worst_row = -1;
    double worst = -1;
    for (int row = 0; row < table.n_rows(); ++row)
    {
      if (table.text(row, expected.name).empty()) continue;
      ++n_known;
      const auto deviation = table.number(row, expected.deviation_column());
      if (!deviation) continue;
      if (expected.tolerance && std::abs(*deviation) <= *expected.tolerance) ++n_within;
      if (std::abs(*deviation) <= worst) continue;
      worst = std::abs(*deviation);
      worst_row = row;
    }
    stream << expected.name << ": " << expected.quantity;
    if (expected.tolerance)
      stream << fmt::format(" is within {:.4g} % in {} of {} rows", 100 * *expected.tolerance, n_within, n_known);
    if (worst_row >= 0)
      stream << fmt::format("{} the largest deviation is {:.3g} %, of {}", expected.tolerance ? ";" : ":", 100 * worst,
                            table.text(worst_row, "run"));
    stream << '\n';
  }
}
}  // namespace freefall
