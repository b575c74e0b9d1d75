#include <freefall/core/errors.h>
#include <freefall/study/table_average.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace freefall
{
namespace
{
/// Rows that belong to the same place: times and distances are computed alike in all runs, up to rounding.
bool are_same(const std::vector<double> &a, const std::vector<double> &b)
{
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::abs(x); });
}
}  // namespace

StudyTable average(const AverageRequest &request, const std::vector<RunTables> &runs)
{
  StudyTable result;
  for (const RunTables &group : runs)
  {
    const std::vector<double> &along = group.tables.front().column(request.along);
    for (const HistoryTable &table : group.tables)
      if (!are_same(along, table.column(request.along)))
        throw RunError(fmt::format("Average {}: the column {} is not the same in all runs. Average separately for what changes it.",
                                   request.name, request.along));
    std::vector<std::string> quantities = request.quantities;
    if (quantities.empty())
      for (const std::string &name : group.tables.front().names())
        if (name != request.along) quantities.push_back(name);
    const double n = static_cast<double>(group.tables.size());
    for (std::size_t row = 0; row < along.size(); ++row)
    {
      result.add_row();
      for (std::size_t i = 0; i < group.group.size(); ++i) result.set(request.separately_for[i], group.group[i]);
      result.set(request.along, along[row]);
      for (const std::string &name : quantities)
      {
        double mean = 0, squares = 0;
        for (const HistoryTable &table : group.tables) mean += table.column(name)[row] / n;
        for (const HistoryTable &table : group.tables) squares += std::pow(table.column(name)[row] - mean, 2);
        result.set(name, mean);
        result.set(name + "_standard_error", n > 1 ? std::sqrt(squares / (n - 1) / n) : std::numeric_limits<double>::quiet_NaN());
      }
      result.set("n_runs", n);
    }
  }
  return result;
}
}  // namespace freefall
