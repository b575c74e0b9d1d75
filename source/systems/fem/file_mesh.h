#pragma once

#include "body_mesh.h"

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// What a file says, before it is checked.
struct FileMesh
{
  /// Kinds of elements that files hold; those beyond the four of ElementType and their faces only serve messages.
  struct Kind
  {
    int dimension;
    std::string name;                    ///< "linear tetrahedra"
    int n_nodes;                         ///< 0: unknown
    std::optional<ElementType> element;  ///< of volumes: what it becomes; none if it cannot be used
    int n_corners;                       ///< of surfaces
  };

  struct Element
  {
    const Kind *kind;   ///< from kind_of_vtk
    std::size_t first;  ///< of its nodes in connectivity
    int tag;            ///< id of material or boundary; 0: none
    long number;        ///< what the file calls it
  };

  std::string path;
  std::vector<Eigen::Vector3d> points;
  std::vector<long> point_numbers;  ///< what the file calls them
  std::vector<Element> elements;
  std::vector<int> connectivity;  ///< indices into `points`, in the order of ElementType
  SolidMesh::Names names;

  /// Faces given by an element and the nodes of its face (Abaqus surfaces).
  struct Side
  {
    std::vector<int> corners;
    int tag;
  };
  std::vector<Side> sides;

  void add_element(const Kind &kind, const std::vector<int> &nodes, int tag, long number);
};

/// Kinds by their VTK number, which the tables of the other formats refer to; unknown ones have no name.
const FileMesh::Kind *kind_of_vtk(int vtk_cell_type);

/// Readers of the formats: the text is the whole file.
FileMesh read_gmsh(const std::string &path, const std::string &text);
FileMesh read_abaqus(const std::string &path, const std::string &text);
FileMesh read_vtk(const std::string &path, const std::string &text);
FileMesh read_vtu(const std::string &path, const std::string &text);

/// Finds the indices of nodes by their numbers.
class NodeNumbers
{
public:
  explicit NodeNumbers(const std::vector<long> &numbers);
  /// -1 when there is none.
  int find(long number) const;
  /// A number that occurs twice, if any.
  std::optional<long> repeated() const { return repeated_; }

private:
  std::vector<std::pair<long, int>> sorted_;
  std::optional<long> repeated_;
};
}  // namespace freefall
