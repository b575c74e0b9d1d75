#pragma once

#include <freefall/integrators/constrained/constrained_method.h>
#include <freefall/integrators/constrained/rattle.h>

#include <memory>

namespace freefall
{
/// R (24), its adjoint or R (25): as Rattle where H is separable, as HamiltonianEuler where it is not. Conserves, requires and
/// throws what these do; both levels of a state belong to t + dt.
class ConstrainedEuler final : public OneStepMethod
{
public:
  /// Any form but Rattle::Form::rattle.
  explicit ConstrainedEuler(Rattle::Form form) : form_(form) {}

  std::string name() const override { return Rattle(form_).name(); }
  int order() const override { return Rattle(form_).order(); }
  bool is_symmetric() const override { return Rattle(form_).is_symmetric(); }
  bool handles_constraints() const override { return true; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  NamedValues summary() const override { return method_->summary(); }
  void archive(Archive &archive) override { method_->archive(archive); }

private:
  void count();

  Rattle::Form form_;
  std::unique_ptr<ConstrainedMethod> method_;
};
}  // namespace freefall
