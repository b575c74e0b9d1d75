#pragma once

#include "file_mesh.h"

#include <string>
#include <vector>

namespace freefall
{
/// The arrays of an unstructured grid of VTK, as both of its formats have them.
///
/// Ids: volume cells take their material from a cell array named material_id or MaterialID, surface cells their boundary from
/// one named boundary_id; an array named CellEntityIds (Gmsh), gmsh:physical (meshio) or MaterialID (deal.II) serves both.
struct VtkCells
{
  std::vector<double> points;      ///< [point][3]
  std::vector<long> connectivity;  ///< point numbers of all cells
  std::vector<long> ends;          ///< of each cell in connectivity
  std::vector<long> types;         ///< VTK's number of each cell
  std::vector<long> material_ids;  ///< empty: none given
  std::vector<long> boundary_ids;  ///< empty: none given

  /// Where the ids of a cell array of this name belong; nullptr: nowhere.
  std::vector<long> *ids_named(const std::string &name);
};

/// Of an id or index that a file gives as a floating-point number; InputError when it is no integer of int's range.
long integer_of(double value, const std::string &path);

/// Checks sizes and indices (InputError).
FileMesh to_file_mesh(const std::string &path, const VtkCells &cells);
}  // namespace freefall
