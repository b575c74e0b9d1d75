#include <freefall/core/text.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

namespace freefall
{
namespace
{
constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text)
{
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// std::from_chars takes no plus sign; "+-3" must stay wrong.
std::string_view without_plus(std::string_view text)
{
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <typename Number>
std::optional<Number> parse_whole(std::string_view text)
{
  text = without_plus(trimmed(text));
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// One paragraph without line breaks.
void write_paragraph(std::ostream &stream, std::string_view text, std::string_view prefix, std::size_t width)
{
  std::size_t column = 0;
  while (!(text = trimmed(text)).empty())
  {
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    if (column > 0 && column + 1 + word.size() > width)
    {
      stream << '\n';
      column = 0;
    }
    if (column == 0)
    {
      stream << prefix << word;
      column = prefix.size() + word.size();
    }
    else
    {
      stream << ' ' << word;
      column += 1 + word.size();
    }
    text.remove_prefix(word.size());
  }
  stream << '\n';
}
}  // namespace

std::string trim(std::string_view text) { return std::string(trimmed(text)); }

std::string normalise_blanks(std::string_view text)
{
  std::string result;
  for (const char c : trimmed(text))
  {
    const bool is_blank = blanks.find(c) != std::string_view::npos;
    if (!is_blank)
      result += c;
    else if (result.back() != ' ')
      result += ' ';
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator)
{
  std::vector<std::string> parts;
  if (trimmed(text).empty()) return parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator))
  {
    parts.push_back(trim(text.substr(0, end)));
    text.remove_prefix(end + 1);
  }
  parts.push_back(trim(text));
  return parts;
}

std::string join(const std::vector<std::string> &parts, std::string_view separator)
{
  std::string result;
  for (const std::string &part : parts)
  {
    if (&part != &parts.front()) result += separator;
    result += part;
  }
  return result;
}

std::string abbreviate(std::string_view text)
{
  constexpr std::size_t longest = 200;
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest;
  // Not in the middle of a UTF-8 character, whose later bytes begin with the bits 10.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

bool contains_ignoring_case(std::string_view text, std::string_view part)
{
  const auto equal = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), equal) != text.end() || part.empty();
}

std::optional<double> parse_number(std::string_view text)
{
  const std::optional<double> value = parse_whole<double>(text);
  if (value && !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::optional<int> parse_integer(std::string_view text) { return parse_whole<int>(text); }

std::optional<bool> parse_boolean(std::string_view text)
{
  const std::string_view word = trimmed(text);
  if (word == "true" || word == "yes") return true;
  if (word == "false" || word == "no") return false;
  return std::nullopt;
}

void write_wrapped(std::ostream &stream, std::string_view text, std::string_view prefix, std::size_t width)
{
  text = trimmed(text);
  while (!text.empty())
  {
    const std::size_t end = std::min(text.find('\n'), text.size());
    write_paragraph(stream, text.substr(0, end), prefix, width);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}
}  // namespace freefall
