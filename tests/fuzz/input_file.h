#pragma once

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace fuzzing
{
/// Bytes as a file of this process, for readers that want a path; overwritten by the next one of the same name.
class InputFile
{
public:
  InputFile(const std::string &name, const std::string &bytes)
    : path_(std::filesystem::temp_directory_path() / ("freefall_fuzz_" + std::to_string(getpid()) + "_" + name))
  {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~InputFile() { std::filesystem::remove(path_); }
  InputFile(const InputFile &) = delete;
  std::string path() const { return path_.string(); }

private:
  std::filesystem::path path_;
};
}  // namespace fuzzing
