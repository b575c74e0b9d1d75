#include <freefall/constraints/constraint_set.h>
#include <freefall/constraints/distance_constraint.h>
#include <freefall/constraints/product_constraint.h>
#include <freefall/core/errors.h>
#include <freefall/potentials/constant_forces.h>
#include <freefall/potentials/orthogonality_penalty.h>
#include <freefall/systems/rigid_body/rigid_body.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <cmath>

namespace freefall
{
Eigen::Matrix3d hat(const Eigen::Vector3d &w)
{
  Eigen::Matrix3d matrix;
  matrix << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return matrix;
}

Eigen::Vector3d vee(const Eigen::Matrix3d &matrix)
{
  return 0.5 * Eigen::Vector3d(matrix(2, 1) - matrix(1, 2), matrix(0, 2) - matrix(2, 0), matrix(1, 0) - matrix(0, 1));
}

RigidBody::RigidBody(const Settings &settings) : settings_(settings)
{
  const Eigen::Vector3d &J = settings.inertia;
  if (!J.allFinite() || !(J.minCoeff() > 0)) throw InputError("the principal moments of inertia must be positive numbers");
  const Eigen::Vector3d moments = second_moments();
  if (!(moments.minCoeff() > 0))
    throw InputError(fmt::format("the principal moments of inertia are {:.6g}, {:.6g}, {:.6g}: each must be less than the sum of the "
                                 "other two, as those of any body with some thickness are",
                                 J[0], J[1], J[2]));
  if (!settings.rotation.allFinite() || !settings.angular_velocity.allFinite() || !std::isfinite(settings.strength))
    throw InputError("rotation, angular velocity and strength must be finite");
  if (!(settings.penalty >= 0)) throw InputError(fmt::format("the penalty is {}: it must not be negative", settings.penalty));

  diagonal_mass_.resize(9);
  for (int j = 0; j < 3; ++j) diagonal_mass_.segment<3>(3 * j).setConstant(moments[j]);
  initial_state_.q.resize(9);
  initial_state_.v.resize(9);
  set_state(settings.rotation, settings.angular_velocity, initial_state_);

  const Eigen::Matrix3d slope = settings.strength * settings.field * settings.dipole.transpose();
  terms_.push_back(std::make_unique<ConstantForces>(-Eigen::Map<const Eigen::VectorXd>(slope.data(), 9), EnergyAccount::internal));
  if (settings.penalty > 0)
    terms_.push_back(std::make_unique<OrthogonalityPenalty>(settings.penalty));
  else
    add_constraints();
}

Eigen::Vector3d RigidBody::second_moments() const
{
  return Eigen::Vector3d::Constant(settings_.inertia.sum() / 2) - settings_.inertia;
}

void RigidBody::add_constraints()
{
  auto set = std::make_shared<ConstraintSet>();
  const auto column = [](int j) { return std::vector<int>{3 * j, 3 * j + 1, 3 * j + 2}; };
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j)
    {
      if (i == j)
      {
        set->add(std::make_unique<DistanceConstraint>(DistanceConstraint::from_point(
          fmt::format("length of column {}", i + 1), column(i), {0, 0, 0}, 1, DistanceConstraint::Form::half_square)));
        continue;
      }
      std::vector<int> dofs = column(i);
      for (const int dof : column(j)) dofs.push_back(dof);
      set->add(std::make_unique<ProductConstraint>(fmt::format("product of the columns {} and {}", j + 1, i + 1), dofs));
    }
  constraints_ = set;
}

Eigen::Matrix3d RigidBody::rotation(const State &state) { return Eigen::Map<const Eigen::Matrix3d>(state.q.data()); }

Eigen::Vector3d RigidBody::angular_velocity(const State &state)
{
  return vee(rotation(state).transpose() * Eigen::Map<const Eigen::Matrix3d>(state.v.data()));
}

void RigidBody::set_state(const Eigen::Matrix3d &rotation, const Eigen::Vector3d &angular_velocity, State &state)
{
  Eigen::Map<Eigen::Matrix3d>(state.q.data()) = rotation;
  Eigen::Map<Eigen::Matrix3d>(state.v.data()).noalias() = rotation * hat(angular_velocity);
}

