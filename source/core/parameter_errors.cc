#include <fmt/format.h>
#include <freefall/core/nearest_name.h>
#include <freefall/core/parameters.h>
#include <freefall/core/text.h>

#include <string_view>

namespace freefall
{
namespace
{
/// The best match of a name among the keys or sections of the whole tree.
struct Match
{
  std::string name;
  std::string section_path;
  int distance = 0;
};

enum class Sought
{
  key,
  section
};

/// Keys or nested sections of `section`; lists without labels.
std::vector<std::string> names_in(const ParameterSection &section, Sought sought)
{
  std::vector<std::string> names;
  if (sought == Sought::key)
    for (const Parameter &parameter : section.parameters()) names.push_back(parameter.key);
  else
    for (const ParameterSection *child : section.sections(ParameterSection::Lists::model))
      names.push_back(trim(child->name().substr(0, child->name().size() - child->label().size())));
  return names;
}

/// The sections that can have been meant by `typed`, lists with the label that was typed: "Plane wall" for "Plan wall".
std::vector<std::string> candidate_sections(const ParameterSection &section, const std::string &typed)
{
  std::vector<std::string> names = names_in(section, Sought::section);
  const std::vector<std::string> words = split(typed, ' ');
  for (const ParameterSection *child : section.sections(ParameterSection::Lists::model))
  {
    if (child->label().empty()) continue;
    const std::vector<std::string> model_words = split(child->name(), ' ');
    std::vector<std::string> candidate(model_words.begin(), model_words.end() - 1);
    for (std::size_t i = candidate.size(); i < words.size(); ++i) candidate.push_back(words[i]);
    if (candidate.size() > model_words.size() - 1) names.push_back(join(candidate, " "));
  }
  return names;
}

/// The path as a user would type it: without the dots of models of lists.
std::string typed_path(const ParameterSection &section)
{
  std::string path = section.path();
  constexpr std::string_view dots = " ...";
  for (std::size_t i = path.find(dots); i != std::string::npos; i = path.find(dots)) path.erase(i, dots.size());
  return path;
}

void search_elsewhere(
  const ParameterSection &here, const ParameterSection &skipped, const std::string &typed, Sought sought, Match &best)
{
  if (&here != &skipped)
    for (const std::string &name : names_in(here, sought))
    {
      const int distance = name_distance(typed, name);
      if (distance < best.distance) best = {name, typed_path(here), distance};
    }
  for (const ParameterSection *child : here.sections(ParameterSection::Lists::model))
    search_elsewhere(*child, skipped, typed, sought, best);
}

/// A sentence that points to the name meant, in `here` or, when that fits better, elsewhere.
std::string suggestion(const ParameterSection &root, const ParameterSection &here, const std::string &typed, Sought sought)
{
  const std::vector<std::string> own_names = names_in(here, sought);
  const auto own = nearest_name(typed, sought == Sought::key ? own_names : candidate_sections(here, typed));
  Match elsewhere;
  elsewhere.distance = own ? name_distance(typed, *own) : largest_plausible_distance(typed) + 1;
  search_elsewhere(root, here, typed, sought, elsewhere);
  const std::string noun = sought == Sought::key ? "key" : "section";
  if (!elsewhere.name.empty())
  {
    const std::string place = elsewhere.section_path.empty() ? "outside all sections" : "in section " + elsewhere.section_path;
    return elsewhere.distance == 0 ? fmt::format(" There is such a {} {}.", noun, place)
                                   : fmt::format(" Did you mean \"{}\" {}?", elsewhere.name, place);
  }
  if (own) return fmt::format(" Did you mean \"{}\"?", *own);
  if (own_names.empty()) return fmt::format(" There are no {}s here.", noun);
  return fmt::format(" Allowed here: {}.", join(own_names, ", "));
}
}  // namespace

InputError ParameterSection::error(const std::string &key, const std::string &what) const
{
  const ParameterOrigin &section_origin = origin_.is_default() ? root().origin_ : origin_;
  if (key.empty()) return section_error(section_origin, what);
  const Parameter &parameter = get(key);
  const bool is_default = parameter.origin.is_default();
  const std::string place = (is_default ? section_origin : parameter.origin).place();
  return InputError(fmt::format("{}{}{} = {}{}: {}", place, place.empty() ? "" : ": ", path_of(parameter.key),
                                abbreviate(parameter.value), is_default ? " (the default)" : "", what));
}

InputError ParameterSection::section_error(const ParameterOrigin &origin, const std::string &what) const
{
  const std::string place = origin.place();
  const std::string section = path();
  return InputError(
    fmt::format("{}{}{}{}", place, place.empty() ? "" : ": ", section.empty() ? "" : "section " + section + ": ", what));
}

InputError ParameterSection::unknown_key(const std::string &key, const ParameterOrigin &origin) const
{
  for (const std::string &name : names_in(*this, Sought::section))
    if (name == key) return section_error(origin, fmt::format("\"{}\" is a section, not a key with a value.", key));
  const std::string remedy = suggestion(root(), *this, key, Sought::key);
  return section_error(origin, fmt::format("unknown key \"{}\".{}", abbreviate(key), remedy));
}

InputError ParameterSection::unknown_section(const std::string &name, const ParameterOrigin &origin) const
{
  if (find(name)) return section_error(origin, fmt::format("\"{}\" is a key, not a section. Give it a value.", name));
  const std::string remedy = suggestion(root(), *this, name, Sought::section);
  return section_error(origin, fmt::format("unknown section \"{}\".{}", abbreviate(name), remedy));
}
}  // namespace freefall
