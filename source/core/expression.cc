#include <freefall/core/errors.h>
#include <freefall/core/expression.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace freefall
{
/// Recursive descent:  sum = product {(+|-) product};  product = signed {(*|/) signed};  signed = {+|-} power;
/// power = atom [^ signed];  atom = number | name | name ( sum {, sum} ) | ( sum ).
class ExpressionParser
{
public:
  ExpressionParser(Expression &result, const std::vector<std::string> &variables, Expression::Functions functions)
    : result_(result), text_(result.formula_), variables_(variables), functions_(functions)
  {
  }

  void parse()
  {
    sum();
    skip_blanks();
    if (place_ < text_.size()) fail(fmt::format("'{}' is not expected here", text_[place_]));
  }

private:
  using Operation = Expression::Operation;

  [[noreturn]] void fail(const std::string &cause) const
  {
    throw InputError(fmt::format("formula '{}', at character {}: {}", text_, place_ + 1, cause));
  }

  void skip_blanks()
  {
    while (place_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[place_]))) ++place_;
  }
  bool accept(char symbol)
  {
    skip_blanks();
    if (place_ >= text_.size() || text_[place_] != symbol) return false;
    ++place_;
    return true;
  }
  void expect(char symbol)
  {
    if (!accept(symbol)) fail(fmt::format("'{}' is missing", symbol));
  }

  void emit(Operation operation, double number = 0, int index = 0)
  {
    const bool is_leaf = operation == Operation::constant || operation == Operation::variable;
    depth_ += is_leaf ? 1 : Expression::takes_two(operation) ? -1 : 0;
    if (depth_ > Expression::max_depth) fail("the formula is nested too deeply");
    result_.program_.push_back({operation, number, index});
  }

  void sum()
  {
    product();
    while (true)
      if (accept('+'))
      {
        product();
        emit(Operation::add);
      }
      else if (accept('-'))
      {
        product();
        emit(Operation::subtract);
      }
      else
        return;
  }

  void product()
  {
    signed_power();
    while (true)
      if (accept('*'))
      {
        signed_power();
        emit(Operation::multiply);
      }
      else if (accept('/'))
      {
        signed_power();
        emit(Operation::divide);
      }
      else
        return;
  }

  void signed_power()
  {
    if (++n_nested_ > max_nesting) fail("the formula is nested too deeply");
    bool is_negative = false;
    while (true)
      if (accept('-'))
        is_negative = !is_negative;
      else if (!accept('+'))
        break;
    power();
    if (is_negative) emit(Operation::negate);
    --n_nested_;
  }

  void power()
  {
    atom();
    if (!accept('^')) return;
    const std::size_t begin = result_.program_.size();
    const int depth = depth_;
    signed_power();
    const bool is_constant = std::none_of(result_.program_.begin() + begin, result_.program_.end(),
                                          [](const auto &instruction) { return instruction.operation == Operation::variable; });
    if (is_constant)
    {
      const double exponent = constant_value(begin);
      result_.program_.resize(begin);
      depth_ = depth;
      const bool is_integer = exponent == std::round(exponent) && std::abs(exponent) <= 64;
      emit(is_integer ? Operation::integer_power : Operation::real_power, exponent);
    }
    else
      general_power(begin);
  }

  /// base^exponent = exp(exponent log(base)): the logarithm goes between the two.
  void general_power(std::size_t begin)
  {
    result_.program_.insert(result_.program_.begin() + begin, {Operation::log});
    emit(Operation::multiply);
    emit(Operation::exp);
  }

  double constant_value(std::size_t begin) const
  {
    Expression part("0", {});
    part.program_.assign(result_.program_.begin() + static_cast<std::ptrdiff_t>(begin), result_.program_.end());
    return part(static_cast<const double *>(nullptr));
  }

  void atom()
  {
    skip_blanks();
    if (accept('('))
    {
      sum();
      expect(')');
      return;
    }
    if (place_ >= text_.size()) fail("a number, a name or '(' is missing");
    const char first = text_[place_];
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(first)) || first == '_') return name();
    fail(fmt::format("'{}' is not expected here", first));
  }

  void number()
  {
    std::size_t length = 0;
    double value = 0;
    try
    {
      value = std::stod(text_.substr(place_), &length);
    }
    catch (const std::exception &)
    {
      fail("this is not a number");
    }
    place_ += length;
    emit(Operation::constant, value);
  }

  void name()
  {
    const std::size_t begin = place_;
    while (place_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[place_])) || text_[place_] == '_')) ++place_;
    const std::string word = text_.substr(begin, place_ - begin);
    const auto variable = std::find(variables_.begin(), variables_.end(), word);
    if (variable != variables_.end()) return emit(Operation::variable, 0, static_cast<int>(variable - variables_.begin()));
    if (word == "pi" || word == "_pi") return emit(Operation::constant, std::acos(-1.));
    if (word == "_e") return emit(Operation::constant, std::exp(1.));
    function(word, begin);
  }

  void function(const std::string &word, std::size_t begin)
  {
    const bool has_kinks = functions_ == Expression::Functions::with_kinks;
    std::vector<std::pair<std::string, Operation>> functions = {
      {"sqrt", Operation::sqrt}, {"exp", Operation::exp},    {"log", Operation::log},   {"ln", Operation::log},
      {"sin", Operation::sin},   {"cos", Operation::cos},    {"tan", Operation::tan},   {"sinh", Operation::sinh},
      {"cosh", Operation::cosh}, {"tanh", Operation::tanh},  {"asin", Operation::asin}, {"acos", Operation::acos},
      {"atan", Operation::atan}, {"atan2", Operation::atan2}};
    if (has_kinks) functions.insert(functions.end(), {{"abs", Operation::abs}, {"min", Operation::min}, {"max", Operation::max}});
    const auto known = std::find_if(functions.begin(), functions.end(), [&](const auto &pair) { return pair.first == word; });
    if (known == functions.end())
    {
      std::string names;
      for (const auto &[name, operation] : functions) names += (names.empty() ? "" : ", ") + name;
      place_ = begin;
      fail(fmt::format("'{}' is not known. Variables: {}; functions: {} {}", word, fmt::join(variables_, ", "), names,
                       has_kinks ? "(whose derivative is known)" : "(only smooth ones: a potential needs derivatives)"));
    }
    expect('(');
    sum();
    if (Expression::takes_two(known->second))
    {
      expect(',');
      sum();
    }
    expect(')');
    emit(known->second);
  }

  static constexpr int max_nesting = 200;
  Expression &result_;
  const std::string &text_;
  const std::vector<std::string> &variables_;
  const Expression::Functions functions_;
  std::size_t place_ = 0;
  int depth_ = 0;
  int n_nested_ = 0;
};

Expression::Expression(const std::string &formula, const std::vector<std::string> &variables, Functions functions)
  : formula_(formula)
{
  ExpressionParser(*this, variables, functions).parse();
}

bool Expression::depends_on(int variable) const
{
  return std::any_of(program_.begin(), program_.end(),
                     [&](const Instruction &instruction)
                     { return instruction.operation == Operation::variable && instruction.index == variable; });
}
}  // namespace freefall
