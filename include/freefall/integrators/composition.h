#pragma once

#include <freefall/integrators/one_step_method.h>

#include <memory>
#include <vector>

namespace freefall
{
/// A symmetric method raised to any even order by repeated steps of different lengths.
///
/// From order p to p + 2 with x = p + 1:
///   yoshida (triple jump):  g, 1 - 2g, g           with g = 1 / (2 - 2^(1/x))
///   suzuki (five steps):    g, g, 1 - 4g, g, g     with g = 1 / (4 - 4^(1/x))
/// applied again and again (Yoshida 1990, Suzuki 1990): 3 or 5 times as many steps for two orders more. Suzuki's steps are
/// shorter and its error constants smaller.
///
/// Conserves:  what the method conserves: symplectic form, momenta, energy
/// Time level: on return q and v both belong to t + dt
/// Requires:   a symmetric method, an even order above its own, else InputError; some of the steps go backwards
/// Throws:     what the method throws, leaving the state as it was
class Composition final : public OneStepMethod
{
public:
  enum class Kind
  {
    yoshida,
    suzuki
  };
  Composition(std::unique_ptr<OneStepMethod> method, Kind kind, int order);

  std::string name() const override;
  int order() const override { return order_; }
  bool is_symmetric() const override { return true; }
  bool runs_distributed() const override { return method_->runs_distributed(); }
  bool handles_constraints() const override { return method_->handles_constraints(); }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void change_velocities(const System &system, const State &state) override { method_->change_velocities(system, state); }

  void archive(Archive &archive) override { method_->archive(archive); }
  NamedValues summary() const override { return method_->summary(); }

  /// The steps as parts of dt; their sum is 1.
  const std::vector<double> &fractions() const { return fractions_; }

private:
  std::unique_ptr<OneStepMethod> method_;
  Kind kind_;
  int order_;
  std::vector<double> fractions_;
  State between_;
};
}  // namespace freefall
