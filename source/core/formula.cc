#include <fmt/format.h>
#include <freefall/core/errors.h>
#include <freefall/core/formula.h>
#include <freefall/core/text.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace freefall
{
/// One compiled formula and the values of its variables, to which muparser keeps pointers: it must not move.
struct Formula::Component
{
  std::string text;
  std::vector<double> values;
  mu::Parser parser;
};

namespace
{
bool is_variable(const std::vector<std::string> &variables, const std::string &name)
{
  return std::find(variables.begin(), variables.end(), name) != variables.end();
}

std::string known_names(const mu::Parser &parser, const std::vector<std::string> &variables)
{
  std::vector<std::string> constants, functions;
  for (const auto &entry : parser.GetConst())
    if (entry.first.front() != '_') constants.push_back(entry.first);
  for (const auto &entry : parser.GetFunDef()) functions.push_back(entry.first);
  return fmt::format("Variables: {}; constants: {}; functions: {}.", variables.empty() ? "none" : join(variables, ", "),
                     constants.empty() ? "none" : join(constants, ", "), join(functions, ", "));
}

std::string reason(const mu::ParserError &error)
{
  switch (error.GetCode())
  {
    case mu::ecUNASSIGNABLE_TOKEN:
      return fmt::format("\"{}\" is not known", trim(error.GetToken()));
    case mu::ecUNEXPECTED_EOF:
      return "something is missing at the end";
    case mu::ecMISSING_PARENS:
      return "a closing parenthesis is missing";
    case mu::ecEMPTY_EXPRESSION:
      return "it is empty";
    case mu::ecUNEXPECTED_VAR:
    case mu::ecUNEXPECTED_VAL:
    case mu::ecUNEXPECTED_FUN:
      return fmt::format("an operator is missing before \"{}\"", trim(error.GetToken()));
    case mu::ecUNEXPECTED_OPERATOR:
    case mu::ecUNEXPECTED_PARENS:
      return fmt::format("\"{}\" is not expected", trim(error.GetToken()));
    case mu::ecTOO_MANY_PARAMS:
      return fmt::format("too many arguments of {}", error.GetToken());
    case mu::ecTOO_FEW_PARAMS:
      return fmt::format("too few arguments of {}", error.GetToken());
    default:
    {
      std::string message = error.GetMsg();
      while (!message.empty() && message.back() == '.') message.pop_back();
      return message;
    }
  }
}

/// The position of an assignment, which would change a variable behind our back.
std::size_t find_assignment(const std::string &text)
{
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1))
  {
    const bool ends_comparison = i > 0 && std::string_view("<>!=").find(text[i - 1]) != std::string_view::npos;
    const bool begins_comparison = i + 1 < text.size() && text[i + 1] == '=';
    if (!ends_comparison && !begins_comparison) return i;
  }
  return std::string::npos;
}

InputError formula_error(const std::string &text, int position, const std::string &reason, const std::string &remedy)
{
  const std::string place = position < 0 ? "" : fmt::format(" at position {}", position + 1);
  return InputError(fmt::format("formula \"{}\"{}: {}. {}", abbreviate(text), place, reason, remedy));
}

void compile(mu::Parser &parser,
             const std::string &text,
             std::vector<double> &values,
             const std::vector<std::string> &variables)
{
  values.assign(variables.size(), 0.);
  for (std::size_t i = 0; i < variables.size(); ++i) parser.DefineVar(variables[i], &values[i]);
  // Rounded to double from more digits than it holds.
  if (!is_variable(variables, "pi")) parser.DefineConst("pi", 3.14159265358979323846);
  if (!is_variable(variables, "e")) parser.DefineConst("e", 2.71828182845904523536);

  const std::size_t assignment = find_assignment(text);
  if (assignment != std::string::npos)
    throw formula_error(text, static_cast<int>(assignment), "assignments are not allowed", "To compare write ==.");
  int n_results = 0;
  try
  {
    // muparser compiles at the first evaluation.
    parser.SetExpr(text);
    parser.Eval(n_results);
  }
  catch (const mu::ParserError &error)
  {
    throw formula_error(text, error.GetPos(), reason(error), known_names(parser, variables));
  }
  if (n_results != 1)
    throw formula_error(text, static_cast<int>(text.find(',')), "a comma separates arguments of a function only",
                        "Separate components by ; and write decimals with a point.");
}
}  // namespace

Formula::Formula(const std::string &text, const std::vector<std::string> &variables) : text_(trim(text)), variables_(variables)
{
  std::vector<std::string> parts = split(text, ';');
  if (parts.empty()) parts.emplace_back();
  for (const std::string &part : parts)
  {
    components_.push_back(std::make_unique<Component>());
    components_.back()->text = part;
    compile(components_.back()->parser, part, components_.back()->values, variables_);
  }
}

Formula::Formula(const Formula &other) : Formula(other.text_, other.variables_) {}
Formula::Formula(Formula &&) noexcept = default;
Formula::~Formula() = default;

Formula &Formula::operator=(Formula other) noexcept
{
  text_.swap(other.text_);
  variables_.swap(other.variables_);
  components_.swap(other.components_);
  return *this;
}

double Formula::operator()(Span<const double> values, int component) const
{
  if (values.size() != variables_.size())
    throw std::logic_error(fmt::format("formula \"{}\" has {} variables, not {}", text_, variables_.size(), values.size()));
  Component &formula = *components_.at(component);
  std::copy(values.begin(), values.end(), formula.values.begin());
  return formula.parser.Eval();
}

double Formula::operator()(std::initializer_list<double> values, int component) const
{
  return (*this)(Span<const double>(values.begin(), values.size()), component);
}

double Formula::evaluate_finite(Span<const double> values, int component) const
{
  const double result = (*this)(values, component);
  if (std::isfinite(result)) return result;
  std::vector<std::string> point;
  for (std::size_t i = 0; i < values.size(); ++i) point.push_back(fmt::format("{} = {}", variables_[i], values[i]));
  const std::string place = point.empty() ? "" : " at " + join(point, ", ");
  throw InputError(fmt::format("formula \"{}\" is {}{}. It must be finite wherever it is used.", components_[component]->text,
                               std::isnan(result) ? "not a number" : "infinite", place));
}

double Formula::evaluate_finite(std::initializer_list<double> values, int component) const
{
  return evaluate_finite(Span<const double>(values.begin(), values.size()), component);
}
}  // namespace freefall
