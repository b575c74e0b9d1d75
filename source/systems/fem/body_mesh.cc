#include "body_mesh.h"

#include <fmt/format.h>
#include <freefall/core/errors.h>

#include <algorithm>
#include <map>

namespace freefall
{
std::string BodyMesh::element_name(int c) const
{
  const auto &shape = shape_of(element);
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (int a = 0; a < shape.n_corners; ++a) centre += points[cell(c)[a]] / shape.n_corners;
  return fmt::format("element {} at ({:.6g}, {:.6g}, {:.6g})", element_numbers.empty() ? c : element_numbers[c], centre[0],
                     centre[1], centre[2]);
}

std::array<int, 4> face_key(const BodyMesh &mesh, const CellFace &face)
{
  const auto &shape = shape_of(mesh.element);
  std::array<int, 4> key{-1, -1, -1, -1};
  for (int i = 0; i < shape.n_face_corners; ++i) key[i] = mesh.cell(face.cell)[shape.face_nodes[face.face][i]];
  std::sort(key.begin(), key.end());
  return key;
}

namespace
{
bool have_same_corners(const BodyMesh &mesh, int one, int other)
{
  const int *a = mesh.cell(one), *b = mesh.cell(other);
  return std::is_permutation(a, a + shape_of(mesh.element).n_corners, b);
}
}  // namespace

std::vector<CellFace> exterior_faces(const BodyMesh &mesh)
{
  struct KeyedFace
  {
    std::array<int, 4> key;
    CellFace face;
  };
  const int n_faces = shape_of(mesh.element).n_faces;
  std::vector<KeyedFace> faces;
  faces.reserve(static_cast<std::size_t>(mesh.n_cells()) * n_faces);
  for (int cell = 0; cell < mesh.n_cells(); ++cell)
    for (int face = 0; face < n_faces; ++face) faces.push_back({face_key(mesh, {cell, face}), {cell, face}});
  std::sort(faces.begin(), faces.end(), [](const KeyedFace &a, const KeyedFace &b) { return a.key < b.key; });

  std::vector<CellFace> exterior;
  for (std::size_t first = 0, last; first < faces.size(); first = last)
  {
    for (last = first; last < faces.size() && faces[last].key == faces[first].key;) ++last;
    if (last - first == 1) exterior.push_back(faces[first].face);
    if (last - first > 2 || (last - first == 2 && have_same_corners(mesh, faces[first].face.cell, faces[first + 1].face.cell)))
      throw InputError(fmt::format(
        "{}: {} elements share one face, among them {} and {}. Remove elements that are there twice "
        "or overlap.",
        mesh.origin, last - first, mesh.element_name(faces[first].face.cell), mesh.element_name(faces[first + 1].face.cell)));
  }
  std::sort(exterior.begin(), exterior.end(),
            [](const CellFace &a, const CellFace &b) { return std::pair(a.cell, a.face) < std::pair(b.cell, b.face); });
  return exterior;
}

namespace
{
/// Takes the corners, numbered anew without gaps.
void keep_corners(const BodyMesh &mesh, BodyMesh &linear)
{
  const auto &shape = shape_of(mesh.element);
  std::vector<int> number(mesh.points.size(), -1);
  for (int c = 0; c < mesh.n_cells(); ++c)
    for (int a = 0; a < shape.n_corners; ++a)
    {
      int &node = number[mesh.cell(c)[a]];
      if (node < 0)
      {
        node = static_cast<int>(linear.points.size());
        linear.points.push_back(mesh.points[mesh.cell(c)[a]]);
      }
      linear.connectivity.push_back(node);
    }
}

void add_middles(const BodyMesh &mesh, BodyMesh &quadratic)
{
  const auto &shape = shape_of(quadratic.element);
  quadratic.points = mesh.points;
  std::map<std::vector<int>, int> middles;
  for (int c = 0; c < mesh.n_cells(); ++c)
    for (int a = 0; a < shape.n_nodes; ++a)
    {
      std::vector<int> corners;
      for (const int corner : shape.corners_of_node[a]) corners.push_back(mesh.cell(c)[corner]);
      if (corners.size() == 1)
      {
        quadratic.connectivity.push_back(corners[0]);
        continue;
      }
      std::sort(corners.begin(), corners.end());
      const auto [entry, is_new] = middles.try_emplace(corners, static_cast<int>(quadratic.points.size()));
      quadratic.connectivity.push_back(entry->second);
      if (!is_new) continue;
      Eigen::Vector3d middle = Eigen::Vector3d::Zero();
      for (const int corner : corners) middle += mesh.points[corner] / static_cast<double>(corners.size());
      quadratic.points.push_back(middle);
    }
}
}  // namespace

BodyMesh with_other_degree(const BodyMesh &mesh)
{
  BodyMesh other = mesh;
  other.element = other_degree(mesh.element);
  other.points.clear();
  other.connectivity.clear();
  if (shape_of(mesh.element).is_quadratic)
    keep_corners(mesh, other);
  else
    add_middles(mesh, other);
  return other;
}
}  // namespace freefall
