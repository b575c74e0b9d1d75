#include <freefall/core/errors.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/text.h>
#include <freefall/study/study_table.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

namespace freefall
{
namespace
{
std::string quoted(const std::string &text)
{
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text)
  {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

/// How many columns of a terminal a UTF-8 text takes, near enough: one for each code point.
std::size_t width_of(const std::string &text)
{
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

constexpr std::size_t longest_printed_text = 70;
}  // namespace

void StudyTable::set(const std::string &column, const std::string &text) { set(n_rows_ - 1, column, text); }

void StudyTable::set(int row, const std::string &column, const std::string &text)
{
  std::size_t i = static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
  if (i == columns_.size())
  {
    columns_.push_back(column);
    entries_.emplace_back();
  }
  entries_[i].resize(static_cast<std::size_t>(n_rows_));
  entries_[i][static_cast<std::size_t>(row)] = text;
}

void StudyTable::set(const std::string &column, double number)
{
  set(column, std::isfinite(number) ? fmt::format("{}", number) : "");
}

bool StudyTable::has(const std::string &column) const
{
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

std::string StudyTable::text(int row, const std::string &column) const
{
  const auto i = static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) - columns_.begin());
  if (i == columns_.size() || row >= static_cast<int>(entries_[i].size())) return "";
  return entries_[i][static_cast<std::size_t>(row)];
}

std::optional<double> StudyTable::number(int row, const std::string &column) const { return parse_number(text(row, column)); }

std::string StudyTable::to_csv() const
{
  std::vector<std::string> names;
  for (const auto &column : columns_) names.push_back(quoted(column));
  std::string csv = join(names, ",") + "\n";
  for (int row = 0; row < n_rows_; ++row)
  {
    std::vector<std::string> entries;
    for (const auto &column : columns_) entries.push_back(quoted(text(row, column)));
    csv += join(entries, ",") + "\n";
  }
  return csv;
}

void StudyTable::print(std::ostream &stream, const std::vector<std::string> &columns) const
{
  std::vector<std::string> lines(static_cast<std::size_t>(n_rows_) + 1);
  for (const auto &column : columns)
  {
    std::vector<std::string> entries{column};
    bool is_number = true;
    for (int row = 0; row < n_rows_; ++row)
    {
      const std::string entry = text(row, column);
      const auto value = number(row, column);
      is_number = is_number && (value || entry.empty());
      entries.push_back(value && entry.size() > 8 ? fmt::format("{:.4g}", *value) : entry.substr(0, longest_printed_text));
    }
    std::size_t width = 0;
    for (const auto &entry : entries) width = std::max(width, width_of(entry));
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
      const std::string blanks(width - width_of(entries[i]), ' ');
      lines[i] += (lines[i].empty() ? "" : "  ") + (is_number ? blanks + entries[i] : entries[i] + blanks);
    }
  }
  for (const auto &line : lines) stream << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
}

std::vector<FitResult> fit_table(const StudyTable &table, const std::vector<FitRequest> &requests)
{
  std::vector<FitResult> results;
  for (const auto &request : requests)
  {
    std::vector<std::string> needed = request.against;
    needed.push_back(request.quantity);
    for (const auto &name : needed)
      if (!table.has(name))
        throw RunError(fmt::format("fit {}: the table has no column \"{}\".{}", request.name, name,
                                   did_you_mean(name, table.columns())));
    // Groups in the order in which they appear.
    std::vector<std::pair<std::vector<std::string>, std::vector<int>>> groups;
    for (int row = 0; row < table.n_rows(); ++row)
    {
      const auto &variants = request.variants;
      if (!variants.empty() && !std::count(variants.begin(), variants.end(), table.text(row, "variant"))) continue;
      std::vector<std::string> key;
      for (const auto &name : request.separately_for) key.push_back(table.text(row, name));
      auto group = std::find_if(groups.begin(), groups.end(), [&](const auto &known) { return known.first == key; });
      if (group == groups.end()) group = groups.insert(groups.end(), {key, {}});
      group->second.push_back(row);
    }
    for (const auto &[key, rows] : groups)
    {
      FitResult result{request, key, 0, {}};
      std::vector<std::vector<double>> points;
      for (const int row : rows)
      {
        std::vector<double> point;
        for (const auto &name : needed) point.push_back(table.number(row, name).value_or(0));
        const double y = point.back();
        const bool usable = std::all_of(point.begin(), point.end(), [](double x) { return x > 0; }) && y >= request.minimum &&
                            (request.maximum <= 0 || y <= request.maximum);
        if (usable)
          points.push_back(point);
        else
          ++result.n_left_out;
      }
      Eigen::MatrixXd x(points.size(), request.against.size());
      Eigen::VectorXd y(points.size());
      for (std::size_t i = 0; i < points.size(); ++i)
      {
        for (std::size_t j = 0; j < request.against.size(); ++j) x(i, j) = points[i][j];
        y[i] = points[i].back();
      }
      if (!points.empty()) result.fit = fit_power_law(x, y);
      results.push_back(std::move(result));
    }
  }
  return results;
}

void print_fits(std::ostream &stream, const std::vector<FitResult> &fits)
{
  for (const auto &result : fits)
  {
    const FitRequest &request = result.request;
    std::string line = request.name;
    for (const auto &value : result.group) line += ", " + (value.empty() ? "-" : value);
    line += ": ";
    if (!result.fit)
    {
      stream << line << request.quantity << ": too few points for a slope (" << result.n_left_out << " left out)\n";
      continue;
    }
    line += request.quantity + " ~";
    for (std::size_t i = 0; i < request.against.size(); ++i)
    {
      const auto &slope = result.fit->slopes[i];
      line += fmt::format(" {}^({:.4g}", request.against[i], slope.value);
      line += slope.half_width ? fmt::format(" +- {:.2g})", *slope.half_width) : ")";
      if (!request.expected.empty()) line += fmt::format(" [expected {:.4g}]", request.expected[i]);
    }
    line += fmt::format("   {} points", result.fit->n_points);
    if (result.n_left_out > 0) line += fmt::format(", {} left out", result.n_left_out);
    stream << line << '\n';
  }
}

std::string fits_to_csv(const std::vector<FitResult> &fits)
{
  const auto number = [](const std::optional<double> &value) { return value ? fmt::format("{}", *value) : std::string(); };
  std::string csv = "fit,group,quantity,against,slope,standard_error,half_width_95,expected,log_constant,r_squared,n_points,"
                    "n_left_out\n";
  for (const auto &result : fits)
    for (std::size_t i = 0; i < result.request.against.size(); ++i)
    {
      const FitRequest &request = result.request;
      PowerLawFit::Slope slope;
      if (result.fit) slope = result.fit->slopes[i];
      const std::vector<std::string> entries{
        quoted(request.name),
        quoted(join(result.group, "|")),
        quoted(request.quantity),
        quoted(request.against[i]),
        result.fit ? number(slope.value) : "",
        number(slope.standard_error),
        number(slope.half_width),
        request.expected.empty() ? "" : number(request.expected[i]),
        result.fit ? number(result.fit->log_constant) : "",
        result.fit ? number(result.fit->r_squared) : "",
        fmt::format("{}", result.fit ? result.fit->n_points : 0),
        fmt::format("{}", result.n_left_out)};
      csv += join(entries, ",") + "\n";
    }
  return csv;
}
}  // namespace freefall
