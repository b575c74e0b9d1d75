#include <fcntl.h>
#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/output/history_writer.h>
#include <freefall/output/system_call.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace freefall
{
namespace
{
void append_number(std::string &text, double value)
{
  if (std::isnan(value))
    text += "nan";  // the sign of a NaN says nothing
  else
    fmt::format_to(std::back_inserter(text), "{}", value);
}

std::vector<std::string> split_at_commas(const std::string &line)
{
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}
}  // namespace

HistoryWriter::HistoryWriter(std::filesystem::path path) : path_(std::move(path))
{
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("open", errno);
}

HistoryWriter::HistoryWriter(std::filesystem::path path, std::uint64_t n_bytes) : path_(std::move(path)), n_bytes_(n_bytes)
{
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor_ < 0) fail("open", errno);
  std::string kept(n_bytes, '\0');
  std::ifstream(path_, std::ios::binary).read(kept.data(), static_cast<std::streamsize>(n_bytes));
  if (n_bytes > 0 && kept.back() != '\n')
  {
    ::close(descriptor_);
    throw RunError(fmt::format("The file '{}' has no whole row that ends at byte {}: it was changed after the run stopped.",
                               path_.string(), n_bytes));
  }
  columns_ = split_at_commas(kept.substr(0, kept.find('\n')));
  if (::ftruncate(descriptor_, static_cast<off_t>(n_bytes)) != 0 || ::lseek(descriptor_, 0, SEEK_END) < 0)
  {
    const int error_number = errno;
    ::close(descriptor_);
    fail("continue", error_number);
  }
}

HistoryWriter::~HistoryWriter() { ::close(descriptor_); }

void HistoryWriter::write(const NamedValues &row)
{
  check_columns(row);
  std::string text;
  if (columns_.empty())
    for (const NamedValue &entry : row) text += (text.empty() ? "" : ",") + entry.name;
  if (!text.empty()) text += '\n';
  for (const NamedValue &entry : row)
  {
    append_number(text, entry.value);
    text += ',';
  }
  text.back() = '\n';

  if (!write_all(descriptor_, text.data(), text.size()))
  {
    const int error_number = errno;
    const bool cut = ::ftruncate(descriptor_, static_cast<off_t>(n_bytes_)) == 0;
    if (cut) ::lseek(descriptor_, static_cast<off_t>(n_bytes_), SEEK_SET);
    fail("write", error_number);
  }
  n_bytes_ += text.size();
  if (columns_.empty())
    for (const NamedValue &entry : row) columns_.push_back(entry.name);
}

void HistoryWriter::flush() const
{
  if (::fsync(descriptor_) != 0) fail("flush", errno);
}

void HistoryWriter::check_columns(const NamedValues &row) const
{
  if (row.empty()) throw std::logic_error("HistoryWriter: a row without columns.");
  if (columns_.empty())
  {
    for (const NamedValue &entry : row)
      if (entry.name.empty() || entry.name.find_first_of(",\"\r\n") != std::string::npos)
        throw std::logic_error(fmt::format("HistoryWriter: '{}' cannot be the name of a column.", entry.name));
    return;
  }
  if (row.size() != columns_.size())
    throw std::logic_error(
      fmt::format("HistoryWriter: a row of {} columns where the first one had {}.", row.size(), columns_.size()));
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i].name != columns_[i])
      throw std::logic_error(
        fmt::format("HistoryWriter: column {} is '{}' where the first row had '{}'.", i, row[i].name, columns_[i]));
}

void HistoryWriter::fail(const std::string &action, int error_number) const
{
  throw RunError(fmt::format("Cannot {} the file '{}': {}.", action, path_.string(), system_reason(error_number)));
}

NumberColumns read_history(const std::filesystem::path &path)
{
  std::ifstream file(path);
  std::string line;
  NumberColumns table;
  if (std::getline(file, line)) table.names = split_at_commas(line);
  table.values.resize(table.names.size());
  while (std::getline(file, line))
  {
    const char *place = line.c_str();
    for (std::vector<double> &column : table.values)
    {
      char *end = nullptr;
      column.push_back(std::strtod(place, &end));
      if (end == place || (*end != ',' && *end != '\0'))
        throw RunError(fmt::format("The file '{}' is no table of numbers at: {}", path.string(), line));
      place = *end == ',' ? end + 1 : end;
    }
  }
  return table;
}
}  // namespace freefall
