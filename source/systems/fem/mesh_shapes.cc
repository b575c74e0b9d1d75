#include "mesh_shapes.h"

#include <Eigen/LU>
#include <cmath>
#include <functional>
#include <unordered_map>

namespace freefall
{
namespace
{
/// A point of a block-structured mesh: three indices within the core and the layer outside of it (cylinder: two across, one
/// along, the layer; box: no layers). Corners of hexahedra are four units apart, which leaves whole numbers for the centres of
/// faces and cells and for the middles between those and the corners.
///
/// The edges of hexahedra change one index by four, so the parity of the sum colours the corners like a chess board: what the
/// cut into five needs.
using Index = std::array<int, 4>;
constexpr int unit = 4;

struct IndexHash
{
  std::size_t operator()(const Index &index) const
  {
    std::size_t hash = 0;
    for (const int i : index) hash = hash * 1000003u + static_cast<std::size_t>(i);
    return hash;
  }
};

struct Blocks
{
  std::vector<std::array<Index, 8>> hexahedra;  ///< corners in the order of ElementType::hex8
  std::function<Eigen::Vector3d(const Index &)> position;
  std::function<int(const std::vector<Index> &)> boundary_id;  ///< of a face with these corners

  /// Three directions that are right-handed in space.
  void add(const Index &corner, const Index &d1, const Index &d2, const Index &d3)
  {
    const int steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    auto &hexahedron = hexahedra.emplace_back();
    for (int a = 0; a < 8; ++a)
      for (int i = 0; i < 4; ++i)
        hexahedron[a][i] = unit * (corner[i] + steps[a][0] * d1[i] + steps[a][1] * d2[i] + steps[a][2] * d3[i]);
  }
};

Index direction(int i)
{
  Index d{0, 0, 0, 0};
  d[i] = 1;
  return d;
}

void add_core(Blocks &blocks, const std::array<int, 3> &n)
{
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k) blocks.add({i, j, k, 0}, direction(0), direction(1), direction(2));
}

/// Layers of hexahedra on the two sides of the core across `axis`, which have n[u] by n[w] squares. u, w and axis are
/// right-handed.
void add_layers(Blocks &blocks, const std::array<int, 3> &n, int axis, int n_layers)
{
  const int u = (axis + 1) % 3, w = (axis + 2) % 3;
  for (const int side : {0, 1})
    for (int p = 0; p < n[u]; ++p)
      for (int q = 0; q < n[w]; ++q)
        for (int layer = 0; layer < n_layers; ++layer)
        {
          Index corner{0, 0, 0, layer};
          corner[axis] = side * n[axis], corner[u] = p, corner[w] = q;
          // On the lower side, outward is against the axis.
          if (side == 1)
            blocks.add(corner, direction(u), direction(w), direction(3));
          else
            blocks.add(corner, direction(w), direction(u), direction(3));
        }
}

/// Whether all corners of a face have this index.
bool all_at(const std::vector<Index> &corners, int i, int value)
{
  for (const auto &corner : corners)
    if (corner[i] != unit * value) return false;
  return true;
}

Blocks box_blocks(const BoxMesh &box)
{
  Blocks blocks;
  const auto n = box.subdivisions;
  add_core(blocks, n);
  blocks.position = [box, n](const Index &index)
  {
    Eigen::Vector3d x;
    for (int c = 0; c < 3; ++c) x[c] = box.corner[c] + box.size[c] * index[c] / (unit * static_cast<double>(n[c]));
    return x;
  };
  blocks.boundary_id = [n](const std::vector<Index> &corners)
  {
    for (int c = 0; c < 3; ++c)
      for (const int side : {0, 1})
        if (all_at(corners, c, side * n[c])) return 2 * c + side;
    throw std::logic_error("a boundary face of a box lies on none of its sides");
  };
  return blocks;
}

/// Half the width of the core, relative to the radius, and how far its sides bulge: 0 is a cube, 1 a ball. Between the two, no
/// hexahedron is flat where core and layers meet.
constexpr double core_width = 0.55;
constexpr double core_bulge = 0.4;

/// A smooth map of [-1, 1]^d onto the unit disc (z = 0) or the unit ball; the boundary goes to the boundary, exactly:
/// x sqrt(1 - y^2/2 - z^2/2 + y^2 z^2/3) and so on.
Eigen::Vector3d to_unit_ball(const Eigen::Vector3d &u)
{
  const Eigen::Vector3d s = u.cwiseAbs2();
  Eigen::Vector3d x;
  for (int c = 0; c < 3; ++c)
  {
    const double a = s[(c + 1) % 3], b = s[(c + 2) % 3];
    x[c] = u[c] * std::sqrt(1 - a / 2 - b / 2 + a * b / 3);
  }
  return x;
}

/// From the core to the curved surface: `layer` goes from 0 to 1.
Eigen::Vector3d round_position(const Eigen::Vector3d &u, double layer)
{
  const Eigen::Vector3d surface = to_unit_ball(u);
  const Eigen::Vector3d core = core_width * ((1 - core_bulge) * u + core_bulge * surface);
  return (1 - layer) * core + layer * surface;
}

Blocks cylinder_blocks(const MeshSettings &settings)
{
  Blocks blocks;
  const int n = settings.core_subdivisions, n_layers = settings.layers, n_long = settings.length_subdivisions;
  add_core(blocks, {n, n, n_long});
  for (const int axis : {0, 1}) add_layers(blocks, {n, n, n_long}, axis, n_layers);
  blocks.position = [settings, n, n_layers, n_long](const Index &index)
  {
    const Eigen::Vector3d u(2.0 * index[0] / (unit * n) - 1, 2.0 * index[1] / (unit * n) - 1, 0);
    Eigen::Vector3d x = settings.radius * round_position(u, index[3] / static_cast<double>(unit * n_layers));
    x[2] = settings.length * (index[2] / static_cast<double>(unit * n_long) - 0.5);
    return Eigen::Vector3d(settings.centre + x);
  };
  blocks.boundary_id = [n_long](const std::vector<Index> &corners) {
    return all_at(corners, 2, 0) ? 0 : all_at(corners, 2, n_long) ? 1 : 2;
  };
  return blocks;
}

Blocks ball_blocks(const MeshSettings &settings)
{
  Blocks blocks;
  const int n = settings.core_subdivisions, n_layers = settings.layers;
  add_core(blocks, {n, n, n});
  for (const int axis : {0, 1, 2}) add_layers(blocks, {n, n, n}, axis, n_layers);
  blocks.position = [settings, n, n_layers](const Index &index)
  {
    const Eigen::Vector3d u = Eigen::Vector3d(index[0], index[1], index[2]) * (2.0 / (unit * n)) - Eigen::Vector3d::Ones();
    return Eigen::Vector3d(settings.centre +
                           settings.radius * round_position(u, index[3] / static_cast<double>(unit * n_layers)));
  };
  blocks.boundary_id = [](const std::vector<Index> &) { return 0; };
  return blocks;
}

Index middle(const std::vector<Index> &points)
{
  Index sum{0, 0, 0, 0};
  for (const auto &point : points)
    for (int i = 0; i < 4; ++i) sum[i] += point[i];
  for (int &i : sum) i /= static_cast<int>(points.size());
  return sum;
}

using Corners = std::vector<Index>;

/// The tetrahedron in the middle has the corners of odd colour (so the first corner of a box is in one tetrahedron only, as
/// with deal.II); the others stand on its faces.
void cut_into_five(const std::array<Index, 8> &hexahedron, std::vector<Corners> &elements)
{
  const bool first_is_even = (hexahedron[0][0] + hexahedron[0][1] + hexahedron[0][2] + hexahedron[0][3]) / unit % 2 == 0;
  const int with_first[5][4] = {{0, 2, 7, 5}, {1, 2, 0, 5}, {3, 0, 2, 7}, {4, 7, 5, 0}, {6, 5, 7, 2}};
  const int without_first[5][4] = {{1, 3, 4, 6}, {0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}};
  for (const auto &tetrahedron : first_is_even ? without_first : with_first)
  {
    Corners &corners = elements.emplace_back();
    for (const int corner : tetrahedron) corners.push_back(hexahedron[corner]);
  }
}

/// Four tetrahedra a face, from its centre to the cell's.
void cut_into_24(const std::array<Index, 8> &hexahedron, std::vector<Corners> &elements)
{
  const Index centre = middle({hexahedron.begin(), hexahedron.end()});
  for (const auto &ring : shape_of(ElementType::hex8).face_nodes)
  {
    Corners face;
    for (const int corner : ring) face.push_back(hexahedron[corner]);
    const Index face_centre = middle(face);
    // The ring is counter-clockwise from outside, hence clockwise from the cell's centre.
    for (int i = 0; i < 4; ++i) elements.push_back({face_centre, face[(i + 1) % 4], face[i], centre});
  }
}

std::vector<Corners> cut(const Blocks &blocks, bool into_tetrahedra, HexahedronCut how)
{
  std::vector<Corners> elements;
  for (const auto &hexahedron : blocks.hexahedra)
    if (!into_tetrahedra)
      elements.push_back({hexahedron.begin(), hexahedron.end()});
    else if (how == HexahedronCut::five)
      cut_into_five(hexahedron, elements);
    else
      cut_into_24(hexahedron, elements);
  return elements;
}

BodyMesh build(const Blocks &blocks, ElementType type, HexahedronCut how)
{
  const auto &shape = shape_of(type);
  BodyMesh mesh;
  mesh.element = type;
  std::unordered_map<Index, int, IndexHash> numbers;
  const auto elements = cut(blocks, shape.is_tetrahedron, how);
  for (const auto &element : elements)
    for (const auto &corners : shape.corners_of_node)
    {
      Corners between;
      for (const int corner : corners) between.push_back(element[corner]);
      const Index index = middle(between);
      const auto [entry, is_new] = numbers.try_emplace(index, static_cast<int>(mesh.points.size()));
      if (is_new) mesh.points.push_back(blocks.position(index));
      mesh.connectivity.push_back(entry->second);
    }
  mesh.material_ids.assign(elements.size(), 0);
  mesh.boundary = exterior_faces(mesh);
  for (const auto &face : mesh.boundary)
  {
    Corners corners;
    for (int i = 0; i < shape.n_face_corners; ++i) corners.push_back(elements[face.cell][shape.face_nodes[face.face][i]]);
    mesh.boundary_ids.push_back(blocks.boundary_id(corners));
  }
  return mesh;
}
}  // namespace

BodyMesh mesh_shape(const MeshSettings &settings)
{
  const ElementType type = settings.element.value_or(ElementType::tet4);
  const HexahedronCut how = settings.box.cut;
  BodyMesh mesh;
  switch (settings.kind)
  {
    case MeshSettings::Kind::box:
      mesh = build(box_blocks(settings.box), type, how);
      mesh.names.boundaries = {{0, "lower x"}, {1, "upper x"}, {2, "lower y"}, {3, "upper y"}, {4, "lower z"}, {5, "upper z"}};
      mesh.origin = "the box";
      break;
    case MeshSettings::Kind::cylinder:
      mesh = build(cylinder_blocks(settings), type, how);
      mesh.names.boundaries = {{0, "lower end"}, {1, "upper end"}, {2, "side"}};
      mesh.origin = "the cylinder";
      break;
    case MeshSettings::Kind::ball:
      mesh = build(ball_blocks(settings), type, how);
      mesh.names.boundaries = {{0, "surface"}};
      mesh.origin = "the ball";
      break;
    case MeshSettings::Kind::file:
      throw std::logic_error("a file is not a shape");
  }
  return mesh;
}
}  // namespace freefall
