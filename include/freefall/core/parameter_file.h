#pragma once

#include <freefall/core/parameters.h>

#include <iosfwd>
#include <string>

namespace freefall
{
/// Reading and writing trees of parameters. Every mistake of a user is an InputError of one line: place, what, remedy.
///
/// Limits: files up to 10 MB, sections nested up to 32 deep, no NUL bytes. An empty file means all defaults. Lines may end with
/// CR LF, and a UTF-8 byte order mark is skipped.

/// Reads a `.prm` or `.json` file, as its name says, into the declared tree.
void read_parameter_file(const std::string &path, ParameterSection &root);

/// The text of a .prm file: `subsection NAME`, `set KEY = VALUE`, `end`; `#` begins a comment, and `\` at the end of a line
/// joins it with the next one, whose leading blanks are skipped. Unlike in deal.II a comment never goes on in the next line.
/// A section may be left and entered again. `file` is the name that errors show.
void read_prm(const std::string &text, const std::string &file, ParameterSection &root);

/// The text of a .json file: objects are sections; values are strings, numbers (taken as typed, so with all their digits),
/// true and false, and arrays of numbers, which become lists with commas.
void read_json(const std::string &text, const std::string &file, ParameterSection &root);

/// The option --set: "Section/Sub section/Key=value". Overrides what the file says, so it comes after the file.
void apply_setting(ParameterSection &root, const std::string &setting);

/// Every parameter as used, in the order of declaration (keys before sections), with its description as a comment. Reading
/// it gives identical values.
void write_prm(const ParameterSection &root, std::ostream &stream);

/// The help of `freefall parameters [NAME]`: section, default, unit, allowed values and meaning of each parameter, in lines of
/// at most 100 columns. With a filter, only the sections and keys whose path contains it, upper and lower case being equal;
/// when there is none, says so, names the nearest, and returns false.
bool write_parameter_help(const ParameterSection &root, std::ostream &stream, const std::string &filter = "");
}  // namespace freefall
