#include <freefall/systems/fem/boundary_selection.h>
#include <freefall/systems/fem/contact_surface.h>
#include <freefall/systems/fem/element_data.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

namespace freefall
{
namespace
{
double area_of(const SolidMesh &mesh, int face, const ReferenceElement &reference)
{
  const auto nodes = mesh.face_nodes(face);
  double area = 0;
  for (int q = 0; q < reference.n_points; ++q)
  {
    Eigen::Vector3d t1 = Eigen::Vector3d::Zero(), t2 = t1;
    for (std::size_t a = 0; a < nodes.size(); ++a)
    {
      const double *gradient = reference.gradients.data() + 2 * (q * nodes.size() + a);
      t1 += gradient[0] * mesh.nodes.col(nodes[a]);
      t2 += gradient[1] * mesh.nodes.col(nodes[a]);
    }
    area += reference.weights[q] * t1.cross(t2).norm();
  }
  return area;
}
}  // namespace

double ContactSurface::automatic_stiffness() const
{
  return stiffnesses.empty() ? 0 : *std::max_element(stiffnesses.begin(), stiffnesses.end());
}

void ContactSurface::add(int node, double height, double stiffness)
{
  nodes.push_back(node);
  heights.push_back(height);
  stiffnesses.push_back(stiffness);
}

ContactSurface make_contact_surface(const SolidMesh &mesh, const std::vector<int> &faces, const std::vector<double> &moduli)
{
  ContactSurface surface;
  surface.nodes = nodes_of_faces(mesh, faces);
  surface.heights.assign(surface.nodes.size(), std::numeric_limits<double>::infinity());
  surface.stiffnesses.assign(surface.nodes.size(), 0);
  const ReferenceElement reference = reference_face(mesh.element);
  for (const int face : faces)
  {
    const int cell = mesh.boundary_faces[face].cell;
    const double area = area_of(mesh, face, reference);
    const double height = (shape_of(mesh.element).is_tetrahedron ? 3 : 1) * element_volume(mesh, cell) / area;
    const auto nodes = mesh.face_nodes(face);
    for (const int node : nodes)
    {
      const auto i = std::lower_bound(surface.nodes.begin(), surface.nodes.end(), node) - surface.nodes.begin();
      surface.heights[i] = std::min(surface.heights[i], height);
      surface.stiffnesses[i] += moduli[cell] * area / static_cast<double>(nodes.size()) / height;
    }
  }
  return surface;
}
}  // namespace freefall
