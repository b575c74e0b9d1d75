#include <freefall/core/csv_table.h>
#include <freefall/core/errors.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/text.h>

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace freefall
{
CsvTable::CsvTable(const std::string &file, const std::vector<std::string> &known, const std::vector<std::string> &required)
  : file_(file)
{
  if (std::filesystem::exists(file) && !std::filesystem::is_regular_file(file))
    throw InputError(fmt::format("{}: is a folder, a device or a pipe, not a CSV file", file));
  std::ifstream stream(file);
  if (!stream) throw InputError(fmt::format("{}: the file cannot be read", file));
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number)
  {
    line = trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    if (columns_.empty())
    {
      read_header(line, number, known, required);
      continue;
    }
    std::vector<std::string> entries = split(line, ',');
    if (entries.size() != columns_.size())
      throw InputError(fmt::format("{}:{}: the row has {} columns, but the header has {}: {}", file, number, entries.size(),
                                   columns_.size(), join(columns_, ",")));
    rows_.push_back({number, std::move(entries)});
  }
  if (columns_.empty())
    throw InputError(fmt::format("{}: the file is empty; its first line names the columns: {}", file, join(known, ",")));
}

void CsvTable::read_header(const std::string &line,
                           int number,
                           const std::vector<std::string> &known,
                           const std::vector<std::string> &required)
{
  const auto refuse = [&](const std::string &what) { throw InputError(fmt::format("{}:{}: {}", file_, number, what)); };
  for (const std::string &column : split(line, ','))
  {
    if (std::find(known.begin(), known.end(), column) == known.end())
      refuse(fmt::format("there is no column '{}'; known: {}.{}", column, join(known, ", "), did_you_mean(column, known)));
    if (has(column)) refuse(fmt::format("the column '{}' occurs twice", column));
    columns_.push_back(column);
  }
  for (const std::string &column : required)
    if (!has(column)) refuse(fmt::format("the column '{}' is missing", column));
}

bool CsvTable::has(const std::string &column) const
{
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

int CsvTable::index_of(const std::string &column) const
{
  const auto place = std::find(columns_.begin(), columns_.end(), column);
  if (place == columns_.end()) throw std::logic_error("the table has no column " + column);
  return static_cast<int>(place - columns_.begin());
}

const std::string &CsvTable::text(int row, const std::string &column) const { return rows_[row].entries[index_of(column)]; }

double CsvTable::number(int row, const std::string &column) const
{
  const auto value = parse_number(text(row, column));
  if (!value) throw InputError(fmt::format("{}: {} = '{}' is not a number", place(row), column, text(row, column)));
  return *value;
}

double CsvTable::number_or(int row, const std::string &column, double missing) const
{
  return has(column) ? number(row, column) : missing;
}

std::string CsvTable::place(int row) const { return fmt::format("{}:{}", file_, rows_[row].line); }
}  // namespace freefall
