#include <freefall/core/errors.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/rigid_body/rigid_body.h>

#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace freefall;

namespace
{
RigidBody::Settings top()
{
  RigidBody::Settings settings;
  settings.inertia = {1, 1.6, 2.1};
  settings.rotation = Eigen::AngleAxisd(0.8, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  settings.angular_velocity = {0.3, -1.2, 0.7};
  settings.strength = 1.7;
  settings.field = Eigen::Vector3d(0, 1, 2).normalized();
  settings.dipole = Eigen::Vector3d(1, 0, 1).normalized();
  return settings;
}

double value_of(const NamedValues &values, const std::string &name)
{
  for (const auto &value : values)
    if (value.name == name) return value.value;
  BOOST_FAIL("no " << name);
  return 0;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(rigid_body)

BOOST_AUTO_TEST_CASE(energies_and_momentum_are_those_of_textbooks)
{
  const auto settings = top();
  for (const double penalty : {0., 10.})
  {
    auto with = settings;
    with.penalty = penalty;
    const RigidBody body(with);
    const State &state = body.initial_state();
    const EnergyBalance energy = body.energy_balance(state);
    const Eigen::Vector3d O = settings.angular_velocity, JO = settings.inertia.cwiseProduct(O);
    const Eigen::Matrix3d R = settings.rotation;
    // Rounding of tens of operations.
    BOOST_TEST(energy.kinetic == 0.5 * O.dot(JO), boost::test_tools::tolerance(1e-14));
    BOOST_TEST(energy.internal == settings.strength * settings.field.dot(R * settings.dipole), boost::test_tools::tolerance(1e-14));
    BOOST_TEST((body.angular_momentum(state) - R * JO).norm() < 1e-14);
    BOOST_TEST((RigidBody::angular_velocity(state) - O).norm() < 1e-15);
    // T = -R^T (d x f) strength as a torque in the body: that of space is strength f x d', d' = R d.
    Eigen::VectorXd gradient;
    const Eigen::Vector3d d = R * settings.dipole, expected = R.transpose() * (-settings.strength * d.cross(settings.field));
    BOOST_TEST((body.torque(state.q, gradient) - expected).norm() < 1e-14 * std::max(1., penalty * penalty));
    BOOST_TEST((body.constraints() != nullptr) == (penalty == 0));
  }
}

BOOST_AUTO_TEST_CASE(a_rotation_meets_the_six_constraints)
{
  const RigidBody body(top());
  BOOST_TEST(body.constraints()->size() == 6);
  const auto residuals = constraint_residuals(body, body.initial_state());
  BOOST_TEST(residuals.position < 1e-15);
  BOOST_TEST(residuals.velocity < 1e-15);
  const NamedValues values = body.observe(body.initial_state());
  BOOST_TEST(value_of(values, "orthogonality_error") < 1e-15);
  BOOST_TEST(value_of(values, "r_23") == top().rotation(1, 2));
  BOOST_TEST(value_of(values, "dipole_along_field") == top().field.dot(top().rotation * top().dipole));
}

BOOST_AUTO_TEST_CASE(a_snapshot_shows_a_turned_box_with_the_moments_of_the_body)
{
  const RigidBody body(top());
  const Snapshot snapshot = body.snapshot(body.initial_state(), SnapshotGeometry::deformed);
  BOOST_TEST(snapshot.cell_types.size() == 65u);
  BOOST_TEST(snapshot.cell_types.back() == 3);
  BOOST_TEST(snapshot.points.cols() == 127);
  // Back in the axes of the body, the edges go with the roots of the second moments (J1 + J2 + J3)/2 - J_j.
  const Eigen::Matrix3Xd points = top().rotation.transpose() * snapshot.points.leftCols(125);
  const Eigen::Vector3d edges = points.rowwise().maxCoeff() - points.rowwise().minCoeff();
  const Eigen::Vector3d J = top().inertia, moments = Eigen::Vector3d::Constant(J.sum() / 2) - J;
  BOOST_TEST((edges - (moments / moments.maxCoeff()).cwiseSqrt()).norm() < 1e-14);
  // The end of the dipole.
  BOOST_TEST((snapshot.points.col(126) - top().rotation * top().dipole).norm() < 1e-15);
}

BOOST_AUTO_TEST_CASE(bodies_that_cannot_be_are_refused)
{
  auto settings = top();
  settings.inertia = {1, 1, 2};
  BOOST_CHECK_EXCEPTION(RigidBody{settings}, InputError,
                        [](const InputError &error)
                        { return std::string(error.what()).find("less than the sum of the other two") != std::string::npos; });
  settings = top();
  settings.inertia[1] = -1;
  BOOST_CHECK_THROW(RigidBody{settings}, InputError);
  settings = top();
  settings.penalty = -1;
  BOOST_CHECK_THROW(RigidBody{settings}, InputError);
}

BOOST_AUTO_TEST_SUITE_END()
