#pragma once

#include <freefall/integrators/one_step_method.h>

#include <Eigen/Core>
#include <functional>
#include <memory>

/// The largest entry of D^T J D - J, D the derivative of one step with respect to (q, M v), by central differences of fourth
/// order with the step e: their own error is e^4 times a derivative of fifth order, and rounding, 1e-16 / e.
inline double symplectic_defect(const freefall::System &system,
                                const freefall::State &start,
                                const std::function<std::unique_ptr<freefall::OneStepMethod>()> &make,
                                double dt,
                                double e = 1e-3)
{
  const int n = system.n_dofs();
  const auto map = [&](const Eigen::VectorXd &y)
  {
    freefall::State now = start, next = start;
    now.q = y.head(n);
    now.v = system.solve_mass(y.tail(n));
    const auto method = make();
    method->start(system, now);
    method->step(now, dt, next);
    Eigen::VectorXd result(2 * n);
    result << next.q, system.apply_mass(next.v);
    return result;
  };
  Eigen::VectorXd y(2 * n);
  y << start.q, system.apply_mass(start.v);
  Eigen::MatrixXd D(2 * n, 2 * n);
  for (int i = 0; i < 2 * n; ++i)
  {
    const Eigen::VectorXd d = e * Eigen::VectorXd::Unit(2 * n, i);
    D.col(i) = (8 * (map(y + d) - map(y - d)) - (map(y + 2 * d) - map(y - 2 * d))) / (12 * e);
  }
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  J.topRightCorner(n, n).setIdentity();
  J.bottomLeftCorner(n, n) = -Eigen::MatrixXd::Identity(n, n);
  return (D.transpose() * J * D - J).cwiseAbs().maxCoeff();
}
