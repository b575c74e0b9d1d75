#pragma once

#include <freefall/systems/fem/solid_system.h>

/// The paper's example, GSO 6.3: a cube of aluminium flies at 1 km/s in each direction against a slanted rigid wall.
inline freefall::SolidSettings paper_cube(const std::string &mesh = "I")
{
  freefall::SolidBody cube;
  cube.name = "cube";
  cube.mesh.box = freefall::gso_cube(mesh);
  cube.material = freefall::NeoHookean{60.5e9, 26e9};
  cube.density = 2700;
  cube.initial_velocity = [](const Eigen::Vector3d &) { return Eigen::Vector3d(1000, 1000, 1000); };
  freefall::SolidSettings settings;
  settings.bodies = {cube};
  settings.planes = {{"wall", Eigen::Vector3d::Constant(0.101), Eigen::Vector3d(0, -1, -1), 1e14}};
  return settings;
}
