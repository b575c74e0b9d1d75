#pragma once

#include <freefall/systems/system.h>

namespace freefall
{
/// The radius alone of a particle that a fixed centre attracts: l(r, r') = 1/2 r'^2 - V'(r), V'(r) = -k/r + Theta^2 / (2 r^2)
/// (GSO 67), with the angular momentum Theta = r^2 theta' as a constant.
///
/// One dof, mass 1. Any integrator keeps angular momentum exactly, by construction.
/// Observes radius, radial velocity and angular momentum. The angle follows from (68); see angle_along_parabola.
class RadialKepler : public System
{
public:
  /// r0 > 0 and k > 0, else InputError.
  RadialKepler(double strength, double radius, double radial_velocity, double angular_momentum);

  double angular_momentum() const { return angular_momentum_; }
  NamedValues observe(const State &state) const override;
  std::string dof_name(int) const override { return "radius"; }

private:
  double angular_momentum_;
};

/// The angle swept during dt on r(t) = r + v t + a t^2 / 2 > 0: the integral of Theta / r^2 (68), to rounding. A force-stepping
/// trajectory is made of such parabolas. Throws DomainError when r reaches 0.
double angle_along_parabola(double r, double v, double a, double dt, double angular_momentum);
}  // namespace freefall
