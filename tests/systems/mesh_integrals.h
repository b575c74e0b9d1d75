#pragma once

#include <freefall/systems/fem/element_data.h>

#include <Eigen/Geometry>
#include <map>
#include <numeric>

namespace freefall::testing
{
inline double volume(const SolidMesh &mesh)
{
  const ElementData data = element_data(mesh, QuadratureRule::mass);
  return std::accumulate(data.weights.begin(), data.weights.end(), 0.0);
}

/// Area vectors (their length for the flat, their flux for closed surfaces) and areas of a boundary.
struct Surface
{
  double area = 0;
  Eigen::Vector3d vector = Eigen::Vector3d::Zero();
  double flux_of_x = 0;  ///< of the field x: three times the volume for a closed surface that points outward
};

/// By boundary id.
inline std::map<int, Surface> surfaces(const SolidMesh &mesh)
{
  const ReferenceElement reference = reference_face(mesh.element);
  std::map<int, Surface> result;
  for (std::size_t f = 0; f < mesh.boundary_faces.size(); ++f)
  {
    Surface &surface = result[mesh.boundary_faces[f].boundary_id];
    const auto nodes = mesh.face_nodes(static_cast<int>(f));
    for (int q = 0; q < reference.n_points; ++q)
    {
      Eigen::Vector3d x = Eigen::Vector3d::Zero(), t1 = x, t2 = x;
      for (std::size_t a = 0; a < nodes.size(); ++a)
      {
        const std::size_t i = q * nodes.size() + a;
        x += reference.values[i] * mesh.nodes.col(nodes[a]);
        t1 += reference.gradients[2 * i] * mesh.nodes.col(nodes[a]);
        t2 += reference.gradients[2 * i + 1] * mesh.nodes.col(nodes[a]);
      }
      const Eigen::Vector3d area = reference.weights[q] * t1.cross(t2);
      surface.area += area.norm();
      surface.vector += area;
      surface.flux_of_x += x.dot(area);
    }
  }
  return result;
}
}  // namespace freefall::testing
