#pragma once

#include <freefall/integrators/one_step_method.h>

#include <memory>

namespace freefall
{
/// A method whose step, where it fails, is made as 2, 4, 8, ... equal shorter ones: `Adaptive` of the implicit integrators.
///
/// The times of the states that a run sees do not change. Every step tries its whole length first.
///
/// Conserves:  what the method conserves with steps of changing length: momenta; not a symplectic form or an energy nearby
/// Time level: as the method
/// Throws:     what the method throws when `max_parts` parts are too few, leaving the state as it was
class SubdividedStep final : public OneStepMethod
{
public:
  SubdividedStep(std::unique_ptr<OneStepMethod> method, int max_parts);

  std::string name() const override { return method_->name(); }
  int order() const override { return method_->order(); }
  /// A step forward may be cut otherwise than the step back.
  bool is_symmetric() const override { return false; }
  bool runs_distributed() const override { return method_->runs_distributed(); }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  std::optional<double> conserved_energy(const State &state) const override { return method_->conserved_energy(state); }
  NamedValues summary() const override;
  int largest_number_of_parts() const override { return largest_n_parts_; }
  void archive(Archive &archive) override;

private:
  /// Brings the counts up to those of the method.
  void count();
  void make_parts(const State &now, double dt, int n_parts, State &next);

  std::unique_ptr<OneStepMethod> method_;
  int max_parts_;
  const System *system_ = nullptr;
  State between_;
  std::int64_t n_cut_steps_ = 0;
  int largest_n_parts_ = 1;
};
}  // namespace freefall
