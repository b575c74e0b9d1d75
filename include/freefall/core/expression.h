#pragma once

#include <freefall/core/dual.h>
#include <freefall/core/increment.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace freefall
{
/// A formula with exact derivatives: parsed once, evaluated with doubles, duals or increments.
///
/// Grammar: numbers, the given variables, pi, ( ), + - * / ^ (right associative, before the unary minus: -x^2 = -(x^2)) and
/// sqrt exp log ln sin cos tan sinh cosh tanh asin acos atan atan2. log is the natural logarithm.
/// Functions that are not smooth (abs, min, max, if, ...) are refused: a potential needs three derivatives. Of these abs, min and
/// max are there when asked for (motions of supports); at a kink the derivative is that of one of the two sides.
///
/// Throws: InputError with the formula, the place and what was expected.
class Expression
{
public:
  enum class Functions
  {
    smooth,
    with_kinks
  };
  Expression(const std::string &formula,
             const std::vector<std::string> &variables,
             Functions functions = Functions::smooth);

  const std::string &formula() const { return formula_; }
  bool depends_on(int variable) const;

  /// Any type with the arithmetic and the functions of double. Not finite where the formula has no value.
  template <typename T>
  T operator()(const T *variables) const;

private:
  friend class ExpressionParser;
  enum class Operation
  {
    constant,
    variable,
    negate,
    add,
    subtract,
    multiply,
    divide,
    integer_power,
    real_power,
    sqrt,
    exp,
    log,
    sin,
    cos,
    tan,
    sinh,
    cosh,
    tanh,
    asin,
    acos,
    atan,
    atan2,
    abs,
    min,
    max
  };
  struct Instruction
  {
    Operation operation;
    double number = 0;  ///< of constant and of the powers
    int index = 0;      ///< of variable
  };
  static constexpr int max_depth = 24;

  static bool takes_two(Operation operation)
  {
    return operation == Operation::add || operation == Operation::subtract || operation == Operation::multiply ||
           operation == Operation::divide || operation == Operation::atan2 || operation == Operation::min ||
           operation == Operation::max;
  }
  template <typename T>
  static T integer_power(T base, int exponent);
  template <typename T>
  static T function(Operation operation, const T &x);

  std::string formula_;
  std::vector<Instruction> program_;  ///< postfix
};

template <typename T>
T Expression::integer_power(T base, int exponent)
{
  T result(1.);
  for (int n = exponent < 0 ? -exponent : exponent; n > 0; n /= 2)
  {
    if (n % 2) result = result * base;
    if (n > 1) base = base * base;
  }
  return exponent < 0 ? T(1. / result) : result;
}

/// The functions beyond those of Increment and Dual are written with these.
template <typename T>
T Expression::function(Operation operation, const T &x)
{
  using std::atan2;
  using std::cos;
  using std::exp;
  using std::log;
  using std::sin;
  using std::sqrt;
  switch (operation)
  {
    case Operation::sqrt:
      return sqrt(x);
    case Operation::exp:
      return exp(x);
    case Operation::log:
      return log(x);
    case Operation::sin:
      return sin(x);
    case Operation::cos:
      return cos(x);
    case Operation::tan:
      return sin(x) / cos(x);
    case Operation::sinh:
      return 0.5 * (exp(x) - exp(-x));
    case Operation::cosh:
      return 0.5 * (exp(x) + exp(-x));
    case Operation::tanh:
      return 1. - 2. / (exp(2. * x) + 1.);
    case Operation::asin:
      return atan2(x, sqrt((1. - x) * (1. + x)));
    case Operation::acos:
      return atan2(sqrt((1. - x) * (1. + x)), x);
    case Operation::atan:
      return atan2(x, T(1.));
    default:
      throw std::logic_error("not a function of one argument");
  }
}

template <typename T>
T Expression::operator()(const T *variables) const
{
  using std::atan2;
  using std::pow;
  std::array<T, max_depth> stack;
  int top = -1;
  for (const Instruction &instruction : program_)
  {
    const bool is_binary = takes_two(instruction.operation);
    if (is_binary) --top;
    switch (instruction.operation)
    {
      case Operation::constant:
        stack[++top] = T(instruction.number);
        break;
      case Operation::variable:
        stack[++top] = variables[instruction.index];
        break;
      case Operation::negate:
        stack[top] = -stack[top];
        break;
      case Operation::add:
        stack[top] = stack[top] + stack[top + 1];
        break;
      case Operation::subtract:
        stack[top] = stack[top] - stack[top + 1];
        break;
      case Operation::multiply:
        stack[top] = stack[top] * stack[top + 1];
        break;
      case Operation::divide:
        stack[top] = stack[top] / stack[top + 1];
        break;
      case Operation::integer_power:
        stack[top] = integer_power(stack[top], static_cast<int>(instruction.number));
        break;
      case Operation::real_power:
        stack[top] = pow(stack[top], instruction.number);
        break;
      case Operation::atan2:
        stack[top] = atan2(stack[top], stack[top + 1]);
        break;
      case Operation::abs:
        if (value_of(stack[top]) < 0) stack[top] = -stack[top];
        break;
      case Operation::min:
        if (value_of(stack[top + 1]) < value_of(stack[top])) stack[top] = stack[top + 1];
        break;
      case Operation::max:
        if (value_of(stack[top + 1]) > value_of(stack[top])) stack[top] = stack[top + 1];
        break;
      default:
        stack[top] = function(instruction.operation, stack[top]);
    }
  }
  return stack[0];
}
}  // namespace freefall
