#pragma once

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

/// What a program printed (both streams) and how it ended.
struct ProgramResult
{
  int exit_code = -1;
  std::string output;
};

/// Runs a command in a shell.
inline ProgramResult run_command(const std::string &given)
{
  const std::string command = given + " 2>&1 </dev/null";
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  ProgramResult result;
  std::array<char, 4096> buffer;
  while (const auto n = fread(buffer.data(), 1, buffer.size(), pipe)) result.output.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

/// Runs `freefall ARGUMENTS` in a shell.
inline ProgramResult run_freefall(const std::string &arguments) { return run_command(std::string(FREEFALL_EXECUTABLE) + " " + arguments); }

inline std::string read_text(const std::filesystem::path &path)
{
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// An empty folder of its own for one test, removed at the end.
class ScratchFolder
{
public:
  explicit ScratchFolder(const std::string &name)
    : path_(std::filesystem::temp_directory_path() / ("freefall_" + name + "_" + std::to_string(getpid())))
  {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string &name) const { return path_ / name; }
  std::string string() const { return path_.string(); }

private:
  std::filesystem::path path_;
};
