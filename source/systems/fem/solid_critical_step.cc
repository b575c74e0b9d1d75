#include <freefall/core/ranks.h>
#include <freefall/systems/fem/element_data.h>
#include <freefall/systems/fem/solid_system.h>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace freefall
{
namespace
{
std::string format_point(const Eigen::Vector3d &x) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", x[0], x[1], x[2]); }

template <typename Matrix>
double largest_eigenvalue(const Matrix &matrix)
{
  return Eigen::SelfAdjointEigenSolver<Matrix>(matrix, Eigen::EigenvaluesOnly).eigenvalues()[matrix.rows() - 1];
}
}  // namespace

double SolidSystem::element_frequency(const Family &family, int e, const double *x) const
{
  const auto &[elements, density] = family;
  const int n = mesh_.nodes_per_cell(), cell = elements->element_name(e);
  if (!consistent_mass_ && lumped_volumes_.empty())
  {
    Eigen::Matrix<double, 12, 12> stiffness;
    elements->hessian(e, x, stiffness.data());
    return largest_eigenvalue(stiffness) / (density * elements->volume(e) / 4);
  }
  Eigen::MatrixXd stiffness(3 * n, 3 * n);
  elements->hessian(e, x, stiffness.data());
  if (consistent_mass_)
  {
    const Eigen::MatrixXd of_nodes = density * element_mass(mesh_, cell);
    Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(3 * n, 3 * n);
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b) mass.block<3, 3>(3 * a, 3 * b).diagonal().setConstant(of_nodes(a, b));
    return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness, mass, Eigen::EigenvaluesOnly)
      .eigenvalues()[3 * n - 1];
  }
  const Eigen::Map<const Eigen::VectorXd> volumes(lumped_volumes_.data() + static_cast<std::size_t>(n) * cell, n);
  const Eigen::VectorXd scale = (density * volumes).cwiseSqrt().cwiseInverse().transpose().replicate(3, 1).reshaped();
  return largest_eigenvalue(Eigen::MatrixXd(scale.asDiagonal() * stiffness * scale.asDiagonal()));
}

SolidSystem::Frequencies SolidSystem::highest_frequencies(const Eigen::VectorXd &q) const
{
  Frequencies highest;
  for_each_element(q,
                   [&](const Family &family, int e, const double *x, int cell)
                   {
                     const double frequency = element_frequency(family, e, x);
                     if (frequency <= highest.element) return;
                     highest.element = frequency;
                     highest.stiffest_element = cell;
                   });
  Eigen::VectorXd contact = Eigen::VectorXd::Zero(mesh_.n_nodes());
  for (const auto &obstacle : contacts_at(initial_state_.time))
    for (int term = 0; term < obstacle.terms->n_terms(); ++term)
    {
      const int node = obstacle.terms->node(term);
      contact[node] += obstacle.terms->largest_stiffness() / (mass_bound_ * diagonal_mass_[3 * node]);
    }
  if (mesh_.n_nodes() > 0) highest.contact = contact.maxCoeff(&highest.stiffest_node);
  return highest;
}

SolidSystem::Frequencies SolidSystem::undeformed_frequencies() const
{
  if (!undeformed_frequencies_) undeformed_frequencies_ = highest_frequencies(initial_state_.q);
  return *undeformed_frequencies_;
}

NamedValues SolidSystem::summary() const
{
  if (contacts_at(initial_state_.time).empty()) return {};
  const Frequencies highest = undeformed_frequencies();
  const double element = ranks::maximum(highest.element), contact = ranks::maximum(highest.contact);
  double lowest = std::numeric_limits<double>::infinity();
  for (const double height : contact_surface_.heights) lowest = std::min(lowest, height);
  NamedValues values{{"critical_time_step", 2 / std::sqrt(element + contact)},
                     {"critical_time_step_without_contact", 2 / std::sqrt(element)},
                     {"lowest_element_in_contact", ranks::minimum(lowest)}};
  for (const auto &plane : settings_.planes)
    values.push_back({fmt::format("stiffness_of_plane_{}", plane.name), plane.stiffness});
  for (const auto &[plane, motion] : settings_.conditions.moving_planes)
    values.push_back({fmt::format("stiffness_of_plane_{}", plane.name), plane.stiffness});
  for (const auto &[round, motion] : settings_.conditions.rounds)
    values.push_back({fmt::format("stiffness_of_round_{}", round.name), round.stiffness});
  return values;
}

CriticalStep SolidSystem::critical_step(const Eigen::VectorXd &q) const
{
  const Frequencies highest = q == initial_state_.q ? undeformed_frequencies() : highest_frequencies(q);
  const double element = ranks::maximum(highest.element), contact = ranks::maximum(highest.contact);
  const bool contact_limits = contact > element;
  const bool is_here = contact_limits ? contact == highest.contact : element == highest.element;
  std::string limited_by;
  if (is_here && contact_limits)
  {
    const int node = highest.stiffest_node;
    limited_by = fmt::format(
      "contact node {} at {}, mass {:.4g} kg against a penalty stiffness of {:.4g} N/m; without "
      "contact it would be {:.4g} s",
      node_number(node), format_point(mesh_.nodes.col(node)), diagonal_mass_[3 * node],
      contact * mass_bound_ * diagonal_mass_[3 * node], 2 / std::sqrt(element));
  }
  else if (is_here)
    limited_by = fmt::format("element {} at {}", element_number(highest.stiffest_element),
                             format_point(mesh_.cell_centre(highest.stiffest_element)));
  const int speaker = static_cast<int>(ranks::minimum(is_here ? ranks::rank() : ranks::size()));
  return {2 / std::sqrt(element + contact), ranks::broadcast(limited_by, speaker)};
}
}  // namespace freefall
