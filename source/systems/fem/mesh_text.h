#pragma once

#include <freefall/core/errors.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace freefall
{
/// Words, lines, numbers and bytes of a mesh file, one after another; errors name file and line.
class MeshText
{
public:
  MeshText(const std::string &path, std::string_view text) : path_(path), text_(text) {}

  /// Whether only blanks are left.
  bool at_end();
  /// The next word, which ends at a blank; an error at the end of the file, which `wanted` explains ("the number of nodes").
  std::string_view word(const char *wanted);
  /// The next word without taking it; empty at the end.
  std::string_view peek();
  /// The rest of the line, without its end.
  std::string_view line();
  double number(const char *wanted);
  long integer(const char *wanted);
  /// A count that the rest of the file is long enough for, `bytes_each` at least: guards memory against nonsense.
  std::size_t count(const char *wanted, std::size_t bytes_each = 1);
  void expect(std::string_view word);

  template <typename T>
  T bytes(const char *wanted)
  {
    if (text_.size() - position_ < sizeof(T)) throw ends_before(wanted);
    T value;
    std::memcpy(&value, text_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  std::size_t position() const { return position_; }
  std::size_t n_left() const { return text_.size() - position_; }
  void move_to(std::size_t position) { position_ = position; }

  /// "meshes/plate.msh:12: what".
  InputError error(const std::string &what) const;
  InputError ends_before(const char *wanted) const;

private:
  void skip_blanks();

  std::string path_;
  std::string_view text_;
  std::size_t position_ = 0;
};
}  // namespace freefall
