#include <freefall/core/errors.h>
#include <freefall/potentials/smooth_terms.h>
#include <freefall/systems/particles/radial_kepler.h>

#include <fmt/format.h>
#include <algorithm>

namespace freefall
{
namespace
{
/// V'(r) = -k/r + Theta^2 / (2 r^2), one term.
class EffectivePotential final : public SmoothTerms<EffectivePotential, 1>
{
public:
  EffectivePotential(double strength, double angular_momentum) : strength_(strength), angular_momentum_(angular_momentum) {}

  std::string kind() const override { return "effective potential"; }
  int n_terms() const override { return 1; }
  Span<const int> dofs(int) const override { return {&dof_, 1}; }

  template <typename T>
  T evaluate(int, const T *r) const
  {
    return (0.5 * angular_momentum_ * angular_momentum_ / r[0] - strength_) / r[0];
  }
  void check(int, const double *r) const
  {
    if (!(r[0] > 0)) throw DomainError(fmt::format("the radius {} of the Kepler problem is not positive", r[0]));
  }

private:
  double strength_, angular_momentum_;
  int dof_ = 0;
};
}  // namespace

RadialKepler::RadialKepler(double strength, double radius, double radial_velocity, double angular_momentum)
  : angular_momentum_(angular_momentum)
{
  if (!(strength > 0)) throw InputError(fmt::format("the strength of the centre is {}: it must be positive", strength));
  if (!(radius > 0)) throw InputError(fmt::format("the radius at the start is {}: it must be positive", radius));
  diagonal_mass_ = Eigen::VectorXd::Ones(1);
  initial_state_.q = Eigen::VectorXd::Constant(1, radius);
  initial_state_.v = Eigen::VectorXd::Constant(1, radial_velocity);
  terms_.push_back(std::make_unique<EffectivePotential>(strength, angular_momentum));
}

NamedValues RadialKepler::observe(const State &state) const
{
  return {{"radius", state.q[0]}, {"radial_velocity", state.v[0]}, {"angular_momentum_z", angular_momentum_}};
}

double angle_along_parabola(double r, double v, double a, double dt, double angular_momentum)
{
  // The closed form of the integral cancels where 2 a r is close to v^2. Gauss quadrature with 8 points does not, and is good
  // to rounding on pieces on which r changes by less than a twentieth: the poles of 1/r^2 then lie 4.5 half lengths away.
  const double end = r + dt * (v + 0.5 * a * dt), turning_time = a != 0 ? -v / a : -1;
  const bool turns = turning_time > 0 && turning_time < dt;
  const double turning_point = turns ? r + 0.5 * v * turning_time : r;
  const double smallest = std::min({r, end, turning_point}), largest = std::max({r, end, turning_point});
  if (!(smallest > 0)) throw DomainError(fmt::format("the radius {} of the Kepler problem is not positive", smallest));
  const double half = 0.5 * dt;
  if (largest - smallest > 0.05 * smallest)
    return angle_along_parabola(r, v, a, half, angular_momentum) +
           angle_along_parabola(r + half * (v + 0.5 * a * half), v + a * half, a, half, angular_momentum);
  constexpr double nodes[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  constexpr double weights[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    for (const double sign : {-1., 1.})
    {
      const double t = half * (1 + sign * nodes[i]);
      const double radius = r + t * (v + 0.5 * a * t);
      sum += weights[i] / (radius * radius);
    }
  return angular_momentum * half * sum;
}
}  // namespace freefall
