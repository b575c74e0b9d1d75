#pragma once

#include <freefall/potentials/plane_contact.h>
#include <freefall/systems/fem/condition_settings.h>
#include <freefall/systems/fem/material_parameters.h>
#include <freefall/systems/fem/mesh_settings.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace freefall
{
/// A point whose nearest node is observed.
struct HistoryPoint
{
  std::string name;                                    ///< columns point_NAME_position_x and so on
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in the reference configuration, m
};

/// A part of a body with a material of its own.
struct SolidRegion
{
  std::string name;  ///< the name or number of a material id of the mesh
  MaterialSettings material;
};

/// One body: mesh, material and how it moves at the start.
struct SolidBody
{
  std::string name;
  MeshSettings mesh;
  SolidMaterial material;
  double density = 0;  ///< kg/m3
  /// Parts that `material` and `density` do not apply to.
  std::vector<SolidRegion> regions;
  /// Of the reference position, m/s; none: at rest.
  std::function<Eigen::Vector3d(const Eigen::Vector3d &)> initial_velocity;
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();  ///< added to the velocity, about the centre of mass, rad/s
  DampingSettings damping;
};

enum class MassMatrix
{
  lumped,     ///< diagonal: row sums for linear elements, the scaled diagonal for quadratic ones
  consistent  ///< int rho N_a N_b
};

/// Everything that makes a solid.
struct SolidSettings
{
  std::vector<SolidBody> bodies;
  MassMatrix mass = MassMatrix::lumped;
  std::vector<RigidPlane> planes;                     ///< a stiffness of 0 stands for ContactSurface::automatic_stiffness()
  std::vector<std::string> contact_boundaries;        ///< as in boundary_selection.h; empty: all boundary nodes
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< m/s2
  ConditionSettings conditions;
  std::vector<HistoryPoint> history_points;

  std::vector<std::string> body_names() const;
};

/// The mesh of all bodies, ordered for the cache. Throws InputError (mesh_settings.h).
SolidMesh mesh_of_bodies(const SolidSettings &settings);

/// The material ids of a body that each of its regions means, and, last, those that remain for the body's own material; all
/// sorted. Throws InputError when a region's name fits nothing, listing what there is, or when two regions mean the same.
std::vector<std::vector<int>> material_ids_of_regions(const SolidMesh &mesh, int body, const SolidBody &settings);
}  // namespace freefall
