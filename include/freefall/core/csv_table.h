#pragma once

#include <string>
#include <vector>

namespace freefall
{
/// A table read from a CSV file: a first line with the names of the columns, then one row a line; `#` begins a comment,
/// blank lines are skipped, blanks around entries do not count.
///
/// Throws InputError, naming file and line: a file that cannot be read, a column that is not known (with the nearest name),
/// missing or twice, a row with another number of columns than the header, a number that is none.
class CsvTable
{
public:
  /// Reads the file. Columns must be among `known`, and all of `required` must be there.
  CsvTable(const std::string &file, const std::vector<std::string> &known, const std::vector<std::string> &required);

  int n_rows() const { return static_cast<int>(rows_.size()); }
  bool has(const std::string &column) const;
  const std::string &text(int row, const std::string &column) const;
  double number(int row, const std::string &column) const;
  /// The number, or `missing` when the file has no such column.
  double number_or(int row, const std::string &column, double missing) const;
  /// "particles.csv:7", for messages about a row.
  std::string place(int row) const;

private:
  struct Row
  {
    int line;
    std::vector<std::string> entries;
  };
  void read_header(const std::string &line,
                   int number,
                   const std::vector<std::string> &known,
                   const std::vector<std::string> &required);
  int index_of(const std::string &column) const;

  std::string file_;
  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};
}  // namespace freefall
