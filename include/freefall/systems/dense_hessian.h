#pragma once

#include <freefall/systems/system.h>

namespace freefall
{
/// The largest dense matrix that a method may factorise in every step: about a second each.
constexpr int max_dense_rows = 3000;

/// Hess V(q) as a dense matrix (resized and overwritten), rows and columns of fixed dofs zero. For small systems.
void dense_hessian(const System &system, const Eigen::VectorXd &q, Eigen::MatrixXd &hessian);

/// M as a dense matrix.
Eigen::MatrixXd dense_mass(const System &system);
}  // namespace freefall
