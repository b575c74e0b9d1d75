#pragma once

#include <freefall/potentials/local_terms.h>

namespace freefall
{
/// Terms that know a discrete gradient DV(x0, x1) with the symmetries of their energy.
///
/// Guarantees: DV . (x1 - x0) = V(x1) - V(x0);  DV(x, x) = grad V(x);  DV(x0, x1) = DV(x1, x0); and it gives no net force and
/// no net torque about the midpoints (x0 + x1)/2 where V is invariant under translations and rotations (Gonzalez 1996).
class TermsWithDiscreteGradient
{
public:
  virtual ~TermsWithDiscreteGradient() = default;
  virtual void discrete_gradient(int term, const double *x0, const double *x1, double *gradient) const = 0;
};

/// V_e(x1) - V_e(x0), summed along a path that moves one dof at a time: no large energies are subtracted.
double difference_between(const LocalTerms &terms, int term, const double *x0, const double *x1);

/// The discrete gradient of any term: its own if it has one, else Gonzalez's midpoint formula
/// grad V(xm) + (V(x1) - V(x0) - grad V(xm) . d) d / |d|^2, xm = (x0 + x1)/2, d = x1 - x0, which keeps energy only.
void discrete_gradient(const LocalTerms &terms, int term, const double *x0, const double *x1, double *gradient);
}  // namespace freefall
