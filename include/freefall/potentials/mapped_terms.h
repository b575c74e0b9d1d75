#pragma once

#include <freefall/core/dual.h>
#include <freefall/core/increment.h>
#include <freefall/potentials/local_terms.h>

#include <array>
#include <string>
#include <vector>

namespace freefall
{
/// Terms of n dofs each (see SmoothTerms) over other dofs: V_e(y) = inner_e(A_e y), A_e with n rows.
///
/// Derivatives by the chain rule; differences by increments of all n dofs at once, which are as exact as the inner terms.
template <typename Inner, int n>
class MappedTerms final : public LocalTerms
{
public:
  struct Term
  {
    int inner_term;
    std::vector<int> dofs;
    Eigen::Matrix<double, n, Eigen::Dynamic> map;  ///< A_e: one column for each of `dofs`
  };
  MappedTerms(const Inner &inner, std::vector<Term> terms) : inner_(inner), terms_(std::move(terms)) {}

  std::string kind() const override { return inner_.kind(); }
  EnergyAccount account() const override { return inner_.account(); }
  int n_terms() const override { return static_cast<int>(terms_.size()); }
  int dofs_per_term() const override { return terms_.empty() ? n : static_cast<int>(terms_[0].dofs.size()); }
  Span<const int> dofs(int term) const override { return terms_[term].dofs; }

  double value(int term, const double *y) const override
  {
    return inner_.value(terms_[term].inner_term, image(term, y).data());
  }
  void gradient(int term, const double *y, double *gradient) const override
  {
    Vector inner;
    inner_.gradient(terms_[term].inner_term, image(term, y).data(), inner.data());
    pull_back(term, inner, gradient);
  }
  void hessian(int term, const double *y, double *hessian) const override
  {
    Eigen::Matrix<double, n, n> inner;
    inner_.hessian(terms_[term].inner_term, image(term, y).data(), inner.data());
    const auto &map = terms_[term].map;
    Eigen::Map<Eigen::MatrixXd>(hessian, map.cols(), map.cols()) = map.transpose() * inner * map;
  }
  void third_derivative(int term, const double *y, const double *direction, double *contraction) const override
  {
    Vector inner;
    inner_.third_derivative(terms_[term].inner_term, image(term, y).data(), image(term, direction).data(), inner.data());
    pull_back(term, inner, contraction);
  }
  double difference(int term, const double *y, int a, double s) const override
  {
    const Vector x = image(term, y);
    std::array<Increment<double>, n> moved;
    Vector end;
    for (int i = 0; i < n; ++i)
    {
      moved[i] = Increment<double>(x[i], terms_[term].map(i, a) * s);
      end[i] = moved[i].end();
    }
    inner_.check(terms_[term].inner_term, x.data());
    inner_.check(terms_[term].inner_term, end.data());
    return inner_.evaluate(terms_[term].inner_term, moved.data()).d;
  }
  double mixed_difference(int term, const double *y, int a, double s, int b, double r) const override
  {
    const Vector x = image(term, y);
    std::array<Increment<Increment<double>>, n> moved;
    for (int i = 0; i < n; ++i)
      moved[i] = Increment<Increment<double>>({x[i], terms_[term].map(i, a) * s}, {terms_[term].map(i, b) * r, 0.});
    Vector corner;
    for (int c = 0; c < 4; ++c)
    {
      for (int i = 0; i < n; ++i) corner[i] = x[i] + (c % 2 ? moved[i].x.d : 0.) + (c / 2 ? moved[i].d.x : 0.);
      inner_.check(terms_[term].inner_term, corner.data());
    }
    return inner_.evaluate(terms_[term].inner_term, moved.data()).d.d;
  }

private:
  using Vector = Eigen::Matrix<double, n, 1>;

  Vector image(int term, const double *y) const
  {
    const auto &map = terms_[term].map;
    return map * Eigen::Map<const Eigen::VectorXd>(y, map.cols());
  }
  void pull_back(int term, const Vector &inner, double *result) const
  {
    const auto &map = terms_[term].map;
    Eigen::Map<Eigen::VectorXd>(result, map.cols()) = map.transpose() * inner;
  }

  Inner inner_;
  std::vector<Term> terms_;
};
}  // namespace freefall
