#include <freefall/integrators/force_stepping/parabola.h>
#include <freefall/integrators/force_stepping/sherman_morrison_engine.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace freefall::force_stepping
{
ShermanMorrisonEngine::ShermanMorrisonEngine(const System &system,
                                             const SimplicialGrid &grid,
                                             const Location &start,
                                             const State &state)
  : system_(system),
    grid_(grid),
    d_(grid.n_free()),
    fixed_(state.q),
    origin_(d_),
    diagonal_mass_(d_),
    h_(d_),
    free_number_(grid.n_dofs(), -1),
    t_k_(state.time),
    z_(d_),
    z_dot_(d_),
    half_z_ddot_(d_),
    grad_V_(d_),
    simplex_(start.simplex),
    column_(d_ + 1),
    V_(d_ + 1),
    Z_(d_ + 1, d_ + 1),
    Z_inverse_(d_ + 1, d_ + 1),
    trajectory_(d_ + 1, 3),
    mu_(d_ + 1, 3)
{
  for (int i = 0; i < d_; ++i)
  {
    const int dof = grid.free_dofs()[i];
    const Cell &cell = start.simplex.cells[dof];
    free_number_[dof] = i;
    h_[i] = grid.spacing(dof);
    origin_[i] = cell.base;
    z_[i] = cell.direction * start.fractions[dof];
    z_dot_[i] = state.v[dof] / h_[i];
    diagonal_mass_[i] = system.diagonal_mass()[dof];
  }
  if (!system.mass_is_diagonal())
  {
    Eigen::MatrixXd mass(d_, d_);
    for (int i = 0; i < d_; ++i)
    {
      const Eigen::VectorXd column = system.apply_mass(Eigen::VectorXd::Unit(grid.n_dofs(), grid.free_dofs()[i]));
      for (int j = 0; j < d_; ++j) mass(j, i) = column[grid.free_dofs()[j]];
    }
    mass_.compute(mass);
  }
  std::iota(column_.begin(), column_.end(), 0);
  for (int r = 0; r <= d_; ++r)
  {
    Z_.col(r) << vertex(r), 1;
    V_[r] = vertex_potential(simplex_, r);
  }
  Z_inverse_ = Z_.inverse().array().round();
  compute_gradient();
  time_step();
}

Eigen::VectorXd ShermanMorrisonEngine::vertex(int r) const
{
  Eigen::VectorXd z(d_);
  for (int position = 0; position < d_; ++position)
  {
    const int dof = simplex_.order[position], i = free_number_[dof];
    const Cell &cell = simplex_.cells[dof];
    z[i] = static_cast<double>(cell.base - origin_[i] + (position < r ? cell.direction : 0));
  }
  return z;
}

double ShermanMorrisonEngine::vertex_potential(const Simplex &simplex, int r) const
{
  return system_.potential_energy(grid_.vertex(simplex, r, fixed_));
}

void ShermanMorrisonEngine::compute_gradient()
{
  const Eigen::RowVectorXd J_h = V_ * Z_inverse_;
  grad_V_ = J_h.head(d_).transpose().cwiseQuotient(h_);
  const Eigen::VectorXd acceleration =
    system_.mass_is_diagonal() ? Eigen::VectorXd(grad_V_.cwiseQuotient(diagonal_mass_)) : Eigen::VectorXd(mass_.solve(grad_V_));
  half_z_ddot_ = -0.5 * acceleration.cwiseQuotient(h_);
}

void ShermanMorrisonEngine::time_step()
{
  trajectory_.col(0) << z_, 1;
  trajectory_.col(1) << z_dot_, 0;
  trajectory_.col(2) << half_z_ddot_, 0;
  mu_.noalias() = Z_inverse_ * trajectory_;
  tau_ = t_next_ = std::numeric_limits<double>::infinity();
  for (int r = 0; r <= d_; ++r)
  {
    const int c = column_[r];
    const bool crossed = c == just_crossed_;
    const double tau = first_exit(crossed ? 0 : mu_(c, 0), crossed ? std::max(mu_(c, 1), 0.) : mu_(c, 1), mu_(c, 2));
    if (tau >= tau_) continue;
    tau_ = tau;
    t_next_ = t_k_ + tau;
    s_ = r;
  }
}

void ShermanMorrisonEngine::update()
{
  Simplex next = simplex_;
  const int r = grid_.replace(next, s_);
  const double V_new = vertex_potential(next, r);
  simplex_ = std::move(next);
  if (r != s_) std::rotate(column_.begin(), s_ == 0 ? column_.begin() + 1 : column_.end() - 1, column_.end());

  const int s = column_[r];
  Eigen::VectorXd z_new(d_ + 1);
  z_new << vertex(r), 1;
  const Eigen::VectorXd u = z_new - Z_.col(s);
  // u has one or two entries, so Z^-1 u costs O(d); the rank-one update costs O(d^2).
  Eigen::VectorXd Z_inverse_u = Eigen::VectorXd::Zero(d_ + 1);
  for (int i = 0; i < d_; ++i)
    if (u[i] != 0) Z_inverse_u += u[i] * Z_inverse_.col(i);
  const Eigen::RowVectorXd v_Z_inverse = Z_inverse_.row(s);
  Z_inverse_.noalias() -= (Z_inverse_u / (1 + Z_inverse_u[s])) * v_Z_inverse;
  Z_.col(s) = z_new;
  V_[s] = V_new;
  just_crossed_ = s;
  compute_gradient();
}

Event ShermanMorrisonEngine::pending_event()
{
  if (s_ > 0 && s_ < d_) return {t_next_, simplex_.order[s_ - 1], simplex_.order[s_], false};
  return {t_next_, s_ == 0 ? simplex_.order.front() : simplex_.order.back(), -1, s_ == 0};
}

Event ShermanMorrisonEngine::apply_next_event()
{
  const Event event = pending_event();
  const double dt = tau_;
  const Eigen::VectorXd half_z_ddot = half_z_ddot_;
  update();
  z_ += dt * (z_dot_ + dt * half_z_ddot);
  z_dot_ += 2 * dt * half_z_ddot;
  t_k_ = t_next_;
  ++n_crossings_;
  time_step();
  return event;
}

void ShermanMorrisonEngine::evaluate(double time, State &state) const
{
  const double dt = time - t_k_;
  state.time = time;
  for (int i = 0; i < d_; ++i)
  {
    const int dof = grid_.free_dofs()[i];
    state.q[dof] = grid_.coordinate(dof, {origin_[i], 1}, z_[i] + dt * (z_dot_[i] + dt * half_z_ddot_[i]));
    state.v[dof] = h_[i] * (z_dot_[i] + 2 * dt * half_z_ddot_[i]);
  }
}

void ShermanMorrisonEngine::gradient(Eigen::VectorXd &gradient) const
{
  gradient.setZero(grid_.n_dofs());
  for (int i = 0; i < d_; ++i) gradient[grid_.free_dofs()[i]] = grad_V_[i];
}

double ShermanMorrisonEngine::time_scale() const
{
  return 1 / (z_dot_.cwiseAbs() + half_z_ddot_.cwiseAbs().cwiseSqrt()).maxCoeff();
}

void ShermanMorrisonEngine::archive(Archive &archive)
{
  archive("t_k", t_k_);
  archive("t_next", t_next_);
  archive("s", s_);
  archive("just_crossed", just_crossed_);
  archive("z", z_);
  archive("z_dot", z_dot_);
  archive("half_z_ddot", half_z_ddot_);
  archive("grad_V", grad_V_);
  archive.members("cell_base", simplex_.cells, &Cell::base);
  archive.members("cell_direction", simplex_.cells, &Cell::direction);
  archive("order", simplex_.order);
  archive("column", column_);
  archive("V", V_);
  archive("Z", Z_);
  archive("Z_inverse", Z_inverse_);
  archive("n_crossings", n_crossings_);
}
}  // namespace freefall::force_stepping
