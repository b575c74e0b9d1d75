#include <freefall/core/errors.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/refuse_conditions.h>

#include <fmt/format.h>
#include <cmath>
#include <utility>

namespace freefall
{
Composition::Composition(std::unique_ptr<OneStepMethod> method, Kind kind, int order)
  : method_(std::move(method)), kind_(kind), order_(order), fractions_{1}
{
  if (!method_->is_symmetric() || method_->order() % 2)
    throw InputError(fmt::format("{} cannot be composed: only a symmetric method of even order can", method_->name()));
  if (order <= method_->order() || order % 2)
    throw InputError(fmt::format("a composition of {} (order {}) has an even order above that, not {}", method_->name(),
                                 method_->order(), order));
  const int n_outer = kind == Kind::yoshida ? 1 : 2;
  for (int p = method_->order(); p < order; p += 2)
  {
    const double g = 1 / (2 * n_outer - std::pow(2 * n_outer, 1. / (p + 1)));
    std::vector<double> longer;
    for (int i = -n_outer; i <= n_outer; ++i)
      for (const double fraction : fractions_) longer.push_back(fraction * (i == 0 ? 1 - 2 * n_outer * g : g));
    fractions_ = std::move(longer);
  }
}

std::string Composition::name() const
{
  return fmt::format("{} composition of order {} of {}", kind_ == Kind::yoshida ? "Yoshida" : "Suzuki", order_,
                     method_->name());
}

void Composition::start(const System &system, const State &state)
{
  refuse_conditions(system, name());
  between_ = state;
  method_->start(system, state);
  n_force_evaluations_ = method_->n_force_evaluations();
  n_potential_evaluations_ = method_->n_potential_evaluations();
}

void Composition::step(const State &now, double dt, State &next)
{
  method_->step(now, fractions_[0] * dt, next);
  for (std::size_t i = 1; i < fractions_.size(); ++i)
  {
    between_.q.swap(next.q);
    between_.v.swap(next.v);
    method_->step(between_, fractions_[i] * dt, next);
  }
  n_force_evaluations_ = method_->n_force_evaluations();
  n_potential_evaluations_ = method_->n_potential_evaluations();
}
}  // namespace freefall
