#include "vtk_cells.h"

#include <fmt/format.h>
#include <freefall/core/errors.h>

#include <cmath>
#include <limits>

namespace freefall
{
std::vector<long> *VtkCells::ids_named(const std::string &name)
{
  std::string letters;
  for (const unsigned char c : name)
    if (std::isalnum(c)) letters += static_cast<char>(std::tolower(c));
  if (letters == "boundaryid" || letters == "boundaryids") return &boundary_ids;
  if (letters == "materialid" || letters == "materialids" || letters == "cellentityids" || letters == "gmshphysical")
    return &material_ids;
  return nullptr;
}

long integer_of(double value, const std::string &path)
{
  if (!(std::abs(value) <= std::numeric_limits<int>::max()) || value != std::floor(value))
    throw InputError(fmt::format("{}: {} stands where an integer up to {} should.", path, value, std::numeric_limits<int>::max()));
  return static_cast<long>(value);
}

namespace
{
void check_sizes(const std::string &path, const VtkCells &cells)
{
  const std::size_t n_cells = cells.types.size();
  if (n_cells == 0) throw InputError(fmt::format("{}: the mesh is empty: it has no cells.", path));
  if (cells.points.size() % 3 != 0) throw InputError(fmt::format("{}: the points do not have three coordinates each.", path));
  if (cells.ends.size() != n_cells)
    throw InputError(fmt::format("{}: there are {} cells but {} types of cells.", path, cells.ends.size(), n_cells));
  for (const auto *ids : {&cells.material_ids, &cells.boundary_ids})
    if (!ids->empty() && ids->size() != n_cells)
      throw InputError(fmt::format("{}: there are {} ids for {} cells.", path, ids->size(), n_cells));
  for (const double x : cells.points)
    if (!std::isfinite(x)) throw InputError(fmt::format("{}: a coordinate is not a finite number.", path));
}
}  // namespace

FileMesh to_file_mesh(const std::string &path, const VtkCells &cells)
{
  check_sizes(path, cells);
  FileMesh file;
  file.path = path;
  const long n_points = static_cast<long>(cells.points.size()) / 3;
  for (long i = 0; i < n_points; ++i)
  {
    file.points.emplace_back(cells.points[3 * i], cells.points[3 * i + 1], cells.points[3 * i + 2]);
    file.point_numbers.push_back(i);
  }
  const auto &surface_ids = cells.boundary_ids.empty() ? cells.material_ids : cells.boundary_ids;
  long begin = 0;
  for (std::size_t c = 0; c < cells.types.size(); ++c)
  {
    const auto *kind = kind_of_vtk(static_cast<int>(cells.types[c]));
    if (!kind)
      throw InputError(
        fmt::format("{}: cell {} is of VTK's type {}, which Freefall does not have. It has linear and quadratic "
                    "tetrahedra (types 10, 24) and hexahedra (12, 29).",
                    path, c, cells.types[c]));
    const long end = cells.ends[c];
    if (end < begin || end > static_cast<long>(cells.connectivity.size()) ||
        (kind->n_nodes > 0 && end - begin != kind->n_nodes))
      throw InputError(
        fmt::format("{}: cell {}, one of {}, has {} points instead of {}.", path, c, kind->name, end - begin, kind->n_nodes));
    std::vector<int> nodes;
    for (; begin < end; ++begin)
    {
      if (cells.connectivity[begin] < 0 || cells.connectivity[begin] >= n_points)
        throw InputError(
          fmt::format("{}: cell {} has the point {}, which does not exist.", path, c, cells.connectivity[begin]));
      nodes.push_back(static_cast<int>(cells.connectivity[begin]));
    }
    const auto &ids = kind->dimension == 3 ? cells.material_ids : surface_ids;
    file.add_element(*kind, nodes, ids.empty() ? 0 : static_cast<int>(ids[c]), static_cast<long>(c));
  }
  return file;
}
}  // namespace freefall
