#pragma once

#include <freefall/potentials/element_geometry.h>

#include <Eigen/Core>
#include <vector>

namespace freefall
{
/// Kelvin-Voigt damping of elements with quadrature: the viscous stress
///
///   S = lambda_v tr(E') 1 + 2 mu_v E',   E' = sym(F^T F'),   P = F S
///
/// (second and first Piola-Kirchhoff) beside the elastic one. With E' the rate of Green's strain, rigid motions are not damped,
/// however fast and far; at small strains lambda_v = beta lambda and mu_v = beta mu make the part beta K of Rayleigh's damping.
///
/// The forces C(q) v are linear in v, C is symmetric and positive semidefinite.
class ViscousElements
{
public:
  struct Viscosity
  {
    double lambda = 0;  ///< lambda_v, Pa s; 3 lambda + 2 mu >= 0
    double mu = 0;      ///< mu_v, Pa s
  };

  /// `connectivity` as in HyperelasticElements; `node_mass`: the part of each element's mass that is lumped to each of its
  /// nodes, [element][node], kg. InputError for a viscosity that would create energy.
  ViscousElements(const Viscosity &viscosity,
                  ElementGeometry geometry,
                  std::vector<int> connectivity,
                  const std::vector<double> &node_mass);

  /// Adds C(q) v to `forces`. Returns a bound of the largest eigenvalue of M^-1 C(q), 1/s.
  double add_forces(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &forces) const;

private:
  Viscosity viscosity_;
  ElementGeometry geometry_;
  std::vector<int> connectivity_;
  std::vector<double> rates_;  ///< the bound of each element at F = 1
};
}  // namespace freefall
