#include <fmt/format.h>
#include <freefall/core/parameters.h>
#include <freefall/core/text.h>

#include <stdexcept>

namespace freefall
{
const Parameter &ParameterSection::get(const std::string &key) const
{
  const Parameter *parameter = find(normalise_blanks(key));
  if (!parameter) throw std::logic_error(fmt::format("parameter {} is not declared", path_of(key)));
  return *parameter;
}

std::logic_error ParameterSection::wrong_getter(const Parameter &parameter, const std::string &wanted) const
{
  return std::logic_error(
    fmt::format("{} = {} is {}, not {}", path_of(parameter.key), parameter.value, parameter.pattern.describe(), wanted));
}

const Parameter &ParameterSection::get_value(const std::string &key) const
{
  const Parameter &parameter = get(key);
  if (parameter.pattern.is_word(parameter.value)) throw wrong_getter(parameter, "a value: ask is_word() first");
  return parameter;
}

double ParameterSection::number(const std::string &key) const
{
  const Parameter &parameter = get_value(key);
  const Pattern::Kind kind = parameter.pattern.kind();
  if (kind != Pattern::Kind::number && kind != Pattern::Kind::integer) throw wrong_getter(parameter, "a number");
  return parse_number(parameter.value).value();
}

int ParameterSection::integer(const std::string &key) const
{
  const Parameter &parameter = get_value(key);
  if (parameter.pattern.kind() != Pattern::Kind::integer) throw wrong_getter(parameter, "an integer");
  return parse_integer(parameter.value).value();
}

bool ParameterSection::boolean(const std::string &key) const
{
  const Parameter &parameter = get_value(key);
  if (parameter.pattern.kind() != Pattern::Kind::boolean) throw wrong_getter(parameter, "a boolean");
  return parse_boolean(parameter.value).value();
}

std::string ParameterSection::text(const std::string &key) const { return get(key).value; }

std::vector<double> ParameterSection::numbers(const std::string &key) const
{
  const Parameter &parameter = get_value(key);
  const Pattern::Kind kind = parameter.pattern.kind();
  if (kind != Pattern::Kind::vector && kind != Pattern::Kind::numbers) throw wrong_getter(parameter, "a list of numbers");
  std::vector<double> values;
  for (const std::string &part : split(parameter.value, ',')) values.push_back(parse_number(part).value());
  return values;
}

std::vector<int> ParameterSection::integers(const std::string &key) const
{
  const Parameter &parameter = get_value(key);
  if (parameter.pattern.kind() != Pattern::Kind::integers) throw wrong_getter(parameter, "a list of integers");
  std::vector<int> values;
  for (const std::string &part : split(parameter.value, ',')) values.push_back(parse_integer(part).value());
  return values;
}

Eigen::Vector3d ParameterSection::vector3(const std::string &key) const
{
  const std::vector<double> values = numbers(key);
  if (values.size() != 3) throw wrong_getter(get(key), "a vector of three numbers");
  return {values[0], values[1], values[2]};
}

std::vector<std::string> ParameterSection::formulas(const std::string &key) const
{
  const Parameter &parameter = get_value(key);
  if (parameter.pattern.kind() != Pattern::Kind::formula) throw wrong_getter(parameter, "a formula");
  return split(parameter.value, ';');
}

bool ParameterSection::is_word(const std::string &key, const std::string &word) const
{
  const Parameter &parameter = get(key);
  if (!parameter.pattern.is_word(word)) throw wrong_getter(parameter, "able to be " + word);
  return parameter.value == trim(word);
}

std::optional<double> ParameterSection::number_unless_word(const std::string &key) const
{
  const Parameter &parameter = get(key);
  if (parameter.pattern.is_word(parameter.value)) return std::nullopt;
  return number(key);
}

bool ParameterSection::is_set(const std::string &key) const { return !get(key).origin.is_default(); }
}  // namespace freefall
