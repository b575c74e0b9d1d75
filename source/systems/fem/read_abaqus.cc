#include <fmt/format.h>
#include <freefall/core/text.h>

#include "file_mesh.h"
#include "mesh_text.h"

#include <algorithm>
#include <set>

// Abaqus .inp: nodes, elements, sets and surfaces of one part; every keyword that says nothing of the mesh is skipped.
//
// Names get ids from 1 in the order of their appearance. Material: of *SOLID SECTION when the file has one, else the only
// *ELSET that lists the element, else the ELSET of its *ELEMENT. Boundary: *SURFACE, TYPE=ELEMENT, and surface elements (as
// Gmsh writes them) by their sets in the same way. Node sets are not read.
namespace freefall
{
namespace
{
std::string upper(std::string_view text)
{
  std::string result = trim(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

/// "*ELEMENT, TYPE=C3D4, ELSET=steel".
struct Keyword
{
  std::string name;
  std::map<std::string, std::string> options;  ///< names in capitals, values as typed

  explicit Keyword(const std::string &line)
  {
    const auto parts = split(line, ',');
    name = upper(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i)
    {
      const auto equals = parts[i].find('=');
      options[upper(parts[i].substr(0, equals))] =
        equals == std::string::npos ? "" : trim(std::string_view(parts[i]).substr(equals + 1));
    }
  }
  std::string option(const std::string &key) const { return options.count(key) ? options.at(key) : ""; }
};

/// VTK's number of an Abaqus element; 0 when it is unknown.
int vtk_type(const std::string &type)
{
  // The letters that end a name choose integration and formulation, not nodes: C3D8R, C3D10MH, CPS4R.
  const std::vector<std::pair<std::string, int>> types{
    {"C3D4", 10},   {"C3D10", 24},  {"C3D8", 12}, {"C3D27", 29},  {"C3D20", 25}, {"C3D6", 13},  {"C3D15", 26}, {"C3D5", 14},
    {"CPS3", 5},    {"CPE3", 5},    {"S3", 5},    {"STRI3", 5},   {"M3D3", 5},   {"SFM3D3", 5}, {"R3D3", 5},   {"CPS6", 22},
    {"CPE6", 22},   {"STRI65", 22}, {"M3D6", 22}, {"SFM3D6", 22}, {"CPS4", 9},   {"CPE4", 9},   {"S4", 9},     {"M3D4", 9},
    {"SFM3D4", 9},  {"R3D4", 9},    {"CPS8", 23}, {"CPE8", 23},   {"S8", 23},    {"M3D8", 23},  {"M3D9", 28},  {"S9", 28},
    {"SFM3D8", 23}, {"T3D2", 3},    {"B31", 3},   {"T3D3", 21},   {"B32", 21},   {"MASS", 1}};
  for (const auto &[name, vtk] : types)
    if (type.rfind(name, 0) == 0 && type.find_first_of("0123456789", name.size()) == std::string::npos) return vtk;
  return 0;
}

std::vector<int> reordered(int vtk, const std::vector<int> &nodes)
{
  // C3D27: the centre of the cell, then the faces z = 0, z = 1, y = 0, x = 1, y = 1, x = 0 follow the edges.
  if (vtk != 29) return nodes;
  std::vector<int> result(nodes.begin(), nodes.begin() + 20);
  for (const int a : {26, 24, 23, 25, 21, 22, 20}) result.push_back(nodes[a]);
  return result;
}

class AbaqusReader
{
public:
  AbaqusReader(const std::string &path, const std::string &text) : text_(path, text) { file_.path = path; }

  FileMesh read()
  {
    next_line();
    if (!line_.empty() && line_[0] != '*')
      throw text_.error("is not an Abaqus file: it does not begin with a keyword such as *NODE.");
    while (!line_.empty())
    {
      const Keyword keyword(line_);
      keyword_place_ = text_.position();
      next_line();
      read_section(keyword);
    }
    if (raw_.empty()) throw InputError(fmt::format("{}: the mesh is empty: it has no *ELEMENT.", file_.path));
    make_elements();
    make_sides();
    return std::move(file_);
  }

private:
  struct RawElement
  {
    int vtk;
    long number;
    std::vector<long> nodes;
    std::string set;
  };
  struct RawSide
  {
    std::string surface, element_or_set, label;
  };

  /// The next line that is no comment, with the lines that continue a keyword; empty at the end.
  void next_line()
  {
    line_.clear();
    while (line_.empty() && text_.n_left() > 0)
    {
      line_ = trim(text_.line());
      if (line_.rfind("**", 0) == 0) line_.clear();
    }
    while (!line_.empty() && line_[0] == '*' && line_.back() == ',' && text_.n_left() > 0) line_ += trim(text_.line());
  }
  /// About the keyword, whose data have been looked at.
  InputError keyword_error(const std::string &what) const
  {
    MeshText text = text_;
    text.move_to(keyword_place_);
    return text.error(what);
  }
  bool has_data() const { return !line_.empty() && line_[0] != '*'; }

  void read_section(const Keyword &keyword)
  {
    const std::string &name = keyword.name;
    if (name == "*NODE")
      read_nodes();
    else if (name == "*ELEMENT")
      read_elements(keyword);
    else if (name == "*ELSET")
      read_set(keyword);
    else if (name == "*SURFACE")
      read_surface(keyword);
    else if (name == "*SOLID SECTION")
      sections_.emplace_back(upper(keyword.option("ELSET")), keyword.option("MATERIAL"));
    else if (name == "*INCLUDE" || name == "*NGEN" || name == "*NFILL" || name == "*ELGEN" || name == "*NCOPY" ||
             name == "*ELCOPY" || name == "*SYSTEM")
      throw keyword_error(fmt::format("the keyword {} cannot be read. Write the nodes and elements out.", name));
    else if (name == "*PART" && ++n_parts_ > 1)
      throw keyword_error("the file has several parts. Write each to a file of its own and give each a body.");
    else if (name == "*INSTANCE" && has_data())
      throw keyword_error("the instance is moved. Give the placement in the parameter file instead.");
    while (has_data()) next_line();
  }

  long integer(const std::string &word) const
  {
    const auto value = parse_integer(word);
    if (!value) throw text_.error(fmt::format("expected an integer, but found '{}'.", abbreviate(word)));
    return *value;
  }

  void read_nodes()
  {
    for (; has_data(); next_line())
    {
      const auto parts = split(line_, ',');
      if (parts.size() < 4)
        throw text_.error(fmt::format("a node needs a number and x, y, z, but found '{}'.", abbreviate(line_)));
      Eigen::Vector3d x;
      for (int c = 0; c < 3; ++c)
      {
        const auto value = parse_number(parts[c + 1]);
        if (!value) throw text_.error(fmt::format("expected a coordinate, but found '{}'.", abbreviate(parts[c + 1])));
        x[c] = *value;
      }
      file_.point_numbers.push_back(integer(parts[0]));
      file_.points.push_back(x);
    }
  }

  void read_elements(const Keyword &keyword)
  {
    const std::string type = upper(keyword.option("TYPE"));
    const int vtk = vtk_type(type);
    if (vtk == 0)
      throw keyword_error(
        fmt::format("elements of type {} are not known. Freefall has C3D4, C3D10, C3D8 and C3D27, and surface "
                    "elements such as CPS3 or S4 for boundaries.",
                    type.empty() ? "(none)" : abbreviate(type)));
    const std::size_t n_nodes = kind_of_vtk(vtk)->n_nodes;
    while (has_data())
    {
      // The nodes of an element may go on in the next line.
      std::vector<long> numbers;
      while (has_data() && numbers.size() < n_nodes + 1)
      {
        for (const auto &part : split(line_, ','))
          if (!part.empty()) numbers.push_back(integer(part));
        next_line();
      }
      if (numbers.empty()) throw text_.error("an element has neither a number nor nodes.");
      if (numbers.size() != n_nodes + 1)
        throw text_.error(
          fmt::format("element {} of type {} has {} nodes instead of {}.", numbers[0], type, numbers.size() - 1, n_nodes));
      raw_.push_back({vtk, numbers[0], {numbers.begin() + 1, numbers.end()}, keyword.option("ELSET")});
    }
  }

  void read_set(const Keyword &keyword)
  {
    const std::string name = keyword.option("ELSET");
    auto &members = sets_[upper(name)];
    members.name = name;
    for (; has_data(); next_line())
    {
      const auto parts = split(line_, ',');
      if (keyword.options.count("GENERATE"))
      {
        if (parts.size() < 2) throw text_.error("a generated set needs first, last and step.");
        const long first = integer(parts[0]), last = integer(parts[1]);
        const long step = parts.size() > 2 && !parts[2].empty() ? integer(parts[2]) : 1;
        if (step < 1 || first < 0 || last < first) throw text_.error("the range of the set makes no sense.");
        members.ranges.push_back({first, last, step});
        continue;
      }
      for (const auto &part : parts)
        if (const auto number = parse_integer(part))
          members.elements.insert(*number);
        else if (!part.empty())
          members.subsets.push_back(upper(part));
    }
  }

  void read_surface(const Keyword &keyword)
  {
    const std::string type = upper(keyword.option("TYPE"));
    if (!type.empty() && type != "ELEMENT") return;
    for (; has_data(); next_line())
    {
      const auto parts = split(line_, ',');
      if (parts.size() < 2 || parts[1].empty())
        throw text_.error(fmt::format("surface {}: expected an element or set and a face such as S1, but found '{}'.",
                                      keyword.option("NAME"), abbreviate(line_)));
      sides_.push_back({keyword.option("NAME"), upper(parts[0]), upper(parts[1])});
    }
  }

  /// The ranges of generated sets mean elements that there are.
  void expand_ranges()
  {
    std::vector<long> numbers;
    for (const auto &element : raw_) numbers.push_back(element.number);
    std::sort(numbers.begin(), numbers.end());
    for (auto &[key, set] : sets_)
      for (const auto &range : set.ranges)
        for (auto number = std::lower_bound(numbers.begin(), numbers.end(), range.first);
             number != numbers.end() && *number <= range.last; ++number)
        {
          count_member(key);
          if ((*number - range.first) % range.step == 0) set.elements.insert(*number);
        }
  }

  /// Sets within sets multiply: a short file can say more than memory holds.
  void count_member(const std::string &set)
  {
    if (++n_members_ > most_members)
      throw InputError(fmt::format("{}: up to set {} the element sets have more than {} members in all. Write fewer sets.",
                                   file_.path, set, most_members));
  }

  /// The elements of a set, by *ELSET and by *ELEMENT.
  const std::set<long> &members(const std::string &set, int depth = 0)
  {
    const auto known = members_.find(set);
    if (known != members_.end()) return known->second;
    if (depth > deepest_set)
      throw InputError(fmt::format("{}: the element set {} contains itself, or sets are nested more than {} deep.", file_.path,
                                   set, deepest_set));
    std::set<long> found;
    const auto add = [&](const auto &elements)
    {
      for (const long element : elements)
      {
        count_member(set);
        found.insert(element);
      }
    };
    const auto entry = sets_.find(set);
    if (entry != sets_.end())
    {
      add(entry->second.elements);
      for (const auto &subset : entry->second.subsets) add(members(subset, depth + 1));
    }
    const auto of_elements = elements_of_set_.find(set);
    if (of_elements != elements_of_set_.end()) add(of_elements->second);
    if (found.empty()) throw InputError(fmt::format("{}: there is no element set {}.", file_.path, set));
    return members_[set] = std::move(found);
  }

  /// Ids from 1 for names, whose capitals do not count.
  struct Ids
  {
    std::map<std::string, int> by_name;
    int of(const std::string &name, std::map<int, std::string> &names)
    {
      const auto [entry, is_new] = by_name.try_emplace(upper(name), static_cast<int>(names.size()) + 1);
      if (is_new) names[entry->second] = name;
      return entry->second;
    }
  };

  /// The set that names each element: the only *ELSET with it, else that of *ELEMENT.
  std::map<long, std::string> set_of_elements() const
  {
    std::map<long, std::string> names;
    std::set<long> ambiguous;
    for (const auto &[key, set] : sets_)
      for (const long element : set.elements)
        if (!names.try_emplace(element, set.name).second) ambiguous.insert(element);
    for (const long element : ambiguous) names.erase(element);
    return names;
  }

  std::map<long, std::string> material_of_elements()
  {
    std::map<long, std::string> materials;
    for (const auto &[set, material] : sections_)
      for (const long element : members(set)) materials[element] = material;
    return materials;
  }

  void make_elements()
  {
    const NodeNumbers numbers(file_.point_numbers);
    if (numbers.repeated()) throw InputError(fmt::format("{}: there are two nodes {}.", file_.path, *numbers.repeated()));
    expand_ranges();
    for (const auto &element : raw_) elements_of_set_[upper(element.set)].push_back(element.number);
    const auto sets = set_of_elements(), materials = material_of_elements();
    for (const auto &element : raw_)
    {
      const auto *kind = kind_of_vtk(element.vtk);
      std::vector<int> nodes;
      for (const long node : element.nodes)
      {
        nodes.push_back(numbers.find(node));
        if (nodes.back() < 0)
          throw InputError(
            fmt::format("{}: element {} has the node {}, which does not exist.", file_.path, element.number, node));
      }
      const auto set = sets.find(element.number);
      std::string name = set == sets.end() ? element.set : set->second;
      if (kind->dimension == 3 && !materials.empty())
        name = materials.count(element.number) ? materials.at(element.number) : "";
      int tag = 0;
      if (!name.empty() && kind->dimension >= 2)
        tag = kind->dimension == 3 ? material_ids_.of(name, file_.names.materials)
                                   : boundary_ids_.of(name, file_.names.boundaries);
      file_.add_element(*kind, reordered(element.vtk, nodes), tag, element.number);
    }
  }

  void make_sides()
  {
    std::map<long, std::size_t> place;
    for (std::size_t e = 0; e < file_.elements.size(); ++e) place[file_.elements[e].number] = e;
    for (const auto &side : sides_)
    {
      const int tag = boundary_ids_.of(side.surface, file_.names.boundaries);
      const auto number = parse_integer(side.element_or_set);
      for (const long element : number ? std::set<long>{*number} : members(side.element_or_set))
      {
        const auto found = place.find(element);
        if (found == place.end())
          throw InputError(
            fmt::format("{}: surface {} has the element {}, which does not exist.", file_.path, side.surface, element));
        add_side(file_.elements[found->second], side, tag);
      }
    }
  }

  void add_side(const FileMesh::Element &element, const RawSide &side, int tag)
  {
    // Abaqus counts the faces of tetrahedra 123, 142, 243, 341 and of hexahedra 1234, 5876, 1562, 2673, 3784, 4851.
    static const std::vector<std::vector<int>> of_tetrahedra{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const std::vector<std::vector<int>> of_hexahedra{{0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1},
                                                            {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}};
    if (!element.kind->element) return;
    const auto &faces = shape_of(*element.kind->element).is_tetrahedron ? of_tetrahedra : of_hexahedra;
    const auto face = side.label[0] == 'S' ? parse_integer(side.label.substr(1)) : std::nullopt;
    if (!face || *face < 1 || *face > static_cast<int>(faces.size()))
      throw InputError(fmt::format("{}: surface {}: element {} has the faces S1 to S{}, not '{}'.", file_.path, side.surface,
                                   element.number, faces.size(), side.label));
    FileMesh::Side corners{{}, tag};
    for (const int a : faces[*face - 1]) corners.corners.push_back(file_.connectivity[element.first + a]);
    file_.sides.push_back(corners);
  }

  struct Range
  {
    long first, last, step;
  };
  struct Set
  {
    std::string name;  ///< as typed
    std::set<long> elements;
    std::vector<Range> ranges;  ///< generated
    std::vector<std::string> subsets;
  };
  static constexpr int deepest_set = 32;
  static constexpr std::int64_t most_members = 100'000'000;

  MeshText text_;
  FileMesh file_;
  std::string line_;
  std::size_t keyword_place_ = 0;
  int n_parts_ = 0;
  std::vector<RawElement> raw_;
  std::map<std::string, Set> sets_;                            ///< of *ELSET, by name in capitals
  std::map<std::string, std::vector<long>> elements_of_set_;   ///< of *ELEMENT, by name in capitals
  std::map<std::string, std::set<long>> members_;              ///< of sets that were asked for
  std::int64_t n_members_ = 0;
  Ids material_ids_, boundary_ids_;
  std::vector<std::pair<std::string, std::string>> sections_;  ///< set and material
  std::vector<RawSide> sides_;
};
}  // namespace

FileMesh read_abaqus(const std::string &path, const std::string &text) { return AbaqusReader(path, text).read(); }
}  // namespace freefall
