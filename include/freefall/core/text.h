#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace freefall
{
/// Small helpers for text that people type: none of them depends on the locale.

/// Without blanks (space, tab, carriage return, line feed) at both ends.
std::string trim(std::string_view text);
/// Trimmed, and every run of blanks inside made one space: how keys and section names are compared.
std::string normalise_blanks(std::string_view text);
/// The trimmed parts between separators; a blank text has no parts, "1,,2" has three.
std::vector<std::string> split(std::string_view text, char separator);
/// Parts with `separator` between them.
std::string join(const std::vector<std::string> &parts, std::string_view separator);
/// The text, or its beginning and "..." when it is longer than a message should be.
std::string abbreviate(std::string_view text);
/// Whether `part` occurs in `text`, upper and lower case being equal (ASCII letters only).
bool contains_ignoring_case(std::string_view text, std::string_view part);

/// The whole text as a finite number: "1e-9", ".5", "+3"; nothing for "1,5", "nan", "inf", "0x10", "1 m" and for numbers
/// that a double cannot hold (1e400, and 1e-400, which would silently become zero).
std::optional<double> parse_number(std::string_view text);
/// The whole text as an int, with an optional sign; nothing for "1.0", "1e3" and numbers out of range.
std::optional<int> parse_integer(std::string_view text);
/// true, yes, false, no.
std::optional<bool> parse_boolean(std::string_view text);

/// Writes `text` in lines of at most `width` columns, each beginning with `prefix`. A word too long for a line has its own.
/// Line breaks in `text` are kept.
void write_wrapped(std::ostream &stream, std::string_view text, std::string_view prefix, std::size_t width = 100);
}  // namespace freefall
