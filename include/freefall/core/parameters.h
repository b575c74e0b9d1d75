#pragma once

#include <freefall/core/errors.h>
#include <freefall/core/pattern.h>

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// Where a value was given: a line of a file, or the option --set; nowhere (an empty source) for a default.
struct ParameterOrigin
{
  std::string source;
  /// From 1; 0 when there are no lines.
  int line = 0;

  static ParameterOrigin command_line() { return {"--set", 0}; }
  bool is_command_line() const { return source == "--set"; }
  bool is_default() const { return source.empty(); }
  /// "parameters/cube.prm:12" or "--set".
  std::string place() const;
};

/// One declared key. The value is the default until a file or --set gives another one.
struct Parameter
{
  std::string key;
  std::string default_value;
  Pattern pattern;
  std::string description;
  std::string value;
  ParameterOrigin origin;
};

/// A section of a parameter file: declared keys with defaults, nested sections, and lists of sections.
///
/// First everything is declared, by the classes that own the parameters; then a file is read into the tree
/// (parameter_file.h); then the same classes parse their values.
///
/// Guarantees
/// * A value that does not match its pattern never gets in: set() throws InputError naming file, line, section, key, the
///   value found and what is allowed. An unknown key or section is an error that names the nearest declared one.
/// * A key set twice is an error; only --set may override a file.
/// * Every value can be written to a .prm file and read back: no line breaks, other control characters, `#`, or `\` at the end.
/// * Names are compared exactly, but for blanks at the ends and repeated blanks.
/// * The getters only work on declared keys, and on values of the kind asked for; anything else is a programming mistake
///   (std::logic_error). So are a default that does not match its pattern and a second declaration of a key.
class ParameterSection
{
public:
  explicit ParameterSection(std::string name = "", const ParameterSection *parent = nullptr);
  /// Nested sections point to their parents.
  ParameterSection(const ParameterSection &) = delete;
  ParameterSection &operator=(const ParameterSection &) = delete;
  ~ParameterSection();

  /// Declares `key`. The default is text, exactly what a user would type.
  void declare(const std::string &key,
               const std::string &default_value,
               const Pattern &pattern,
               const std::string &description);
  /// The nested section `name`, declared on first use.
  ParameterSection &section(const std::string &name, const std::string &description = "");
  /// The nested section `name`, which may also be one that a file has made in a list.
  const ParameterSection &section(const std::string &name) const;
  /// Any number of sections `name` or `name label`, such as "Plane" and "Plane wall"; each gets the keys that `declare_keys`
  /// declares.
  void declare_list(const std::string &name,
                    const std::string &description,
                    const std::function<void(ParameterSection &)> &declare_keys);
  /// The sections of a list that a file has made, in the order of the file.
  std::vector<const ParameterSection *> list(const std::string &name) const;

  double number(const std::string &key) const;
  int integer(const std::string &key) const;
  bool boolean(const std::string &key) const;
  std::string text(const std::string &key) const;
  std::vector<double> numbers(const std::string &key) const;
  std::vector<int> integers(const std::string &key) const;
  Eigen::Vector3d vector3(const std::string &key) const;
  /// Parts of a formula pattern, one for each component.
  std::vector<std::string> formulas(const std::string &key) const;
  /// Whether the value is this word, for patterns with or_word("auto").
  bool is_word(const std::string &key, const std::string &word) const;
  /// The number, or nothing when the value is one of the pattern's words.
  std::optional<double> number_unless_word(const std::string &key) const;
  /// Whether a file or --set gave the value (and not the default).
  bool is_set(const std::string &key) const;

  /// An error about the value of `key` (or, with an empty key, about this section): adds file, line, section and the value
  /// found to `what`, which says what is allowed and what to do.
  InputError error(const std::string &key, const std::string &what) const;

  const std::string &name() const { return name_; }
  const std::string &description() const { return description_; }
  /// What follows the list's name: "wall" for "Plane wall"; empty otherwise.
  std::string label() const;
  /// "Contact/Plane wall"; empty for the root.
  std::string path() const;

  /// For readers, on the root: the file that errors about defaults name.
  void begin_file(const std::string &file) { origin_ = {file, 0}; }
  /// For readers: gives `key` a value.
  void set(const std::string &key, const std::string &value, const ParameterOrigin &origin);
  /// For readers: the section `name`. A file makes the sections of lists, each only once; --set finds those there are.
  ParameterSection &enter(const std::string &name, const ParameterOrigin &origin);

  /// What sections() gives for a list: what a file has made, or one model "Plane ..." with the defaults.
  enum class Lists
  {
    made,
    model
  };
  /// The keys in the order of their declaration.
  const std::vector<Parameter> &parameters() const { return parameters_; }
  /// The nested sections in the order of their declaration.
  std::vector<const ParameterSection *> sections(Lists lists) const;

private:
  struct Child;

  const Parameter *find(const std::string &key) const;
  /// The declared parameter; std::logic_error if there is none.
  const Parameter &get(const std::string &key) const;
  /// The same, for a value that must not be a word.
  const Parameter &get_value(const std::string &key) const;
  std::logic_error wrong_getter(const Parameter &parameter, const std::string &wanted) const;
  const ParameterSection *find_section(const std::string &name) const;
  /// The list to which a section of this name belongs.
  Child *find_list(const std::string &name);
  ParameterSection &enter_list(Child &list, const std::string &name, const ParameterOrigin &origin);
  const ParameterSection &root() const;
  std::string path_of(const std::string &key) const;
  InputError unknown_key(const std::string &key, const ParameterOrigin &origin) const;
  InputError unknown_section(const std::string &name, const ParameterOrigin &origin) const;
  /// "place: section Contact/Plane: what".
  InputError section_error(const ParameterOrigin &origin, const std::string &what) const;

  std::string name_;
  const ParameterSection *parent_;
  std::string description_;
  /// Of a section in a list: the name of the list.
  std::string list_name_;
  /// Where a file first enters this section, which is what errors about defaults show.
  ParameterOrigin origin_;
  std::vector<Parameter> parameters_;
  std::vector<std::unique_ptr<Child>> children_;
};
}  // namespace freefall
