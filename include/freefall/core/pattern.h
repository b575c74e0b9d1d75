#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// The interval in which a number must lie.
struct Bounds
{
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_included = false;
  bool upper_included = false;

  static Bounds any() { return {}; }
  static Bounds positive() { return above(0); }
  static Bounds non_negative() { return at_least(0); }
  /// lower <= x <= upper.
  static Bounds closed(double lower, double upper) { return {lower, upper, true, true}; }
  /// lower < x < upper.
  static Bounds open(double lower, double upper) { return {lower, upper, false, false}; }
  /// lower < x <= upper.
  static Bounds left_open(double lower, double upper) { return {lower, upper, false, true}; }
  /// lower <= x < upper.
  static Bounds right_open(double lower, double upper) { return {lower, upper, true, false}; }
  static Bounds above(double lower) { return {lower, std::numeric_limits<double>::infinity(), false, false}; }
  static Bounds at_least(double lower) { return {lower, std::numeric_limits<double>::infinity(), true, false}; }

  bool contain(double x) const;
};

/// What the value of a parameter may be: checks a text and describes itself for messages and the help.
///
/// Numbers are checked as a whole and without regard to the locale (see parse_number in text.h); a unit is only told, never
/// converted; formulas are compiled when they are checked. An empty unit means a pure number.
class Pattern
{
public:
  enum class Kind
  {
    number,
    integer,
    boolean,
    choice,
    text,
    vector,
    numbers,
    integers,
    formula
  };

  static Pattern number(const std::string &unit = "", const Bounds &bounds = Bounds::any());
  /// min <= i <= max.
  static Pattern integer(int min = std::numeric_limits<int>::min(), int max = std::numeric_limits<int>::max());
  /// true, false, yes or no.
  static Pattern boolean();
  static Pattern choice(const std::vector<std::string> &names);
  /// Any text in one line, also none.
  static Pattern text();
  /// Exactly n numbers separated by commas, each within the bounds.
  static Pattern vector(int n, const std::string &unit = "", const Bounds &bounds = Bounds::any());
  /// Any count of numbers separated by commas, also none, each within the bounds.
  static Pattern numbers(const std::string &unit = "", const Bounds &bounds = Bounds::any());
  /// Any count of integers separated by commas, also none, each from min to max.
  static Pattern integers(int min = std::numeric_limits<int>::min(), int max = std::numeric_limits<int>::max());
  /// n_components formulas of the variables, separated by `;` (formula.h).
  static Pattern formula(int n_components, const std::vector<std::string> &variables, const std::string &unit = "");

  /// The same pattern, which also takes this word; can be repeated.
  Pattern or_word(const std::string &word) const;

  /// Nothing when the (trimmed) text matches, else sentences that say what is allowed: "must be a positive number in m."
  std::optional<std::string> check(const std::string &text) const;
  /// "a positive number in m/s, or auto".
  std::string describe() const;

  Kind kind() const { return kind_; }
  const std::string &unit() const { return unit_; }
  /// The names of a choice or the variables of a formula.
  const std::vector<std::string> &names() const { return names_; }
  const std::vector<std::string> &words() const { return words_; }
  /// Whether the (trimmed) text is one of the words of or_word.
  bool is_word(const std::string &text) const;

private:
  explicit Pattern(Kind kind) : kind_(kind) {}

  std::string describe_without_words() const;
  /// Nothing when the text matches, else what is wrong with it, which may be empty when describe() says it all.
  std::optional<std::string> mismatch(const std::string &text) const;
  std::optional<std::string> mismatch_of_list(const std::string &text) const;
  std::optional<std::string> mismatch_of_formula(const std::string &text) const;

  Kind kind_;
  std::string unit_;
  Bounds bounds_;
  int min_ = std::numeric_limits<int>::min();
  int max_ = std::numeric_limits<int>::max();
  /// Of a vector or formula.
  int n_components_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> words_;
};
}  // namespace freefall
