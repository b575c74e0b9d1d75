#include <fmt/format.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/parameter_file.h>
#include <freefall/core/text.h>

#include <ostream>

namespace freefall
{
namespace
{
constexpr std::size_t help_width = 100;

std::string path_in(const ParameterSection &section, const std::string &key)
{
  const std::string path = section.path();
  return path.empty() ? key : path + "/" + key;
}

void write_section(const ParameterSection &section, std::ostream &stream, const std::string &indent)
{
  bool is_first = true;
  const auto separate = [&]
  {
    if (!is_first) stream << '\n';
    is_first = false;
  };
  for (const Parameter &parameter : section.parameters())
  {
    separate();
    write_wrapped(stream, parameter.description, indent + "# ");
    stream << indent << "set " << parameter.key << " =" << (parameter.value.empty() ? "" : " ") << parameter.value << '\n';
  }
  for (const ParameterSection *nested : section.sections(ParameterSection::Lists::made))
  {
    separate();
    write_wrapped(stream, nested->description(), indent + "# ");
    stream << indent << "subsection " << nested->name() << '\n';
    write_section(*nested, stream, indent + "  ");
    stream << indent << "end\n";
  }
}

void write_parameter(const ParameterSection &section, const Parameter &parameter, std::ostream &stream)
{
  write_wrapped(stream, path_in(section, parameter.key), "", help_width);
  write_wrapped(stream, parameter.description, "    ", help_width);
  const std::string default_value = parameter.default_value.empty() ? "(empty)" : parameter.default_value;
  write_wrapped(stream, "Default: " + default_value, "    ", help_width);
  if (!parameter.pattern.unit().empty()) write_wrapped(stream, "Unit: " + parameter.pattern.unit(), "    ", help_width);
  write_wrapped(stream, "Allowed: " + parameter.pattern.describe(), "    ", help_width);
}

/// Returns whether anything matched.
bool write_help_of(const ParameterSection &section, std::ostream &stream, const std::string &filter, bool anything_before)
{
  bool anything = anything_before;
  const auto separate = [&]
  {
    if (anything) stream << '\n';
    anything = true;
  };
  const std::string path = section.path();
  if (!path.empty() && !section.description().empty() && contains_ignoring_case(path, filter))
  {
    separate();
    write_wrapped(stream, "section " + path, "", help_width);
    write_wrapped(stream, section.description(), "    ", help_width);
  }
  for (const Parameter &parameter : section.parameters())
    if (contains_ignoring_case(path_in(section, parameter.key), filter))
    {
      separate();
      write_parameter(section, parameter, stream);
    }
  for (const ParameterSection *nested : section.sections(ParameterSection::Lists::model))
    anything = write_help_of(*nested, stream, filter, anything);
  return anything;
}

/// All paths in the tree, and the last names of those paths.
void collect_names(const ParameterSection &section, std::vector<std::string> &names)
{
  for (const Parameter &parameter : section.parameters())
  {
    names.push_back(parameter.key);
    names.push_back(path_in(section, parameter.key));
  }
  for (const ParameterSection *nested : section.sections(ParameterSection::Lists::model))
  {
    const std::string &name = nested->name();
    names.push_back(trim(name.substr(0, name.size() - nested->label().size())));
    names.push_back(nested->path());
    collect_names(*nested, names);
  }
}
}  // namespace

void write_prm(const ParameterSection &root, std::ostream &stream) { write_section(root, stream, ""); }

bool write_parameter_help(const ParameterSection &root, std::ostream &stream, const std::string &filter)
{
  const std::string wanted = normalise_blanks(filter);
  if (write_help_of(root, stream, wanted, false)) return true;
  std::vector<std::string> names;
  collect_names(root, names);
  write_wrapped(stream, fmt::format("No section or key contains \"{}\".{}", wanted, did_you_mean(wanted, names)), "",
                help_width);
  return false;
}
}  // namespace freefall
