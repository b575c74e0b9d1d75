#include <fmt/format.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/text.h>

#include <string_view>

namespace freefall
{
namespace
{
constexpr std::size_t deepest_nesting = 32;

/// The lines of a .prm file: comments gone, continued lines joined, blanks trimmed.
class PrmLines
{
public:
  PrmLines(std::string_view text, std::string file) : rest_(text), file_(std::move(file))
  {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (rest_.substr(0, byte_order_mark.size()) == byte_order_mark) rest_.remove_prefix(byte_order_mark.size());
  }

  /// Makes `line` the next one that is not blank; false at the end.
  bool next(std::string &line)
  {
    line.clear();
    while (line.empty() && !rest_.empty())
    {
      line = physical_line();
      first_number_ = number_;
      while (!line.empty() && line.back() == '\\')
      {
        line.pop_back();
        if (rest_.empty())
          throw InputError(fmt::format("{}:{}: the last line ends with \\ but no line follows. Remove it.", file_, number_));
        line += physical_line();
      }
      line = trim(line);
    }
    return !line.empty();
  }

  /// Of the line that next() gave; the first of its parts if it was continued.
  ParameterOrigin origin() const { return {file_, first_number_}; }

private:
  std::string physical_line()
  {
    ++number_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.find('\0') != std::string_view::npos)
      throw InputError(fmt::format("{}:{}: contains a NUL byte. Is it a text file (in UTF-8)?", file_, number_));
    return trim(line.substr(0, line.find('#')));
  }

  std::string_view rest_;
  std::string file_;
  int number_ = 0;
  int first_number_ = 0;
};

/// The text after the first word of `line` if that is `word`.
bool begins_with_word(const std::string &line, std::string_view word, std::string &rest)
{
  if (line.compare(0, word.size(), word) != 0) return false;
  if (line.size() > word.size() && line[word.size()] != ' ' && line[word.size()] != '\t') return false;
  rest = trim(std::string_view(line).substr(word.size()));
  return true;
}

struct OpenSection
{
  ParameterSection *section;
  ParameterOrigin begin;
};

void read_set(const std::string &assignment, ParameterSection &section, const ParameterOrigin &origin)
{
  const std::size_t equals = assignment.find('=');
  const std::string key = trim(assignment.substr(0, equals));
  if (equals == std::string::npos || key.empty())
    throw InputError(
      fmt::format("{}: cannot understand \"set {}\". Write \"set KEY = VALUE\".", origin.place(), abbreviate(assignment)));
  section.set(key, assignment.substr(equals + 1), origin);
}
}  // namespace

void read_prm(const std::string &text, const std::string &file, ParameterSection &root)
{
  root.begin_file(file);
  std::vector<OpenSection> open{{&root, {file, 0}}};
  PrmLines lines(text, file);
  std::string line, rest;
  while (lines.next(line))
  {
    const ParameterOrigin origin = lines.origin();
    ParameterSection &current = *open.back().section;
    if (begins_with_word(line, "subsection", rest))
    {
      if (rest.empty())
        throw InputError(fmt::format("{}: the subsection has no name. Write \"subsection NAME\".", origin.place()));
      if (open.size() > deepest_nesting)
        throw InputError(
          fmt::format("{}: sections are nested more than {} deep. Is an \"end\" missing?", origin.place(), deepest_nesting));
      open.push_back({&current.enter(rest, origin), origin});
    }
    else if (begins_with_word(line, "set", rest))
      read_set(rest, current, origin);
    else if (line == "end")
    {
      if (open.size() == 1)
        throw InputError(fmt::format("{}: \"end\" without a subsection that it could end. Remove it.", origin.place()));
      open.pop_back();
    }
    else
      throw InputError(fmt::format(
        "{}: cannot understand \"{}\". A line is \"subsection NAME\", \"set KEY = VALUE\", \"end\" or a comment after #.",
        origin.place(), abbreviate(line)));
  }
  if (open.size() > 1)
    throw InputError(fmt::format("{}: the subsection \"{}\" that begins here has no \"end\". Add it.",
                                 open.back().begin.place(), open.back().section->name()));
}
}  // namespace freefall
