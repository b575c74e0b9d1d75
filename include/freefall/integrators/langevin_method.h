#pragma once

#include <freefall/integrators/heat_bath.h>
#include <freefall/integrators/one_step_method.h>

#include <memory>

namespace freefall
{
/// The geometric Langevin algorithm (TO 4.3; Bou-Rabee and Owhadi 2010): a step of any method, then the exact flow of friction
/// and noise of a heat bath over the same time.
///
/// Conserves:  the Boltzmann distribution exp(-H / k_B T) of positions and velocities (with constraints: that on the manifold), up
///             to the error of the energy of the method; total energy - heat as well as the method keeps the energy; g(q) = 0 and
///             G v = 0 as the method
/// Time level: on return q and v both belong to t + dt
/// Requires:   a diagonal mass; dt > 0
/// Throws:     what the method throws, leaving the state as it was
///
/// Observes heat, the energy that came from the bath since the start.
class LangevinMethod final : public OneStepMethod
{
public:
  /// The bath outlives the method.
  LangevinMethod(std::unique_ptr<OneStepMethod> method, HeatBath &bath) : method_(std::move(method)), bath_(bath) {}

  std::string name() const override { return method_->name(); }
  int order() const override { return method_->order(); }
  bool is_symmetric() const override { return false; }
  bool runs_distributed() const override { return method_->runs_distributed(); }
  bool handles_constraints() const override { return method_->handles_constraints(); }

  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  std::optional<double> conserved_energy(const State &state) const override;
  void archive(Archive &archive) override;
  NamedValues observe(const State &state) const override;
  NamedValues summary() const override { return method_->summary(); }
  std::vector<std::string> notes() const override;

private:
  void count();

  std::unique_ptr<OneStepMethod> method_;
  HeatBath &bath_;
  const System *system_ = nullptr;
};
}  // namespace freefall
