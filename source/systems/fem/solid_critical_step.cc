#include <freefall/systems/fem/element_data.h>
#include <freefall/systems/fem/solid_system.h>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

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
  for (const auto *family : contacts_)
    for (int term = 0; term < family->n_terms(); ++term)
      contact[family->node(term)] += family->plane().stiffness * family->plane().normal.squaredNorm() /
                                     (mass_bound_ * diagonal_mass_[3 * family->node(term)]);
  highest.contact = contact.maxCoeff(&highest.stiffest_node);
  return highest;
}

SolidSystem::Frequencies SolidSystem::undeformed_frequencies() const
{
  if (!undeformed_frequencies_) undeformed_frequencies_ = highest_frequencies(initial_state_.q);
  return *undeformed_frequencies_;
}

NamedValues SolidSystem::summary() const
{
  if (contacts_.empty()) return {};
  const Frequencies highest = undeformed_frequencies();
  const auto &heights = contact_surface_.heights;
  NamedValues values{{"critical_time_step", 2 / std::sqrt(highest.element + highest.contact)},
                     {"critical_time_step_without_contact", 2 / std::sqrt(highest.element)},
                     {"lowest_element_in_contact", *std::min_element(heights.begin(), heights.end())}};
  for (const auto &plane : settings_.planes)
    values.push_back({fmt::format("stiffness_of_plane_{}", plane.name), plane.stiffness});
  return values;
}

CriticalStep SolidSystem::critical_step(const Eigen::VectorXd &q) const
{
  const Frequencies highest = q == initial_state_.q ? undeformed_frequencies() : highest_frequencies(q);
  CriticalStep critical;
  critical.time_step = 2 / std::sqrt(highest.element + highest.contact);
  const int node = highest.stiffest_node, element = highest.stiffest_element;
  if (highest.contact > highest.element)
    critical.limited_by = fmt::format(
      "contact node {} at {}, mass {:.4g} kg against a penalty stiffness of {:.4g} N/m; without "
      "contact it would be {:.4g} s",
      node, format_point(mesh_.nodes.col(node)), diagonal_mass_[3 * node],
      highest.contact * mass_bound_ * diagonal_mass_[3 * node], 2 / std::sqrt(highest.element));
  else
    critical.limited_by = fmt::format("element {} at {}", element, format_point(mesh_.cell_centre(element)));
  return critical;
}
}  // namespace freefall