Eigen::Vector3d RigidBody::torque(const Eigen::VectorXd &q, Eigen::VectorXd &gradient) const
{
  this->gradient(q, gradient);
  // dV along R hat(eta) is tr (R^T dV/dR)^T hat(eta) = 2 vee(R^T dV/dR) . eta.
  const Eigen::Map<const Eigen::Matrix3d> R(q.data()), slope(gradient.data());
  return -2 * vee(R.transpose() * slope);
}

Eigen::Vector3d RigidBody::angular_momentum(const State &state) const
{
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int j = 0; j < 3; ++j)
    sum += diagonal_mass_[3 * j] * state.q.segment<3>(3 * j).cross(state.v.segment<3>(3 * j));
  return sum;
}

NamedValues RigidBody::observe(const State &state) const
{
  NamedValues values;
  const Eigen::Vector3d momentum = angular_momentum(state), velocity = angular_velocity(state);
  const Eigen::Matrix3d R = rotation(state);
  for (int axis = 0; axis < 3; ++axis)
    values.push_back({fmt::format("angular_momentum_{}", "xyz"[axis]), momentum[axis]});
  for (int axis = 0; axis < 3; ++axis) values.push_back({fmt::format("body_angular_velocity_{}", axis + 1), velocity[axis]});
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) values.push_back({fmt::format("r_{}{}", i + 1, j + 1), R(i, j)});
  values.push_back({"orthogonality_error", (R.transpose() * R - Eigen::Matrix3d::Identity()).norm()});
  values.push_back({"dipole_along_field", settings_.field.dot(R * settings_.dipole)});
  return values;
}

Snapshot RigidBody::snapshot(const State &state, SnapshotGeometry geometry) const
{
  constexpr int n = 4;  // cells along an edge
  Snapshot snapshot;
  snapshot.time = state.time;
  const Eigen::Matrix3d R = rotation(state), rate = Eigen::Map<const Eigen::Matrix3d>(state.v.data());
  // A homogeneous box of edges a has the second moments m a^2 / 12.
  const Eigen::Vector3d edges = (second_moments() / second_moments().maxCoeff()).cwiseSqrt();
  const auto number = [](int i, int j, int k) { return static_cast<std::int64_t>((k * (n + 1) + j) * (n + 1) + i); };
  const int n_corners = (n + 1) * (n + 1) * (n + 1);
  Eigen::Matrix3Xd body(3, n_corners + 2);
  for (int k = 0; k <= n; ++k)
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i)
        body.col(number(i, j, k)) = edges.cwiseProduct(Eigen::Vector3d(i, j, k) / n - Eigen::Vector3d::Constant(0.5));
  body.col(n_corners).setZero();
  body.col(n_corners + 1) = settings_.dipole;
  snapshot.points = geometry == SnapshotGeometry::deformed ? (R * body).eval() : body;

  const auto end_cell = [&](std::uint8_t type)
  {
    snapshot.offsets.push_back(static_cast<std::int64_t>(snapshot.connectivity.size()));
    snapshot.cell_types.push_back(type);
  };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
      {
        snapshot.connectivity.insert(snapshot.connectivity.end(),
                                     {number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k),
                                      number(i, j, k + 1), number(i + 1, j, k + 1), number(i + 1, j + 1, k + 1),
                                      number(i, j + 1, k + 1)});
        end_cell(12);
      }
  snapshot.connectivity.insert(snapshot.connectivity.end(), {n_corners, n_corners + 1});
  end_cell(3);

  const auto add_field = [&](const std::string &name, const Eigen::Matrix3Xd &values)
  { snapshot.point_fields.push_back({name, 3, std::vector<double>(values.data(), values.data() + values.size())}); };
  add_field("displacement", R * body - body);
  add_field("velocity", rate * body);
  add_field("dipole", (R * settings_.dipole).replicate(1, body.cols()));
  add_field("field", settings_.field.replicate(1, body.cols()));
  SnapshotField part{"part", 1, std::vector<double>(snapshot.cell_types.size(), 0)};
  part.values.back() = 1;
  snapshot.cell_fields = {part};
  return snapshot;
}

std::string RigidBody::dof_name(int dof) const { return fmt::format("entry {}{} of the rotation", dof % 3 + 1, dof / 3 + 1); }
}  // namespace freefall
