#pragma once

#include <freefall/core/named_value.h>
#include <freefall/core/number_columns.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace freefall
{
/// history.csv: one row of numbers per output time.
///
/// 1. The names of the first row are the header; every later row has the same names in the same order (std::logic_error).
/// 2. Numbers are written with the fewest digits that give the same double again; whole numbers below 1e16, such as the step,
///    without point and exponent; a number that is none as `nan`.
/// 3. A row reaches the system in one write before write() returns: a killed program leaves whole rows, but for the last one
///    at most.
/// 4. A failed write is a RunError with the path and the reason; the file is cut back to its last whole row.
class HistoryWriter
{
public:
  /// Starts a new file over whatever has that name.
  explicit HistoryWriter(std::filesystem::path path);
  /// Goes on with a file after its first `n_bytes`, what n_bytes() said when the state was saved; later rows are dropped.
  HistoryWriter(std::filesystem::path path, std::uint64_t n_bytes);
  ~HistoryWriter();
  HistoryWriter(const HistoryWriter &) = delete;
  HistoryWriter &operator=(const HistoryWriter &) = delete;

  void write(const NamedValues &row);

  /// Waits until all rows are on the disk (RunError).
  void flush() const;
  /// The length of the file, all rows so far.
  std::uint64_t n_bytes() const { return n_bytes_; }

private:
  void check_columns(const NamedValues &row) const;
  [[noreturn]] void fail(const std::string &action, int error_number) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t n_bytes_ = 0;
  std::vector<std::string> columns_;
};

/// Reads a file that HistoryWriter has written; RunError for one that it has not.
NumberColumns read_history(const std::filesystem::path &path);
}  // namespace freefall
