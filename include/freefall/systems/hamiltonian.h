#pragma once

#include <freefall/systems/system.h>

#include <Eigen/SparseCore>
#include <string>

namespace freefall
{
/// H(q, p) that is not p^T M^-1 p / 2 + V(q): not separable, such as that of charges in a magnetic field (R section 1).
///
/// A state has q and v = dH/dp. Functions are const; results are resized and overwritten; entries of fixed dofs are zero.
class Hamiltonian
{
public:
  struct Derivatives
  {
    Eigen::VectorXd q, p;             ///< dH/dq, dH/dp
    Eigen::SparseMatrix<double> qp;   ///< d2H / dq_i dp_j
    Eigen::SparseMatrix<double> pp;   ///< d2H / dp_i dp_j
  };
  virtual ~Hamiltonian() = default;

  virtual double value(const Eigen::VectorXd &q, const Eigen::VectorXd &p) const = 0;
  virtual void derivatives(const Eigen::VectorXd &q, const Eigen::VectorXd &p, Derivatives &result) const = 0;
  /// The p of which v = dH/dp(q, p).
  virtual void momentum(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &p) const = 0;
};

/// A system that may have such a Hamiltonian. Only integrators that ask for it may move it then.
class HamiltonianSystem
{
public:
  virtual ~HamiltonianSystem() = default;
  /// Null for a system that is separable.
  virtual const Hamiltonian *hamiltonian() const = 0;
};

/// Null for a separable system.
const Hamiltonian *non_separable_hamiltonian(const System &system);
/// Throws InputError for a system that is not separable, on behalf of a method that knows only p^T M^-1 p / 2 + V(q).
void refuse_non_separable(const System &system, const std::string &method);
}  // namespace freefall
