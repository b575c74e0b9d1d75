#pragma once

#include <freefall/potentials/curved_contact.h>
#include <freefall/potentials/plane_contact.h>

#include <array>
#include <string>
#include <vector>

namespace freefall
{
/// Boundaries that are held or moved.
struct SupportSettings
{
  std::string name;
  std::vector<std::string> boundaries;  ///< as in boundary_selection.h
  /// Displacement of each component, a formula of x, y, z, t in m; "free" or "fixed".
  std::array<std::string, 3> displacement{"free", "free", "free"};
};

/// A traction (three formulas) or a pressure (one) on boundaries, in Pa.
struct SurfaceLoadSettings
{
  std::string name;
  std::vector<std::string> boundaries;
  std::string formula;
};

/// A round obstacle, or one of any shape that moves.
template <typename Shape>
struct ObstacleSettings
{
  Shape shape;
  std::string motion;  ///< three formulas of t, m; empty: at rest
};

/// Damping of one body: forces -(alpha M + C) v, C viscous.
struct DampingSettings
{
  double alpha = 0;            ///< 1/s
  double beta = 0;             ///< s: viscosities beta lambda, beta mu of the elastic constants
  double shear_viscosity = 0;  ///< mu_v, Pa s
  double bulk_viscosity = 0;   ///< lambda_v + 2/3 mu_v, Pa s

  bool is_viscous() const { return beta > 0 || shear_viscosity > 0 || bulk_viscosity > 0; }
  bool is_none() const { return alpha == 0 && !is_viscous(); }
};

/// What acts on the bodies of a solid beside their own forces, planes at rest and gravity.
struct ConditionSettings
{
  std::vector<SupportSettings> supports;
  std::vector<SurfaceLoadSettings> tractions, pressures;
  std::vector<ObstacleSettings<RigidRound>> rounds;
  std::vector<ObstacleSettings<RigidPlane>> moving_planes;
};
}  // namespace freefall
