#pragma once

#include <freefall/core/dual.h>
#include <freefall/core/increment.h>
#include <freefall/potentials/local_terms.h>
#include <freefall/potentials/mappable_terms.h>
#include <freefall/potentials/mapped_terms.h>

#include <array>
#include <map>
#include <memory>
#include <vector>

namespace freefall
{
/// Terms of n dofs from one formula: Derived has `template <typename T> T evaluate(int term, const T *x) const`.
///
/// Derivatives come from nested duals, differences from increments (see there), so that all of them are exact. A family whose
/// derivatives must be fast (radial pairs) has its own.
/// Derived also has check(term, x), which throws DomainError outside the domain.
template <typename Derived, int n>
class SmoothTerms : public LocalTerms, public MappableTerms
{
public:
  int dofs_per_term() const override { return n; }

  double value(int term, const double *x) const override
  {
    derived().check(term, x);
    return derived().evaluate(term, x);
  }

  void gradient(int term, const double *x, double *gradient) const override
  {
    derived().check(term, x);
    std::array<Dual<double, n>, n> y;
    for (int a = 0; a < n; ++a)
    {
      y[a] = x[a];
      y[a].d[a] = 1;
    }
    const Dual<double, n> energy = derived().evaluate(term, y.data());
    for (int a = 0; a < n; ++a) gradient[a] = energy.d[a];
  }

  void hessian(int term, const double *x, double *hessian) const override
  {
    derived().check(term, x);
    std::array<Dual<Dual<double, n>, n>, n> y;
    for (int a = 0; a < n; ++a)
    {
      y[a] = x[a];
      y[a].x.d[a] = 1;
      y[a].d[a].x = 1;
    }
    const auto energy = derived().evaluate(term, y.data());
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) hessian[a * n + b] = energy.d[a].d[b];
  }

  void third_derivative(int term, const double *x, const double *direction, double *contraction) const override
  {
    derived().check(term, x);
    std::array<Dual<Dual<Dual<double, 1>, 1>, n>, n> y;
    for (int a = 0; a < n; ++a)
    {
      y[a] = x[a];
      y[a].x.x.d[0] = direction[a];
      y[a].x.d[0].x = direction[a];
      y[a].d[a].x.x = 1;
    }
    const auto energy = derived().evaluate(term, y.data());
    for (int a = 0; a < n; ++a) contraction[a] = energy.d[a].d[0].d[0];
  }

  double difference(int term, const double *x, int a, double s) const override
  {
    std::array<Increment<double>, n> y;
    std::array<double, n> end;
    for (int c = 0; c < n; ++c)
    {
      y[c] = Increment<double>(x[c], c == a ? s : 0.);
      end[c] = y[c].end();
    }
    derived().check(term, x);
    derived().check(term, end.data());
    return derived().evaluate(term, y.data()).d;
  }

  double mixed_difference(int term, const double *x, int a, double s, int b, double r) const override
  {
    std::array<Increment<Increment<double>>, n> y;
    std::array<double, n> end;
    for (int corner = 0; corner < 4; ++corner)
    {
      for (int c = 0; c < n; ++c) end[c] = x[c] + (c == a && corner % 2 ? s : 0.) + (c == b && corner / 2 ? r : 0.);
      derived().check(term, end.data());
    }
    for (int c = 0; c < n; ++c) y[c] = Increment<Increment<double>>({x[c], c == a ? s : 0.}, {c == b ? r : 0., 0.});
    return derived().evaluate(term, y.data()).d.d;
  }

  std::vector<std::unique_ptr<LocalTerms>> mapped(const Eigen::MatrixXd &points_from_new, int dim) const override
  {
    std::map<std::size_t, std::vector<typename MappedTerms<Derived, n>::Term>> by_size;
    for (int term = 0; term < n_terms(); ++term)
    {
      const auto old_dofs = dofs(term);
      const int origin = old_dofs[0] / dim;
      typename MappedTerms<Derived, n>::Term result{term, {}, Eigen::Matrix<double, n, Eigen::Dynamic>(n, 0)};
      for (int k = 0; k < points_from_new.cols(); ++k)
        for (int axis = 0; axis < dim; ++axis)
        {
          Eigen::Matrix<double, n, 1> column;
          for (int a = 0; a < n; ++a)
            column[a] = old_dofs[a] % dim == axis ? relative_row(points_from_new, old_dofs[a] / dim, origin)[k] : 0.;
          if (column.isZero(0)) continue;
          result.dofs.push_back(dim * k + axis);
          result.map.conservativeResize(n, result.map.cols() + 1);
          result.map.col(result.map.cols() - 1) = column;
        }
      by_size[result.dofs.size()].push_back(result);
    }
    std::vector<std::unique_ptr<LocalTerms>> families;
    for (auto &[size, terms] : by_size) families.push_back(std::make_unique<MappedTerms<Derived, n>>(derived(), terms));
    return families;
  }

private:
  const Derived &derived() const { return static_cast<const Derived &>(*this); }
};
}  // namespace freefall
