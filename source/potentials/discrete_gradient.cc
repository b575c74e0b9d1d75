#include <freefall/potentials/discrete_gradient.h>

#include <vector>

namespace freefall
{
double difference_between(const LocalTerms &terms, int term, const double *x0, const double *x1)
{
  const int n = terms.dofs_per_term();
  std::vector<double> x(x0, x0 + n);
  double sum = 0;
  for (int a = 0; a < n; ++a)
  {
    sum += terms.difference(term, x.data(), a, x1[a] - x0[a]);
    x[a] = x1[a];
  }
  return sum;
}

void discrete_gradient(const LocalTerms &terms, int term, const double *x0, const double *x1, double *gradient)
{
  if (const auto *own = dynamic_cast<const TermsWithDiscreteGradient *>(&terms))
    return own->discrete_gradient(term, x0, x1, gradient);
  const int n = terms.dofs_per_term();
  std::vector<double> middle(n);
  for (int a = 0; a < n; ++a) middle[a] = 0.5 * (x0[a] + x1[a]);
  terms.gradient(term, middle.data(), gradient);
  double excess = difference_between(terms, term, x0, x1), length_squared = 0;
  for (int a = 0; a < n; ++a)
  {
    const double d = x1[a] - x0[a];
    excess -= gradient[a] * d;
    length_squared += d * d;
  }
  if (length_squared == 0) return;
  for (int a = 0; a < n; ++a) gradient[a] += excess / length_squared * (x1[a] - x0[a]);
}
}  // namespace freefall
