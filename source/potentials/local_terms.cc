#include <freefall/potentials/local_terms.h>

#include <array>
#include <stdexcept>

namespace freefall
{
namespace
{
/// Room for the values of one term on the stack: 27-node hexahedra have 81 dofs.
constexpr int max_dofs_per_term = 96;
using TermValues = std::array<double, max_dofs_per_term>;

void gather(const LocalTerms &terms, int term, const Eigen::VectorXd &q, TermValues &x)
{
  const auto dofs = terms.dofs(term);
  if (dofs.size() > x.size()) throw std::logic_error("a local term has more dofs than LocalTerms has room for");
  for (std::size_t a = 0; a < dofs.size(); ++a) x[a] = q[dofs[a]];
}
}  // namespace

double LocalTerms::sum_of_differences(int count, const int *terms, const double *x, const int *a, double s) const
{
  const int n = dofs_per_term();
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += difference(terms[i], x + i * n, a[i], s);
  return sum;
}

double LocalTerms::sum_of_mixed_differences(int count,
                                            const int *terms,
                                            const double *x,
                                            const int *a,
                                            double s,
                                            const int *b,
                                            double r) const
{
  const int n = dofs_per_term();
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += mixed_difference(terms[i], x + i * n, a[i], s, b[i], r);
  return sum;
}

double LocalTerms::energy(const Eigen::VectorXd &q) const
{
  TermValues x;
  double sum = 0;
  for (int term = 0; term < n_terms(); ++term)
  {
    gather(*this, term, q, x);
    sum += value(term, x.data());
  }
  return sum;
}

void LocalTerms::add_gradient(const Eigen::VectorXd &q, Eigen::VectorXd &global) const
{
  TermValues x, local;
  for (int term = 0; term < n_terms(); ++term)
  {
    gather(*this, term, q, x);
    gradient(term, x.data(), local.data());
    const auto dofs = this->dofs(term);
    for (std::size_t a = 0; a < dofs.size(); ++a) global[dofs[a]] += local[a];
  }
}

void LocalTerms::hessians(int first, int count, const Eigen::VectorXd &q, double *hessians) const
{
  TermValues x;
  for (int term = first; term < first + count; ++term, hessians += dofs_per_term() * dofs_per_term())
  {
    gather(*this, term, q, x);
    hessian(term, x.data(), hessians);
  }
}

void LocalTerms::add_third_derivative(const Eigen::VectorXd &q,
                                      const Eigen::VectorXd &direction,
                                      Eigen::VectorXd &contraction) const
{
  TermValues x, a, local;
  for (int term = 0; term < n_terms(); ++term)
  {
    gather(*this, term, q, x);
    gather(*this, term, direction, a);
    third_derivative(term, x.data(), a.data(), local.data());
    const auto dofs = this->dofs(term);
    for (std::size_t i = 0; i < dofs.size(); ++i) contraction[dofs[i]] += local[i];
  }
}
}  // namespace freefall
