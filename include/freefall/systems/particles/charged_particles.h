#pragma once

#include <freefall/potentials/vector_potential.h>
#include <freefall/systems/hamiltonian.h>

#include <vector>

namespace freefall
{
/// H = (p - a)^T M^-1 (p - a) / 2 + V(q): particles with charges c in a magnetic field, a = c A(x) for each particle, so that
/// M v = p - a(q).
class ChargedParticles final : public Hamiltonian
{
public:
  /// `system` outlives this object; its dofs are those of the particles, one after another.
  ChargedParticles(const System &system, VectorPotential potential, std::vector<double> charges);

  double value(const Eigen::VectorXd &q, const Eigen::VectorXd &p) const override;
  void derivatives(const Eigen::VectorXd &q, const Eigen::VectorXd &p, Derivatives &result) const override;
  void momentum(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &p) const override;

private:
  const System &system_;
  VectorPotential potential_;
  std::vector<double> charges_;
};
}  // namespace freefall
