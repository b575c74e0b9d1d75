#include <freefall/core/errors.h>
#include <freefall/core/formula.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/text.h>
#include <freefall/study/growth_exponent.h>
#include <freefall/study/run_results.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

namespace freefall
{
HistoryTable::HistoryTable(const std::filesystem::path &file) : file_(file.string())
{
  std::ifstream stream(file);
  std::string line;
  if (!stream || !std::getline(stream, line)) throw RunError(fmt::format("{} cannot be read.", file_));
  names_ = split(line, ',');
  columns_.resize(names_.size());
  while (std::getline(stream, line))
  {
    if (stream.eof()) break;  // no newline: not a whole row
    const auto entries = split(line, ',');
    if (entries.size() != names_.size()) throw RunError(fmt::format("{} is no table of {} columns.", file_, names_.size()));
    for (std::size_t i = 0; i < entries.size(); ++i)
      columns_[i].push_back(parse_number(entries[i]).value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  if (columns_.empty() || columns_[0].empty()) throw RunError(fmt::format("{} has no rows.", file_));
}

const std::vector<double> &HistoryTable::column(const std::string &name) const
{
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end())
    throw RunError(fmt::format("{} has no column \"{}\".{}", file_, name, did_you_mean(name, names_)));
  return columns_[found - names_.begin()];
}

namespace
{
/// Output times are multiples of an interval, or sums of steps: equal up to rounding, not more.
constexpr double time_rounding = 1e-9;
/// Sections within sections; ours has one level of them.
constexpr std::size_t deepest_section = 8;

void collect_numbers(const nlohmann::ordered_json &json, const std::string &prefix, RunReport &report, std::size_t depth = 0)
{
  if (depth > deepest_section) return;
  for (const auto &[key, value] : json.items())
    if (value.is_number())
      report.numbers.emplace_back(prefix + key, value.get<double>());
    else if (value.is_object())
      collect_numbers(value, prefix + key + ".", report, depth + 1);
}

/// Rows of the two histories that belong to the same time.
std::vector<std::pair<std::size_t, std::size_t>> common_rows(const std::vector<double> &times, const std::vector<double> &others)
{
  const double slack = time_rounding * std::max(std::abs(times.back()), std::abs(others.back()));
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  for (std::size_t i = 0, j = 0; i < times.size(); ++i)
  {
    while (j < others.size() && others[j] < times[i] - slack) ++j;
    if (j < others.size() && std::abs(others[j] - times[i]) <= slack) rows.emplace_back(i, j);
  }
  return rows;
}
}  // namespace

std::optional<RunReport> read_run_report(const std::filesystem::path &folder)
{
  std::ifstream stream(folder / "summary.json");
  if (!stream) return std::nullopt;
  const auto json = nlohmann::ordered_json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("status") || !json["status"].is_string()) return std::nullopt;
  RunReport report;
  report.status = json["status"];
  if (json.contains("message") && json["message"].is_string()) report.message = json["message"];
  collect_numbers(json, "", report);
  return report;
}

double evaluate(const Measure &measure, const HistoryTable &history)
{
  const auto &times = history.column("time"), &all = history.column(measure.quantity);
  std::vector<double> values, changes = all;
  for (double &value : changes) value -= all.front();
  if (measure.of == "growth exponent") return growth_exponent(times, changes, measure.span);
  const bool of_changes = measure.of == "largest change";
  const double slack = time_rounding * times.back();
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] >= measure.span.from - slack && times[i] <= measure.span.to + slack)
      values.push_back(of_changes ? changes[i] : all[i]);
  if (values.empty())
    throw RunError(fmt::format("measure {}: the history has no row from {} to {}.", measure.name, measure.span.from, measure.span.to));
  if (measure.of == "initial") return values.front();
  if (measure.of == "final") return values.back();
  if (measure.of == "final magnitude") return std::abs(values.back());
  if (measure.of == "change") return values.back() - values.front();
  if (measure.of == "minimum") return *std::min_element(values.begin(), values.end());
  if (measure.of == "maximum") return *std::max_element(values.begin(), values.end());
  if (measure.of == "magnitude" || of_changes)
    return std::abs(*std::max_element(values.begin(), values.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  if (measure.of == "mean") return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
  throw std::logic_error("unknown measure " + measure.of);
}

double sum_of(const std::vector<std::string> &quantities,
              const RunReport &report,
              const std::vector<Measure> &measures,
              const HistoryTable &history)
{
  double sum = 0;
  for (const std::string &name : quantities)
  {
    const auto measure = std::find_if(measures.begin(), measures.end(), [&](const Measure &m) { return m.name == name; });
    const auto number =
      std::find_if(report.numbers.begin(), report.numbers.end(), [&](const auto &n) { return n.first == name; });
    if (measure != measures.end())
      sum += evaluate(*measure, history);
    else if (number != report.numbers.end())
      sum += number->second;
    else
    {
      std::vector<std::string> known;
      for (const auto &entry : report.numbers) known.push_back(entry.first);
      for (const auto &entry : measures) known.push_back(entry.name);
      throw RunError(fmt::format("the run has no number \"{}\".{}", name, did_you_mean(name, known)));
    }
  }
  return sum;
}

double evaluate(const Deviation &deviation, double sum, double expected)
{
  if (deviation.relative && expected == 0)
    throw RunError(fmt::format("{} of the reference run is 0: set Relative = false.", deviation.name));
  return std::abs(sum - expected) / (deviation.relative ? std::abs(expected) : 1);
}

namespace
{
/// The lengths of the difference and of the expected vector at the times of `rows`.
struct Differences
{
  std::vector<double> times, errors, lengths;
};

Differences differences(const ErrorMeasure &measure,
                        const HistoryTable &history,
                        const HistoryTable *reference,
                        const std::vector<std::pair<std::size_t, std::size_t>> &rows)
{
  std::optional<Formula> exact;
  if (!measure.exact.empty()) exact.emplace(measure.exact, std::vector<std::string>{"t"});
  const auto &times = history.column("time");
  Differences result;
  for (const auto &[i, j] : rows)
  {
    double error = 0, length = 0;
    for (std::size_t c = 0; c < measure.quantities.size(); ++c)
    {
      const double expected =
        exact ? exact->evaluate_finite({times[i]}, static_cast<int>(c)) : reference->column(measure.quantities[c])[j];
      error += std::pow(history.column(measure.quantities[c])[i] - expected, 2);
      length += expected * expected;
    }
    result.times.push_back(times[i]);
    result.errors.push_back(std::sqrt(error));
    result.lengths.push_back(std::sqrt(length));
  }
  return result;
}
}  // namespace

double evaluate(const ErrorMeasure &measure, const HistoryTable &history, const HistoryTable *reference)
{
  const auto &times = history.column("time");
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  if (measure.exact.empty())
  {
    if (!reference) throw RunError("the reference run failed.");
    rows = common_rows(times, reference->column("time"));
    const bool ends_agree = !rows.empty() && rows.back().first + 1 == times.size();
    if (rows.size() < 2 || (measure.at_end_only && !ends_agree))
      throw RunError("the run and the reference run have no common time to compare. Choose time steps that divide Output/History "
                     "interval.");
  }
  else
    for (std::size_t i = 0; i < times.size(); ++i) rows.emplace_back(i, i);
  if (measure.at_end_only) rows.erase(rows.begin(), rows.end() - 1);
  const auto is_outside = [&](const auto &row) { return times[row.first] < measure.span.from || times[row.first] > measure.span.to; };
  rows.erase(std::remove_if(rows.begin(), rows.end(), is_outside), rows.end());
  if (rows.empty())
    throw RunError(fmt::format("the run has no rows to compare from time {:.6g} to {:.6g}.", measure.span.from, measure.span.to));
  const Differences found = differences(measure, history, reference, rows);
  if (measure.is_growth) return growth_exponent(found.times, found.errors, measure.span);
  double largest_error = 0;
  // A NaN must not hide.
  for (const double error : found.errors)
    if (!(error <= largest_error)) largest_error = error;
  const double largest_length = *std::max_element(found.lengths.begin(), found.lengths.end());
  if (measure.relative && !(largest_length > 0))
    throw RunError("the reference is zero at all times: set Relative = false.");
  return measure.relative ? largest_error / largest_length : largest_error;
}
}  // namespace freefall
