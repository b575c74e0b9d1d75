#include <fmt/format.h>
#include <freefall/core/text.h>

#include "file_mesh.h"
#include "mesh_text.h"

#include <algorithm>
#include <limits>

// Gmsh's .msh: 2.x and 4.1 as text or binary, 4.0 as text. deal.II's own readers know neither quadratic elements nor physical
// names, and end with exceptions that name no line.
namespace freefall
{
namespace
{
/// Gmsh's element types as VTK's; 0 for those that are not in the list.
int vtk_type(long gmsh_type)
{
  const std::map<long, int> types{{15, 1},  {1, 3},  {8, 21},  {2, 5},   {9, 22}, {3, 9},  {16, 23}, {10, 28}, {4, 10},
                                  {11, 24}, {5, 12}, {12, 29}, {17, 25}, {6, 13}, {7, 14}, {18, 26}, {19, 27}, {13, 32}};
  const auto type = types.find(gmsh_type);
  return type == types.end() ? 0 : type->second;
}

/// The nodes of a Gmsh element in the order of ElementType.
std::vector<int> reordered(long gmsh_type, const std::vector<int> &nodes)
{
  // By Gmsh's manual: after the corners, tetrahedra have the edges 01 12 20 30 23 13, hexahedra the edges 01 03 04 12 15 23 26
  // 37 45 47 56 67 and the faces z = 0, y = 0, x = 0, x = 1, y = 1, z = 1.
  static const std::vector<int> tet10{0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
  static const std::vector<int> hex27{0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                      19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};
  if (gmsh_type != 11 && gmsh_type != 12) return nodes;
  std::vector<int> result;
  for (const int a : gmsh_type == 11 ? tet10 : hex27) result.push_back(nodes[a]);
  return result;
}

class GmshReader
{
public:
  GmshReader(const std::string &path, const std::string &text) : text_(path, text) { file_.path = path; }

  FileMesh read()
  {
    if (text_.peek() != "$MeshFormat") throw text_.error("is not a Gmsh mesh: it does not begin with $MeshFormat.");
    bool has_nodes = false, has_elements = false;
    while (!text_.at_end())
    {
      const std::string section(text_.word("a section"));
      if (section == "$MeshFormat")
        read_format();
      else if (section == "$PhysicalNames")
        read_names();
      else if (section == "$Entities")
        read_entities();
      else if (section == "$Nodes")
        has_nodes = true, read_nodes();
      else if (section == "$Elements")
        has_elements = true, read_elements();
      else if (section == "$PartitionedEntities")
        throw text_.error("the mesh is partitioned. Save it in one part.");
      else
      {
        skip(section);
        continue;
      }
      text_.expect("$End" + section.substr(1));
    }
    if (!has_nodes || !has_elements)
      throw text_.error(fmt::format("the mesh is empty or cut off: it has no section {}.", has_nodes ? "$Elements" : "$Nodes"));
    for (const auto &[dimension_and_id, name] : all_names_)
      if (dimension_and_id.first == 3)
        file_.names.materials[dimension_and_id.second] = name;
      else if (dimension_and_id.first == 2)
        file_.names.boundaries[dimension_and_id.second] = name;
    return std::move(file_);
  }

private:
  void read_format()
  {
    version_ = text_.number("the version");
    is_binary_ = text_.integer("the kind of file, 0 or 1") != 0;
    const long size = text_.integer("the size of numbers");
    const bool is_known = (version_ >= 2 && version_ < 3) || version_ == 4.1 || (version_ == 4.0 && !is_binary_);
    if (!is_known)
      throw text_.error(
        fmt::format("version {}{} of Gmsh's format cannot be read. Save the mesh as version 2.2 or 4.1 "
                    "(Gmsh: -format msh41).",
                    version_, is_binary_ ? " (binary)" : ""));
    if (!is_binary_) return;
    if (size != 8) throw text_.error(fmt::format("numbers of {} bytes cannot be read, only of 8.", size));
    text_.line();
    if (text_.bytes<int>("the number one") != 1)
      throw text_.error("the binary numbers have the byte order of another machine.");
  }

  void read_names()
  {
    const std::size_t n = text_.count("the number of physical names");
    for (std::size_t i = 0; i < n; ++i)
    {
      const int dimension = static_cast<int>(text_.integer("the dimension of a physical name"));
      const int id = static_cast<int>(text_.integer("the number of a physical name"));
      const std::string name = trim(text_.line());
      if (name.size() < 2 || name.front() != '"' || name.back() != '"')
        throw text_.error(fmt::format("expected a physical name in quotes, but found '{}'.", abbreviate(name)));
      all_names_[{dimension, id}] = name.substr(1, name.size() - 2);
    }
  }

  /// Numbers as text, or as bytes of the type that the format says.
  template <typename Binary = int>
  long integer(const char *wanted)
  {
    return is_binary_ ? static_cast<long>(text_.bytes<Binary>(wanted)) : text_.integer(wanted);
  }
  double number(const char *wanted)
  {
    if (!is_binary_) return text_.number(wanted);
    const double value = text_.bytes<double>(wanted);
    if (!(std::abs(value) < 1e300)) throw text_.error(fmt::format("{} is not a finite number.", wanted));
    return value;
  }
  template <typename Binary = std::uint64_t>
  std::size_t count(const char *wanted, std::size_t bytes_each = 1)
  {
    if (!is_binary_) return text_.count(wanted);
    const auto value = static_cast<std::uint64_t>(text_.bytes<Binary>(wanted));
    if (value > text_.n_left() / bytes_each)
      throw text_.error(fmt::format("{} is {}, more than the rest of the file can hold. Is it cut off?", wanted, value));
    return static_cast<std::size_t>(value);
  }
  /// Binary data begin after the end of the line.
  void begin_data()
  {
    if (is_binary_) text_.line();
  }

  /// Gmsh marks elements that are turned round by a minus.
  int physical_id(long tag) const
  {
    constexpr long largest = std::numeric_limits<int>::max();
    if (tag > largest || tag < -largest)
      throw text_.error(fmt::format("the physical group {} is beyond {}.", tag, largest));
    return static_cast<int>(std::abs(tag));
  }

  void read_entities()
  {
    begin_data();
    std::size_t n[4];
    for (auto &n_of_dimension : n) n_of_dimension = count("the number of entities");
    for (int dimension = 0; dimension < 4; ++dimension)
      for (std::size_t i = 0; i < n[dimension]; ++i)
      {
        const long tag = integer("the number of an entity");
        for (int k = 0; k < (dimension == 0 && version_ == 4.1 ? 3 : 6); ++k) number("the bounds of an entity");
        const std::size_t n_groups = count("the number of physical groups", sizeof(int));
        for (std::size_t k = 0; k < n_groups; ++k)
        {
          const int group = physical_id(integer("a physical group"));
          auto &known = group_of_entity_[{dimension, tag}];
          if (known != 0 && known != group && dimension >= 2)
            throw text_.error(fmt::format("{} {} belongs to the physical groups {} and {}. Give it one.",
                                          dimension == 2 ? "surface" : "volume", tag, known, group));
          known = group;
        }
        if (dimension == 0) continue;
        const std::size_t n_bounding = count("the number of bounding entities", sizeof(int));
        for (std::size_t k = 0; k < n_bounding; ++k) integer("a bounding entity");
      }
  }

  void add_point(long tag, const Eigen::Vector3d &x)
  {
    file_.point_numbers.push_back(tag);
    file_.points.push_back(x);
  }
  Eigen::Vector3d position()
  {
    const double x = number("a coordinate"), y = number("a coordinate"), z = number("a coordinate");
    return {x, y, z};
  }

  void read_nodes()
  {
    if (version_ < 3)
    {
      const std::size_t n = text_.count("the number of nodes");
      begin_data();
      for (std::size_t i = 0; i < n; ++i)
      {
        const long tag = integer("the number of a node");
        add_point(tag, position());
      }
      return;
    }
    begin_data();
    const std::size_t n_blocks = count("the number of blocks of nodes");
    count("the number of nodes");
    if (version_ == 4.1) integer<std::uint64_t>("the lowest number"), integer<std::uint64_t>("the highest number");
    for (std::size_t block = 0; block < n_blocks; ++block) read_block_of_nodes();
  }

  void read_block_of_nodes()
  {
    const long first = integer("an entity"), second = integer("an entity");
    const int dimension = static_cast<int>(version_ == 4.1 ? first : second);
    const bool is_parametric = integer("0 or 1") != 0;
    const std::size_t n = count("the number of nodes in a block");
    std::vector<long> tags;
    if (version_ == 4.1)
      for (std::size_t i = 0; i < n; ++i) tags.push_back(integer<std::uint64_t>("the number of a node"));
    for (std::size_t i = 0; i < n; ++i)
    {
      const long tag = version_ == 4.1 ? tags[i] : integer("the number of a node");
      add_point(tag, position());
      if (is_parametric)
        for (int k = 0; k < dimension; ++k) number("a parametric coordinate");
    }
  }

  void read_elements()
  {
    const NodeNumbers numbers(file_.point_numbers);
    if (numbers.repeated()) throw text_.error(fmt::format("there are two nodes {}.", *numbers.repeated()));
    numbers_ = &numbers;
    if (version_ < 3)
      read_elements_of_version_2();
    else
      read_elements_of_version_4();
  }

  void add_element(long type, long number, int tag)
  {
    const auto *kind = kind_of(type, number);
    std::vector<int> nodes;
    for (int a = 0; a < kind->n_nodes; ++a)
    {
      const long node = version_ < 3 || version_ == 4.0 ? integer("a node") : integer<std::uint64_t>("a node");
      nodes.push_back(numbers_->find(node));
      if (nodes.back() < 0) throw text_.error(fmt::format("element {} has the node {}, which does not exist.", number, node));
    }
    file_.add_element(*kind, reordered(type, nodes), tag, number);
  }

  const FileMesh::Kind *kind_of(long type, long number) const
  {
    const auto *kind = kind_of_vtk(vtk_type(type));
    if (!kind)
      throw text_.error(
        fmt::format("element {} is of Gmsh's type {}, which Freefall does not have. It has linear and quadratic "
                    "tetrahedra (types 4, 11) and hexahedra (5, 12).",
                    number, type));
    return kind;
  }

  void read_elements_of_version_2()
  {
    const std::size_t n = text_.count("the number of elements");
    begin_data();
    for (std::size_t i = 0; i < n;)
    {
      // Binary files have blocks of one type; text files are read as blocks of one.
      long number = is_binary_ ? 0 : text_.integer("the number of an element");
      const long type = integer("the type of an element");
      const std::size_t n_in_block = is_binary_ ? count<int>("the number of elements in a block") : 1;
      const std::size_t n_tags = is_binary_ ? count<int>("the number of tags") : text_.count("the number of tags");
      for (std::size_t k = 0; k < n_in_block; ++k, ++i)
      {
        if (is_binary_) number = integer("the number of an element");
        int physical = 0;
        for (std::size_t t = 0; t < n_tags; ++t)
        {
          const long tag = integer("a tag");
          if (t == 0) physical = physical_id(tag);
        }
        add_element(type, number, physical);
      }
      if (n_in_block == 0) throw text_.error("a block of elements is empty.");
    }
  }

  void read_elements_of_version_4()
  {
    begin_data();
    const std::size_t n_blocks = count("the number of blocks of elements");
    count("the number of elements");
    if (version_ == 4.1) integer<std::uint64_t>("the lowest number"), integer<std::uint64_t>("the highest number");
    for (std::size_t block = 0; block < n_blocks; ++block)
    {
      long dimension = integer("an entity"), entity = integer("an entity");
      if (version_ == 4.0) std::swap(dimension, entity);
      const long type = integer("the type of elements");
      const std::size_t n = count("the number of elements in a block");
      const auto group = group_of_entity_.find({static_cast<int>(dimension), entity});
      for (std::size_t i = 0; i < n; ++i)
      {
        const long number =
          version_ == 4.1 ? integer<std::uint64_t>("the number of an element") : integer("the number of an element");
        add_element(type, number, group == group_of_entity_.end() ? 0 : group->second);
      }
    }
  }

  /// Sections that say nothing of the mesh, comments among them.
  void skip(const std::string &section)
  {
    if (section[0] != '$')
      throw text_.error(fmt::format("expected a section such as $Nodes, but found '{}'.", abbreviate(section)));
    const std::string end = "$End" + section.substr(1);
    while (text_.n_left() > 0)
      if (trim(text_.line()) == end) return;
    throw text_.ends_before(end.c_str());
  }

  MeshText text_;
  FileMesh file_;
  double version_ = 0;
  bool is_binary_ = false;
  std::map<std::pair<int, int>, std::string> all_names_;  ///< by dimension and number
  std::map<std::pair<int, long>, int> group_of_entity_;   ///< by dimension and entity
  const NodeNumbers *numbers_ = nullptr;
};
}  // namespace

FileMesh read_gmsh(const std::string &path, const std::string &text) { return GmshReader(path, text).read(); }
}  // namespace freefall
