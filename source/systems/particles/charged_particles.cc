#include <freefall/systems/particles/charged_particles.h>

#include <utility>

namespace freefall
{
ChargedParticles::ChargedParticles(const System &system, VectorPotential potential, std::vector<double> charges)
  : system_(system), potential_(std::move(potential)), charges_(std::move(charges))
{
}

double ChargedParticles::value(const Eigen::VectorXd &q, const Eigen::VectorXd &p) const
{
  Derivatives here;
  derivatives(q, p, here);
  return 0.5 * here.p.dot(system_.diagonal_mass().cwiseProduct(here.p)) + system_.potential_energy(q);
}

void ChargedParticles::derivatives(const Eigen::VectorXd &q, const Eigen::VectorXd &p, Derivatives &result) const
{
  const int dim = potential_.dimension();
  const Eigen::Index n = q.size();
  Eigen::VectorXd inverse_mass = system_.diagonal_mass().cwiseInverse(), a(dim);
  for (const int dof : system_.fixed_dofs()) inverse_mass[dof] = 0;
  Eigen::MatrixXd slope(dim, dim);
  system_.gradient(q, result.q);
  result.p.resize(n);
  std::vector<Eigen::Triplet<double>> mixed, diagonal;
  for (std::size_t i = 0; i < charges_.size(); ++i)
  {
    const Eigen::Index first = dim * static_cast<Eigen::Index>(i);
    potential_.evaluate(q.data() + first, a, slope);
    const auto w = inverse_mass.segment(first, dim);
    result.p.segment(first, dim) = w.cwiseProduct(p.segment(first, dim) - charges_[i] * a);
    const Eigen::VectorXd velocity = result.p.segment(first, dim);
    for (int row = 0; row < dim; ++row)
    {
      diagonal.emplace_back(first + row, first + row, w[row]);
      if (w[row] > 0) result.q[first + row] -= charges_[i] * slope.col(row).dot(velocity);
      for (int column = 0; column < dim; ++column)
        mixed.emplace_back(first + row, first + column, w[row] > 0 ? -charges_[i] * slope(column, row) * w[column] : 0);
    }
  }
  result.qp.resize(n, n);
  result.qp.setFromTriplets(mixed.begin(), mixed.end());
  result.pp.resize(n, n);
  result.pp.setFromTriplets(diagonal.begin(), diagonal.end());
}

void ChargedParticles::momentum(const Eigen::VectorXd &q, const Eigen::VectorXd &v, Eigen::VectorXd &p) const
{
  const int dim = potential_.dimension();
  Eigen::VectorXd a(dim);
  Eigen::MatrixXd slope(dim, dim);
  p = system_.diagonal_mass().cwiseProduct(v);
  for (std::size_t i = 0; i < charges_.size(); ++i)
  {
    const Eigen::Index first = dim * static_cast<Eigen::Index>(i);
    potential_.evaluate(q.data() + first, a, slope);
    p.segment(first, dim) += charges_[i] * a;
  }
}
}  // namespace freefall
