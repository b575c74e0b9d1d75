#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace freefall
{
/// What is being loaded is not what was saved: a block has another name, type or size. The text names the block.
class ArchiveError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// Saves or loads the same data by the same code: a class has one function that hands its members to an archive.
///
///     void archive(Archive &archive)
///     {
///       archive("time_step", step_);
///       archive("slopes", slope_v_);
///     }
///
/// The data are a sequence of named, typed, sized blocks, so that a file explains itself and a mistake is found where it is:
/// loading asks for the same blocks in the same order and throws ArchiveError at the first that differs. Numbers come back bit
/// for bit. Arrays have the same size in the object that loads as they had in the one that saved; lists bring their size along.
///
/// Block: length of the name (uint16), name, type (one letter), count (uint64), then count numbers or characters; all in the
/// byte order of the machine.
class Archive
{
public:
  /// To save into.
  Archive() = default;
  /// To load from what bytes() gave. Throws ArchiveError where these are no whole blocks.
  explicit Archive(std::string bytes);

  bool is_loading() const { return is_loading_; }
  const std::string &bytes() const { return bytes_; }
  /// After loading: ArchiveError if a block is left.
  void finish() const;

  void operator()(const std::string &name, double &value) { array(name, 'd', &value, 1, sizeof value); }
  void operator()(const std::string &name, std::int32_t &value) { array(name, 'i', &value, 1, sizeof value); }
  void operator()(const std::string &name, std::int64_t &value) { array(name, 'l', &value, 1, sizeof value); }
  void operator()(const std::string &name, std::uint64_t &value) { array(name, 'u', &value, 1, sizeof value); }
  void operator()(const std::string &name, bool &value);
  void operator()(const std::string &name, std::string &text);

  /// Arrays: the size is that of the object.
  template <typename Number>
  void operator()(const std::string &name, std::vector<Number> &values)
  {
    array(name, letter<Number>(), values.data(), values.size(), sizeof(Number));
  }
  template <int rows, int columns>
  void operator()(const std::string &name, Eigen::Matrix<double, rows, columns> &values)
  {
    array(name, 'd', values.data(), static_cast<std::size_t>(values.size()), sizeof(double));
  }
  template <typename Number>
  void array_of(const std::string &name, Number *values, std::size_t n)
  {
    array(name, letter<Number>(), values, n, sizeof(Number));
  }
  /// One member of each of many records.
  template <typename Record, typename Number>
  void members(const std::string &name, std::vector<Record> &records, Number Record::*member)
  {
    std::vector<Number> values(records.size());
    if (!is_loading_)
      for (std::size_t i = 0; i < records.size(); ++i) values[i] = records[i].*member;
    (*this)(name, values);
    if (is_loading_)
      for (std::size_t i = 0; i < records.size(); ++i) records[i].*member = values[i];
  }

  /// Lists: the size is saved and loaded.
  template <typename Number>
  void list(const std::string &name, std::vector<Number> &values)
  {
    if (is_loading_) values.resize(next_count(name, letter<Number>()));
    (*this)(name, values);
  }
  void list(const std::string &name, Eigen::VectorXd &values)
  {
    if (is_loading_) values.resize(static_cast<Eigen::Index>(next_count(name, 'd')));
    (*this)(name, values);
  }

  /// Names within its lifetime begin with `name/`.
  class Part
  {
  public:
    Part(Archive &archive, const std::string &name);
    ~Part();
    Part(const Part &) = delete;
    Part &operator=(const Part &) = delete;

  private:
    Archive &archive_;
    std::size_t outer_length_;
  };

private:
  struct Block
  {
    std::string name;
    char type = 0;
    std::uint64_t count = 0;
    std::size_t payload = 0;  ///< where it begins
  };

  template <typename Number>
  static constexpr char letter()
  {
    if constexpr (std::is_same_v<Number, double>) return 'd';
    if constexpr (std::is_same_v<Number, std::int32_t>) return 'i';
    if constexpr (std::is_same_v<Number, std::int64_t>) return 'l';
    if constexpr (std::is_same_v<Number, std::uint64_t>) return 'u';
    if constexpr (std::is_same_v<Number, std::uint8_t>) return 'b';
    static_assert(std::is_same_v<Number, double> || std::is_integral_v<Number>, "no block type for these numbers");
    return 0;
  }
  static std::size_t size_of(char type);

  void array(const std::string &name, char type, void *values, std::size_t n, std::size_t size);
  void save(const std::string &name, char type, const void *values, std::uint64_t n, std::size_t size);
  Block read_block(std::size_t at) const;
  /// The block at the present place, which has this name and type.
  Block expect(const std::string &name, char type) const;
  std::size_t next_count(const std::string &name, char type) const;

  bool is_loading_ = false;
  std::string bytes_;
  std::size_t position_ = 0;
  std::string prefix_;
};
}  // namespace freefall
