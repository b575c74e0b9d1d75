#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace freefall::testing
{
/// A new empty folder that is removed with everything in it at the end of a test.
class TemporaryFolder
{
public:
  TemporaryFolder()
  {
    std::string name = (std::filesystem::temp_directory_path() / "freefall_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed for " + name);
    path_ = name;
  }
  ~TemporaryFolder()
  {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::filesystem::path &path() const { return path_; }
  std::filesystem::path operator/(const std::string &name) const { return path_ / name; }
  bool holds_nothing() const { return std::filesystem::is_empty(path_); }

private:
  std::filesystem::path path_;
};

inline std::string contents_of(const std::filesystem::path &path)
{
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void make_file(const std::filesystem::path &path, const std::string &contents)
{
  std::ofstream(path, std::ios::binary) << contents;
}

inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }
}  // namespace freefall::testing
