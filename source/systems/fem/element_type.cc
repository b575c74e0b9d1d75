#include <freefall/systems/fem/element_type.h>

#include <algorithm>

namespace freefall
{
namespace
{
using Lists = std::vector<std::vector<int>>;

Lists corner_nodes(int n_corners)
{
  Lists nodes;
  for (int corner = 0; corner < n_corners; ++corner) nodes.push_back({corner});
  return nodes;
}

Lists nodes_of(bool is_tetrahedron, bool is_quadratic)
{
  Lists nodes = corner_nodes(is_tetrahedron ? 4 : 8);
  if (!is_quadratic) return nodes;
  const Lists middles_of_tetrahedron{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  const Lists middles_of_hexahedron{{0, 1},
                                    {1, 2},
                                    {2, 3},
                                    {3, 0},
                                    {4, 5},
                                    {5, 6},
                                    {6, 7},
                                    {7, 4},
                                    {0, 4},
                                    {1, 5},
                                    {2, 6},
                                    {3, 7},
                                    {0, 3, 7, 4},
                                    {1, 2, 6, 5},
                                    {0, 1, 5, 4},
                                    {3, 2, 6, 7},
                                    {0, 1, 2, 3},
                                    {4, 5, 6, 7},
                                    {0, 1, 2, 3, 4, 5, 6, 7}};
  const Lists &middles = is_tetrahedron ? middles_of_tetrahedron : middles_of_hexahedron;
  nodes.insert(nodes.end(), middles.begin(), middles.end());
  return nodes;
}

/// The node in the middle of these corners, in whatever order; -1 if there is none.
int node_between(const Lists &corners_of_node, std::vector<int> corners)
{
  std::sort(corners.begin(), corners.end());
  for (std::size_t node = 0; node < corners_of_node.size(); ++node)
  {
    auto candidate = corners_of_node[node];
    std::sort(candidate.begin(), candidate.end());
    if (candidate == corners) return static_cast<int>(node);
  }
  return -1;
}

Lists faces_of(bool is_tetrahedron, const Lists &corners_of_node)
{
  Lists faces = is_tetrahedron ? Lists{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}
                               : Lists{{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 3, 2, 1}, {4, 5, 6, 7}};
  for (auto &face : faces)
  {
    const std::vector<int> ring = face;
    for (std::size_t i = 0; i < ring.size(); ++i)
    {
      const int middle = node_between(corners_of_node, {ring[i], ring[(i + 1) % ring.size()]});
      if (middle >= 0) face.push_back(middle);
    }
    const int centre = node_between(corners_of_node, ring);
    if (centre >= 0) face.push_back(centre);
  }
  return faces;
}

ElementShape make_shape(ElementType type)
{
  ElementShape shape;
  shape.is_tetrahedron = type == ElementType::tet4 || type == ElementType::tet10;
  shape.is_quadratic = type == ElementType::tet10 || type == ElementType::hex27;
  shape.name = std::string(shape.is_quadratic ? "quadratic" : "linear") + (shape.is_tetrahedron ? " tetrahedra" : " hexahedra");
  shape.vtk_cell_type = shape.is_tetrahedron ? (shape.is_quadratic ? 24 : 10) : (shape.is_quadratic ? 29 : 12);
  shape.corners_of_node = nodes_of(shape.is_tetrahedron, shape.is_quadratic);
  shape.face_nodes = faces_of(shape.is_tetrahedron, shape.corners_of_node);
  shape.n_nodes = static_cast<int>(shape.corners_of_node.size());
  shape.n_corners = shape.is_tetrahedron ? 4 : 8;
  shape.n_faces = static_cast<int>(shape.face_nodes.size());
  shape.n_face_nodes = static_cast<int>(shape.face_nodes[0].size());
  shape.n_face_corners = shape.is_tetrahedron ? 3 : 4;

  Eigen::Matrix3Xd corners(3, shape.n_corners);
  if (shape.is_tetrahedron)
    corners << 0, 1, 0, 0, /**/ 0, 0, 1, 0, /**/ 0, 0, 0, 1;
  else
    corners << 0, 1, 1, 0, 0, 1, 1, 0, /**/ 0, 0, 1, 1, 0, 0, 1, 1, /**/ 0, 0, 0, 0, 1, 1, 1, 1;
  shape.reference_nodes.setZero(3, shape.n_nodes);
  for (int node = 0; node < shape.n_nodes; ++node)
    for (const int corner : shape.corners_of_node[node])
      shape.reference_nodes.col(node) += corners.col(corner) / static_cast<double>(shape.corners_of_node[node].size());
  return shape;
}
}  // namespace

const ElementShape &shape_of(ElementType type)
{
  static const std::vector<ElementShape> shapes{make_shape(ElementType::tet4), make_shape(ElementType::tet10),
                                                make_shape(ElementType::hex8), make_shape(ElementType::hex27)};
  return shapes[static_cast<std::size_t>(type)];
}

const std::vector<ElementType> &element_types()
{
  static const std::vector<ElementType> types{ElementType::tet4, ElementType::tet10, ElementType::hex8, ElementType::hex27};
  return types;
}

ElementType other_degree(ElementType type)
{
  switch (type)
  {
    case ElementType::tet4:
      return ElementType::tet10;
    case ElementType::tet10:
      return ElementType::tet4;
    case ElementType::hex8:
      return ElementType::hex27;
    default:
      return ElementType::hex8;
  }
}
}  // namespace freefall
