#include <fmt/format.h>
#include <freefall/core/text.h>

#include "mesh_text.h"
#include "vtk_cells.h"

// VTK's legacy format as text, versions 2 to 5.1: an unstructured grid with its cell data.
namespace freefall
{
namespace
{
std::string upper(std::string_view text)
{
  std::string result(text);
  for (char &c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

class VtkReader
{
public:
  VtkReader(const std::string &path, const std::string &text) : path_(path), text_(path, text) {}

  FileMesh read()
  {
    const std::string header(text_.line());
    if (header.rfind("# vtk DataFile", 0) != 0)
      throw text_.error("is not a VTK file: it does not begin with '# vtk DataFile'. Files in XML have the extension .vtu.");
    text_.line();
    const std::string kind = upper(text_.word("ASCII or BINARY"));
    if (kind == "BINARY") throw text_.error("binary VTK files cannot be read. Save it as ASCII or as .vtu.");
    if (kind != "ASCII") throw text_.error(fmt::format("expected ASCII, but found '{}'.", abbreviate(kind)));
    while (!text_.at_end()) read_section();
    return to_file_mesh(path_, cells_);
  }

private:
  void read_section()
  {
    const std::string keyword = upper(text_.word("a keyword"));
    if (keyword == "DATASET")
    {
      const std::string type = upper(text_.word("the type of the data set"));
      if (type != "UNSTRUCTURED_GRID")
        throw text_.error(fmt::format("the data set is of the type {}; only UNSTRUCTURED_GRID can be read.", abbreviate(type)));
    }
    else if (keyword == "POINTS")
      read_points();
    else if (keyword == "CELLS")
      read_cells();
    else if (keyword == "CELL_TYPES")
      cells_.types = integers(text_.count("the number of types"), "the type of a cell");
    else if (keyword == "CELL_DATA" || keyword == "POINT_DATA")
    {
      n_values_ = text_.count("the number of values");
      is_cell_data_ = keyword == "CELL_DATA";
    }
    else if (keyword == "FIELD")
      read_field();
    else if (keyword == "METADATA")
      skip_metadata();
    else
      read_attribute(keyword);
  }

  std::vector<long> integers(std::size_t n, const char *wanted)
  {
    std::vector<long> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(text_.integer(wanted));
    return values;
  }

  void read_points()
  {
    const std::size_t n = text_.count("the number of points");
    text_.word("the type of numbers");
    for (std::size_t i = 0; i < 3 * n; ++i) cells_.points.push_back(text_.number("a coordinate"));
  }

  void read_cells()
  {
    const std::size_t n = text_.count("the number of cells"), size = text_.count("the size of the list of cells");
    if (upper(text_.peek()) == "OFFSETS")
    {
      // Version 5.1: n offsets (the first is 0), then the points of all cells.
      text_.word("OFFSETS"), text_.word("the type of offsets");
      cells_.ends = integers(n, "an offset");
      if (!cells_.ends.empty()) cells_.ends.erase(cells_.ends.begin());
      text_.expect("CONNECTIVITY");
      text_.word("the type of point numbers");
      cells_.connectivity = integers(size, "a point of a cell");
      return;
    }
    for (std::size_t i = 0; i < n; ++i)
    {
      const std::size_t n_points = text_.count("the number of points of a cell");
      for (std::size_t k = 0; k < n_points; ++k) cells_.connectivity.push_back(text_.integer("a point of a cell"));
      cells_.ends.push_back(static_cast<long>(cells_.connectivity.size()));
    }
  }

  void keep(const std::string &name, std::size_t n_components, std::size_t n_tuples)
  {
    auto *ids = is_cell_data_ && n_components == 1 ? cells_.ids_named(name) : nullptr;
    for (std::size_t i = 0; i < n_components * n_tuples; ++i)
    {
      // deal.II writes ids as floating-point numbers.
      const double value = ids ? text_.number("an id") : (text_.word("a value"), 0);
      if (ids) ids->push_back(integer_of(value, path_));
    }
  }

  void read_field()
  {
    text_.word("the name of a field");
    const std::size_t n_arrays = text_.count("the number of arrays");
    for (std::size_t i = 0; i < n_arrays; ++i)
    {
      const std::string name(text_.word("the name of an array"));
      const std::size_t n_components = text_.count("the number of components");
      const std::size_t n_tuples = text_.count("the number of values");
      text_.word("the type of numbers");
      keep(name, n_components, n_tuples);
      if (upper(text_.peek()) == "METADATA") text_.word("METADATA"), skip_metadata();
    }
  }

  void read_attribute(const std::string &keyword)
  {
    const std::string name(text_.word("the name of an attribute"));
    if (keyword == "SCALARS")
    {
      text_.word("the type of numbers");
      std::size_t n_components = 1;
      if (upper(text_.peek()) != "LOOKUP_TABLE") n_components = text_.count("the number of components");
      if (upper(text_.peek()) == "LOOKUP_TABLE") text_.word("LOOKUP_TABLE"), text_.word("the name of a table");
      keep(name, n_components, n_values_);
    }
    else if (keyword == "VECTORS" || keyword == "NORMALS" || keyword == "TENSORS")
    {
      text_.word("the type of numbers");
      keep("", keyword == "TENSORS" ? 9 : 3, n_values_);
    }
    else
      throw text_.error(fmt::format("the keyword '{}' cannot be read. Save the mesh without it.", abbreviate(keyword)));
  }

  /// Ends with an empty line.
  void skip_metadata()
  {
    text_.line();
    while (text_.n_left() > 0 && !trim(text_.line()).empty())
    {
    }
  }

  std::string path_;
  MeshText text_;
  VtkCells cells_;
  std::size_t n_values_ = 0;
  bool is_cell_data_ = false;
};
}  // namespace

FileMesh read_vtk(const std::string &path, const std::string &text) { return VtkReader(path, text).read(); }
}  // namespace freefall
