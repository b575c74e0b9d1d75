#include <freefall/core/errors.h>
#include <freefall/potentials/mappable_terms.h>
#include <freefall/systems/particles/jacobi_reduction.h>

#include <fmt/format.h>
#include <cmath>
#include <utility>

namespace freefall
{
namespace
{
using PointsOfRows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// q as one row a particle.
PointsOfRows rows(const Eigen::VectorXd &q, int dimension) { return {q.data(), q.size() / dimension, dimension}; }
}  // namespace

JacobiReduction::JacobiReduction(std::unique_ptr<ParticleSystem> particles) : particles_(std::move(particles))
{
  if (particles_->n_particles() < 2) throw InputError("Jacobi coordinates need two particles or more");
  if (particles_->constraints()) throw InputError("Jacobi coordinates of a system with constraints are not available");
  if (!particles_->fixed_dofs().empty())
    throw InputError(fmt::format("Jacobi coordinates are for free particles, but {} is fixed",
                                 particles_->dof_name(particles_->fixed_dofs()[0])));
  check_invariance();
  const int dimension = particles_->dimension();
  map_ = particles_from_jacobi();
  for (const Particle &particle : particles_->particles()) total_mass_ += particle.mass;
  const State &whole = particles_->initial_state();
  centre_.setZero(dimension);
  centre_velocity_.setZero(dimension);
  diagonal_mass_.resize(dimension * (particles_->n_particles() - 1));
  double mass_so_far = 0;
  for (int i = 0; i < particles_->n_particles(); ++i)
  {
    const double mass = particles_->particles()[i].mass;
    centre_ += mass / total_mass_ * whole.q.segment(dimension * i, dimension);
    centre_velocity_ += mass / total_mass_ * whole.v.segment(dimension * i, dimension);
    if (i > 0) diagonal_mass_.segment(dimension * (i - 1), dimension).setConstant(mass * mass_so_far / (mass_so_far + mass));
    mass_so_far += mass;
  }
  for (const auto &family : particles_->terms())
    for (auto &mapped : dynamic_cast<const MappableTerms &>(*family).mapped(map_, dimension))
      terms_.push_back(std::move(mapped));
  initial_state_ = reduce(whole);
}

void JacobiReduction::check_invariance() const
{
  const int dimension = particles_->dimension();
  const Eigen::VectorXd &q = particles_->initial_state().q;
  for (const auto &family : particles_->terms())
  {
    bool is_invariant = dynamic_cast<const MappableTerms *>(family.get()) != nullptr;
    std::vector<double> x(family->dofs_per_term()), gradient(x.size());
    for (int term = 0; is_invariant && term < family->n_terms(); ++term)
    {
      const auto dofs = family->dofs(term);
      for (std::size_t a = 0; a < x.size(); ++a) x[a] = q[dofs[a]];
      family->gradient(term, x.data(), gradient.data());
      Eigen::VectorXd force = Eigen::VectorXd::Zero(dimension);
      double size = 0;
      for (std::size_t a = 0; a < x.size(); ++a)
      {
        force[dofs[a] % dimension] += gradient[a];
        size += std::abs(gradient[a]);
      }
      // Rounding of a few terms. One point alone is never invariant, even where its force happens to vanish.
      is_invariant = force.norm() <= 1e-12 * size && static_cast<int>(x.size()) > dimension;
    }
    if (!is_invariant)
      throw InputError(
        fmt::format("Jacobi coordinates need potentials that do not change when all particles are moved together; "
                    "the {} does",
                    family->kind()));
  }
}

Eigen::MatrixXd JacobiReduction::particles_from_jacobi() const
{
  const int n = particles_->n_particles();
  std::vector<long double> sums(n + 1, 0.0L);
  for (int i = 0; i < n; ++i) sums[i + 1] = sums[i] + particles_->particles()[i].mass;
  // (40): q_j depends on the vector that reaches it and on all later ones, by which the centre moves away from it.
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(n, n - 1);
  for (int j = 0; j < n; ++j)
  {
    if (j > 0) map(j, j - 1) = static_cast<double>(sums[j] / sums[j + 1]);
    for (int i = j + 1; i < n; ++i) map(j, i - 1) = -static_cast<double>((sums[i + 1] - sums[i]) / sums[i + 1]);
  }
  return map;
}

State JacobiReduction::reduce(const State &whole) const
{
  const int dimension = particles_->dimension();
  State reduced;
  reduced.time = whole.time;
  reduced.q.resize(n_dofs());
  reduced.v.resize(n_dofs());
  Eigen::VectorXd moment = Eigen::VectorXd::Zero(dimension), momentum = moment;
  double mass = 0;
  for (int i = 0; i < particles_->n_particles(); ++i)
  {
    const auto q = whole.q.segment(dimension * i, dimension), v = whole.v.segment(dimension * i, dimension);
    if (i > 0)
    {
      reduced.q.segment(dimension * (i - 1), dimension) = q - moment / mass;
      reduced.v.segment(dimension * (i - 1), dimension) = v - momentum / mass;
    }
    const double own = particles_->particles()[i].mass;
    moment += own * q;
    momentum += own * v;
    mass += own;
  }
  return reduced;
}

State JacobiReduction::reconstruct(const State &reduced) const
{
  const int dimension = particles_->dimension();
  const double elapsed = reduced.time - particles_->initial_state().time;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> q = map_ * rows(reduced.q, dimension);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> v = map_ * rows(reduced.v, dimension);
  q.rowwise() += (centre_ + elapsed * centre_velocity_).transpose();
  v.rowwise() += centre_velocity_.transpose();
  State whole;
  whole.time = reduced.time;
  whole.q = Eigen::Map<const Eigen::VectorXd>(q.data(), q.size());
  whole.v = Eigen::Map<const Eigen::VectorXd>(v.data(), v.size());
  return whole;
}

EnergyBalance JacobiReduction::energy_balance(const State &state) const
{
  EnergyBalance balance = System::energy_balance(state);
  balance.kinetic += 0.5 * total_mass_ * centre_velocity_.squaredNorm();
  return balance;
}

std::string JacobiReduction::dof_name(int dof) const
{
  const int dimension = particles_->dimension();
  return fmt::format("Jacobi vector to {} {}", particles_->particles()[dof / dimension + 1].name, "xyz"[dof % dimension]);
}
}  // namespace freefall
