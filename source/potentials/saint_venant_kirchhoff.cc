#include <freefall/potentials/material_functions.h>
#include <freefall/potentials/saint_venant_kirchhoff.h>

namespace freefall
{
using Eigen::Matrix3d;

double SaintVenantKirchhoff::energy(const Matrix3d &F) const { return energy(material_functions::deformation(F)); }

Matrix3d SaintVenantKirchhoff::stress(const Matrix3d &F) const { return material_functions::stress(*this, F); }

Matrix3d SaintVenantKirchhoff::stress_derivative(const Matrix3d &F, const Matrix3d &A) const
{
  return material_functions::stress_derivative(*this, F, A);
}

Matrix3d SaintVenantKirchhoff::second_stress_derivative(const Matrix3d &F, const Matrix3d &A) const
{
  return material_functions::second_stress_derivative(*this, F, A);
}
}  // namespace freefall
