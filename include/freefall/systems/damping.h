#pragma once

#include <freefall/core/ranks.h>
#include <freefall/core/span.h>
#include <freefall/core/state.h>
#include <freefall/potentials/viscous_elements.h>
#include <freefall/systems/shared_dofs.h>

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace freefall
{
/// Damping of a solid: mass-proportional (alpha, 1/s, one a dof) and viscous elements, as the flow that Conditions::damp asks for.
///
/// The mass-proportional part is exact, v exp(-alpha dt). The viscous one takes as many steps of second order
/// (v - h A v + h^2/2 A^2 v, A = M^-1 C) as keep h times the largest eigenvalue of A below 1.5: two evaluations of the viscous
/// forces each. Both only ever lower the kinetic energy of the free dofs when supports are at rest.
///
/// Of a distributed system (`shared` is not null, and outlives the object) this rank's part: damp() and use_all_ranks() are then
/// collective, and the work booked is that of the whole.
class Damping
{
public:
  Damping(const Eigen::VectorXd &diagonal_mass, Span<const int> supported_dofs, const SharedDofs *shared = nullptr);

  /// alpha of every dof, 1/s.
  void set_mass_proportional(const Eigen::VectorXd &alpha);
  void add(std::unique_ptr<ViscousElements> elements) { viscous_.push_back(std::move(elements)); }

  /// To be called when everything was added: a rank without damped elements takes part in what others do.
  void use_all_ranks();

  bool is_empty() const { return !is_mass_proportional_ && !is_viscous(); }
  /// See Conditions::damp.
  void damp(const Eigen::VectorXd &q, double dt, Eigen::VectorXd &v, Work &work) const;

private:
  bool is_viscous() const { return !viscous_.empty() || others_are_viscous_; }
  bool is_owned(int dof) const { return !shared_ || shared_->is_owned(dof); }
  /// Over all ranks.
  double sum(double value) const { return shared_ ? ranks::sum(value) : value; }
  void damp_viscous(const Eigen::VectorXd &q, double dt, Eigen::VectorXd &v, Work &work) const;
  /// C(q) v into `forces`; the bound of the rates, 1/s.
  double evaluate(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &forces) const;
  double support_power(const Eigen::VectorXd &forces, const Eigen::VectorXd &v) const;

  Eigen::VectorXd mass_, inverse_mass_;  ///< the inverse is 0 in supported dofs
  std::vector<int> supported_;
  const SharedDofs *shared_;
  bool is_mass_proportional_ = false, others_are_viscous_ = false;
  Eigen::VectorXd alpha_;  ///< empty when there is none
  std::vector<std::unique_ptr<ViscousElements>> viscous_;
};
}  // namespace freefall
