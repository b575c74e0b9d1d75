#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace freefall::testing
{
/// A line of a fenced block of a page, without its comment; lines that end with \ are joined.
struct DocumentedCommand
{
  std::string place;  ///< file:line
  std::string text;
};

inline std::string without_comment(std::string line)
{
  if (line.rfind('#', 0) == 0) return "";
  const auto comment = line.find(" #");
  if (comment != std::string::npos) line.erase(comment);
  const auto last = line.find_last_not_of(" \t");
  return last == std::string::npos ? "" : line.substr(0, last + 1);
}

/// Blocks without a language, or of the shell; others (prm, cpp) are examples of files, not commands.
inline bool holds_commands(const std::string &fence) { return fence == "```" || fence == "```sh" || fence == "```bash"; }

inline std::vector<DocumentedCommand> commands_of_page(const std::filesystem::path &page)
{
  std::vector<DocumentedCommand> commands;
  std::ifstream stream(page);
  bool inside = false, wanted = false, joined = false;
  int number = 0;
  for (std::string line; std::getline(stream, line);)
  {
    ++number;
    if (line.rfind("```", 0) == 0)
    {
      wanted = !inside && holds_commands(line);
      inside = !inside;
      joined = false;
      continue;
    }
    if (!inside || !wanted) continue;
    line = without_comment(line);
    if (line.empty()) continue;
    const bool goes_on = line.back() == '\\';
    if (goes_on) line.pop_back();
    const std::string text = line.substr(line.find_first_not_of(' '));
    if (joined)
      commands.back().text += text;
    else
      commands.push_back({page.filename().string() + ":" + std::to_string(number), text});
    joined = goes_on;
  }
  return commands;
}

/// README.md and every page in docs/, in the order of their names.
inline std::vector<DocumentedCommand> documented_commands()
{
  const std::filesystem::path root = FREEFALL_SOURCE_DIR;
  std::vector<std::filesystem::path> pages{root / "README.md"};
  for (const auto &entry : std::filesystem::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  std::sort(pages.begin() + 1, pages.end());
  std::vector<DocumentedCommand> commands;
  for (const auto &page : pages)
    for (auto &command : commands_of_page(page)) commands.push_back(std::move(command));
  return commands;
}

inline bool starts_with(const std::string &text, const std::string &start) { return text.rfind(start, 0) == 0; }

/// `NAME VALUE` taken out of a command line; empty when it is not there.
inline std::string take_option(std::string &command, const std::string &name)
{
  const auto at = command.find(" " + name + " ");
  if (at == std::string::npos) return "";
  const auto value = at + name.size() + 2;
  const auto end = std::min(command.find(' ', value), command.size());
  const std::string taken = command.substr(value, end - value);
  command.erase(at, end - at);
  return taken;
}

/// A folder that looks like a clone with a build, so that commands run as they are written.
inline void make_clone(const std::filesystem::path &folder)
{
  for (const char *name : {"parameters", "postprocess", "meshes"})
    std::filesystem::create_symlink(std::filesystem::path(FREEFALL_SOURCE_DIR) / name, folder / name);
  std::filesystem::create_symlink(std::filesystem::path(FREEFALL_EXECUTABLE).parent_path(), folder / "build");
}
}  // namespace freefall::testing
