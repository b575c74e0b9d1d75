#include <fmt/format.h>
#include <freefall/core/parameters.h>
#include <freefall/core/text.h>

#include <algorithm>
#include <stdexcept>

namespace freefall
{
/// A nested section, or a list of sections.
struct ParameterSection::Child
{
  bool is_list = false;
  /// The section itself, or the model of the list: the declared keys with their defaults.
  std::unique_ptr<ParameterSection> section;
  std::string list_name;
  std::function<void(ParameterSection &)> declare_keys;
  std::vector<std::unique_ptr<ParameterSection>> made;
};

namespace
{
void check_declared_name(const std::string &name)
{
  if (name.empty() || name.find_first_of("=/#\\\"") != std::string::npos)
    throw std::logic_error(fmt::format("\"{}\" cannot be the name of a key or section", name));
}

/// What a .prm file could not hold, or nothing.
std::string unwritable_part(const std::string &value)
{
  const auto is_control = [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; };
  if (std::any_of(value.begin(), value.end(), is_control)) return "a control character or line break";
  if (value.find('#') != std::string::npos) return "#, which begins a comment";
  if (!value.empty() && value.back() == '\\') return "\\ at the end, which continues a line";
  return "";
}
}  // namespace

std::string ParameterOrigin::place() const { return line > 0 ? fmt::format("{}:{}", source, line) : source; }

ParameterSection::ParameterSection(std::string name, const ParameterSection *parent) : name_(std::move(name)), parent_(parent)
{
}

ParameterSection::~ParameterSection() = default;

void ParameterSection::declare(const std::string &key,
                               const std::string &default_value,
                               const Pattern &pattern,
                               const std::string &description)
{
  const std::string name = normalise_blanks(key);
  const std::string value = trim(default_value);
  check_declared_name(name);
  if (find(name)) throw std::logic_error(fmt::format("parameter {} is declared twice", path_of(name)));
  if (const auto wrong = pattern.check(value))
    throw std::logic_error(fmt::format("default of {} = {}: {}", path_of(name), value, *wrong));
  if (!unwritable_part(value).empty())
    throw std::logic_error(fmt::format("default of {} contains {}", path_of(name), unwritable_part(value)));
  parameters_.push_back({name, value, pattern, description, value, {}});
}

ParameterSection &ParameterSection::section(const std::string &name, const std::string &description)
{
  const std::string wanted = normalise_blanks(name);
  for (const auto &child : children_)
    if (child->section->name_ == wanted && !child->is_list)
    {
      if (child->section->description_.empty()) child->section->description_ = description;
      return *child->section;
    }
  check_declared_name(wanted);
  if (find_list(wanted)) throw std::logic_error(fmt::format("section {} would belong to a list", path_of(wanted)));
  children_.push_back(std::make_unique<Child>());
  children_.back()->section = std::make_unique<ParameterSection>(wanted, this);
  children_.back()->section->description_ = description;
  return *children_.back()->section;
}

const ParameterSection &ParameterSection::section(const std::string &name) const
{
  const ParameterSection *found = find_section(normalise_blanks(name));
  if (!found) throw std::logic_error(fmt::format("section {} is not declared", path_of(name)));
  return *found;
}

void ParameterSection::declare_list(const std::string &name,
                                    const std::string &description,
                                    const std::function<void(ParameterSection &)> &declare_keys)
{
  const std::string list_name = normalise_blanks(name);
  check_declared_name(list_name);
  for (const auto &child : children_)
    if (child->list_name == list_name || child->section->name_ == list_name)
      throw std::logic_error(fmt::format("section {} is declared twice", path_of(list_name)));
  auto child = std::make_unique<Child>();
  child->is_list = true;
  child->list_name = list_name;
  child->declare_keys = declare_keys;
  child->section = std::make_unique<ParameterSection>(list_name + " ...", this);
  child->section->description_ = description;
  child->section->list_name_ = list_name;
  declare_keys(*child->section);
  children_.push_back(std::move(child));
}

std::vector<const ParameterSection *> ParameterSection::list(const std::string &name) const
{
  const std::string wanted = normalise_blanks(name);
  for (const auto &child : children_)
    if (child->is_list && child->list_name == wanted)
    {
      std::vector<const ParameterSection *> result;
      for (const auto &section : child->made) result.push_back(section.get());
      return result;
    }
  throw std::logic_error(fmt::format("list {} is not declared", path_of(name)));
}

std::vector<const ParameterSection *> ParameterSection::sections(Lists lists) const
{
  std::vector<const ParameterSection *> result;
  for (const auto &child : children_)
    if (!child->is_list || lists == Lists::model)
      result.push_back(child->section.get());
    else
      for (const auto &section : child->made) result.push_back(section.get());
  return result;
}

void ParameterSection::set(const std::string &key, const std::string &value, const ParameterOrigin &origin)
{
  const std::string name = normalise_blanks(key);
  const auto parameter =
    std::find_if(parameters_.begin(), parameters_.end(), [&](const Parameter &declared) { return declared.key == name; });
  if (parameter == parameters_.end()) throw unknown_key(name, origin);

  const std::string text = trim(value);
  const std::string unwritable = unwritable_part(text);
  if (!unwritable.empty())
    throw InputError(fmt::format("{}: {}: the value contains {}. Remove it.", origin.place(), path_of(name), unwritable));
  const auto failed = [&](const std::string &what)
  { return InputError(fmt::format("{}: {} = {}: {}", origin.place(), path_of(name), abbreviate(text), what)); };
  const bool overrides_file = origin.is_command_line() && !parameter->origin.is_command_line();
  if (!parameter->origin.is_default() && !overrides_file)
    throw failed(fmt::format("is set twice, the first time at {}. Remove one of the two.", parameter->origin.place()));
  if (const auto wrong = parameter->pattern.check(text)) throw failed(*wrong);
  parameter->value = text;
  parameter->origin = origin;
}

ParameterSection &ParameterSection::enter(const std::string &name, const ParameterOrigin &origin)
{
  const std::string wanted = normalise_blanks(name);
  for (const auto &child : children_)
    if (!child->is_list && child->section->name_ == wanted)
    {
      if (child->section->origin_.is_default() && !origin.is_command_line()) child->section->origin_ = origin;
      return *child->section;
    }
  if (Child *list = find_list(wanted)) return enter_list(*list, wanted, origin);
  throw unknown_section(wanted, origin);
}

ParameterSection &ParameterSection::enter_list(Child &list, const std::string &name, const ParameterOrigin &origin)
{
  std::vector<std::string> names;
  for (const auto &section : list.made)
  {
    names.push_back(section->name_);
    if (section->name_ != name) continue;
    if (origin.is_command_line()) return *section;
    throw section_error(origin,
                        fmt::format("there is a section \"{}\" already, at {}. Give each its own name, such as \"{} 2\".", name,
                                    section->origin_.place(), list.list_name));
  }
  if (origin.is_command_line())
    throw section_error(origin, fmt::format("the file has no section \"{}\". {}", name,
                                            names.empty() ? "Add it to the file." : "It has: " + join(names, ", ") + "."));
  const std::string unwritable = name.find_first_of("/=") != std::string::npos ? "/ or =" : unwritable_part(name);
  if (!unwritable.empty())
    throw section_error(origin, fmt::format("the name \"{}\" contains {}. Remove it.", name, unwritable));
  list.made.push_back(std::make_unique<ParameterSection>(name, this));
  ParameterSection &made = *list.made.back();
  made.description_ = list.section->description_;
  made.list_name_ = list.list_name;
  made.origin_ = origin;
  list.declare_keys(made);
  return made;
}

const Parameter *ParameterSection::find(const std::string &key) const
{
  for (const Parameter &parameter : parameters_)
    if (parameter.key == key) return &parameter;
  return nullptr;
}

const ParameterSection *ParameterSection::find_section(const std::string &name) const
{
  for (const ParameterSection *section : sections(Lists::made))
    if (section->name_ == name) return section;
  return nullptr;
}

ParameterSection::Child *ParameterSection::find_list(const std::string &name)
{
  // "Plane strain x" belongs to a list "Plane strain" rather than to a list "Plane".
  Child *longest = nullptr;
  for (const auto &child : children_)
  {
    const std::string &list_name = child->list_name;
    const bool belongs = child->is_list && (name == list_name || name.rfind(list_name + " ", 0) == 0);
    if (belongs && (!longest || list_name.size() > longest->list_name.size())) longest = child.get();
  }
  return longest;
}

const ParameterSection &ParameterSection::root() const { return parent_ ? parent_->root() : *this; }

std::string ParameterSection::label() const { return list_name_.empty() ? "" : trim(name_.substr(list_name_.size())); }

std::string ParameterSection::path() const { return parent_ ? parent_->path_of(name_) : name_; }

std::string ParameterSection::path_of(const std::string &key) const
{
  const std::string section = path();
  return section.empty() ? key : section + "/" + key;
}
}  // namespace freefall
