#include <freefall/core/errors.h>
#include <freefall/potentials/lame_constants.h>

#include "material_samples.h"

#include <Eigen/Geometry>
#include <boost/test/unit_test.hpp>
#include <random>

using namespace freefall;
using Eigen::Matrix3d;
using material_samples::sample;

namespace
{
Matrix3d random_matrix(unsigned seed)
{
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> entry(-1, 1);
  Matrix3d A;
  for (int k = 0; k < 9; ++k) A.data()[k] = entry(random);
  return A;
}

const Matrix3d identity = Matrix3d::Identity();
const Matrix3d rotation = Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();

/// Deformations with distinct, two coincident, three coincident and nearly coincident stretches, det F > 0.
std::vector<Matrix3d> deformations()
{
  std::vector<Matrix3d> all;
  for (unsigned seed = 1; seed <= 4; ++seed) all.push_back(identity + 0.3 * random_matrix(seed));
  all.push_back(identity);
  all.push_back(1.2 * rotation);
  all.push_back(rotation * Eigen::Vector3d(1.3, 1.3, 0.7).asDiagonal());
  all.push_back(rotation * Eigen::Vector3d(0.6, 1.4, 1.4).asDiagonal() * rotation);
  all.push_back(identity + 1e-6 * random_matrix(7));
  all.push_back(1.1 * identity + 1e-3 * random_matrix(8));
  all.push_back(rotation * Eigen::Vector3d(0.3, 1, 2.5).asDiagonal());
  for (const auto &F : all) BOOST_TEST_REQUIRE(F.determinant() > 0);
  return all;
}

double inner(const Matrix3d &A, const Matrix3d &B) { return A.cwiseProduct(B).sum(); }

/// Fourth-order central difference of f along e.
template <typename Function>
auto derivative(const Function &f)
{
  const double e = 3e-4;
  return ((8 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12 * e));
}
/// Truncation e^4 / 30 = 3e-16 of a fifth derivative, which at the stretch 0.3 is up to 5! / 0.3^5 = 5e4 times the function
/// with |A| up to 2 to the fifth power: 5e-10. Rounding 1e-16 / e = 3e-13 is less.
constexpr double tolerance = 1e-9;
}  // namespace

BOOST_AUTO_TEST_SUITE(materials)

BOOST_AUTO_TEST_CASE_TEMPLATE(stress_is_the_derivative_of_the_energy, Material, material_samples::All)
{
  const auto material = sample<Material>();
  for (const auto &F : deformations())
    for (unsigned seed = 20; seed < 23; ++seed)
    {
      const Matrix3d A = random_matrix(seed);
      const double expected = derivative([&](double e) { return material.energy(Matrix3d(F + e * A)); });
      BOOST_TEST(std::abs(inner(material.stress(F), A) - expected) < tolerance * (1 + std::abs(expected)));
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(stress_derivatives_agree_with_differences, Material, material_samples::All)
{
  const auto material = sample<Material>();
  double largest_second = 0;
  for (const auto &F : deformations())
    for (unsigned seed = 30; seed < 33; ++seed)
    {
      const Matrix3d A = random_matrix(seed);
      const Matrix3d first = material.stress_derivative(F, A), second = material.second_stress_derivative(F, A);
      const Matrix3d expected_first = derivative([&](double e) { return Matrix3d(material.stress(Matrix3d(F + e * A))); });
      const Matrix3d expected_second =
        derivative([&](double e) { return Matrix3d(material.stress_derivative(Matrix3d(F + e * A), A)); });
      BOOST_TEST_REQUIRE(first.norm() > 0.1);
      // Relative to the size of the derivative: for the stretch 0.3 it reaches a thousand times the moduli.
      BOOST_TEST((first - expected_first).norm() < tolerance * (1 + expected_first.norm()));
      BOOST_TEST((second - expected_second).norm() < 10 * tolerance * (1 + expected_second.norm()));
      largest_second = std::max(largest_second, second.norm());
    }
  if (std::is_same_v<Material, LinearElastic>)
    BOOST_TEST(largest_second == 0);
  else
    BOOST_TEST(largest_second > 1);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(undeformed_solid_has_no_energy_and_no_stress, Material, material_samples::All)
{
  const auto material = sample<Material>();
  // A few roundings of moduli of size one.
  BOOST_TEST(std::abs(material.energy(identity)) < 1e-14);
  BOOST_TEST(material.stress(identity).norm() < 1e-14);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(linearisation_is_isotropic_elasticity_with_the_lame_constants, Material, material_samples::All)
{
  const auto material = sample<Material>();
  const LameConstants lame = material.linearised();
  BOOST_TEST_REQUIRE(lame.mu > 0);
  for (unsigned seed = 40; seed < 44; ++seed)
  {
    const Matrix3d A = random_matrix(seed), e = (A + A.transpose()) / 2;
    const Matrix3d expected = lame.lambda * e.trace() * identity + 2 * lame.mu * e;
    BOOST_TEST((material.stress_derivative(identity, A) - expected).norm() < 1e-13 * expected.norm());  // a few roundings
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(energy_is_frame_indifferent_and_isotropic_unless_linear, Material, material_samples::All)
{
  const auto material = sample<Material>();
  for (const auto &F : deformations())
  {
    const double energy = material.energy(F);
    // Energies of size ten from a few dozen operations.
    const double rounding = 1e-13 * (1 + energy);
    BOOST_TEST(std::abs(material.energy(Matrix3d(rotation * F * rotation.transpose())) - energy) < rounding);
    if (!std::is_same_v<Material, LinearElastic>)
    {
      BOOST_TEST(std::abs(material.energy(Matrix3d(rotation * F)) - energy) < rounding);
      BOOST_TEST(std::abs(material.energy(Matrix3d(F * rotation)) - energy) < rounding);
      BOOST_TEST((material.stress(Matrix3d(rotation * F)) - rotation * material.stress(F)).norm() < 10 * rounding);
    }
  }
}

BOOST_AUTO_TEST_CASE(linear_elasticity_is_not_frame_indifferent)
{
  const auto material = sample<LinearElastic>();
  // sym(R) - I = (cos 1.1 - 1) times a projection on a plane: (cos 1.1 - 1)^2 (2 lambda + 2 mu).
  const double c = std::cos(1.1) - 1;
  BOOST_TEST(material.energy(rotation) == c * c * (2 * material.lambda + 2 * material.mu), boost::test_tools::tolerance(1e-13));
  BOOST_TEST(material.energy(Matrix3d(-identity)) > 0);  // defined for det F < 0
}

BOOST_AUTO_TEST_CASE(energies_of_pure_stretches_agree_with_their_formulas)
{
  const Eigen::Vector3d l(0.7, 1.2, 1.4);
  const Matrix3d F = rotation * l.asDiagonal();
  const double J = l.prod(), L = std::log(J);
  const auto sum_of_powers = [&](double p) { return std::pow(l[0], p) + std::pow(l[1], p) + std::pow(l[2], p); };
  const auto close = boost::test_tools::tolerance(1e-14);  // a few roundings
  const auto ogden = sample<Ogden>();
  double expected = ogden.bulk / 2 * L * L;
  for (const auto &[mu, alpha] : ogden.terms) expected += mu / alpha * (std::pow(J, -alpha / 3) * sum_of_powers(alpha) - 3);
  BOOST_TEST(ogden.energy(F) == expected, close);

  const auto mooney = sample<MooneyRivlin>();
  const double I2 = J * J * sum_of_powers(-2);
  BOOST_TEST(mooney.energy(F) == mooney.c10 * (std::pow(J, -2. / 3) * sum_of_powers(2) - 3) +
                                   mooney.c01 * (std::pow(J, -4. / 3) * I2 - 3) + mooney.bulk / 2 * L * L,
             close);

  const auto kirchhoff = sample<SaintVenantKirchhoff>();
  const Eigen::Vector3d E = (l.array().square() - 1) / 2;
  BOOST_TEST(kirchhoff.energy(F) == kirchhoff.lambda / 2 * E.sum() * E.sum() + kirchhoff.mu * E.squaredNorm(), close);
}

BOOST_AUTO_TEST_CASE(ogden_with_exponents_2_and_minus_2_is_mooney_rivlin)
{
  const auto mooney = sample<MooneyRivlin>();
  const Ogden ogden{{{2 * mooney.c10, 2}, {-2 * mooney.c01, -2}}, mooney.bulk};
  for (const auto &F : deformations())
  {
    const Matrix3d A = random_matrix(50);
    const auto same = [](const Matrix3d &a, const Matrix3d &b) { return (a - b).norm() < 1e-12 * (1 + b.norm()); };
    BOOST_TEST(std::abs(ogden.energy(F) - mooney.energy(F)) < 1e-12 * (1 + mooney.energy(F)));
    BOOST_TEST(same(ogden.stress(F), mooney.stress(F)));
    BOOST_TEST(same(ogden.stress_derivative(F, A), mooney.stress_derivative(F, A)));
    // The stretch 0.3 beside 2.5: second divided differences lose up to two digits.
    BOOST_TEST((ogden.second_stress_derivative(F, A) - mooney.second_stress_derivative(F, A)).norm() <
               1e-11 * (1 + mooney.second_stress_derivative(F, A).norm()));
  }
}

BOOST_AUTO_TEST_CASE(templates_of_neo_hookean_agree_with_its_matrix_functions)
{
  const auto material = sample<NeoHookean>();
  for (const auto &F : deformations())
  {
    Deformation<double> deformation;
    for (int k = 0; k < 9; ++k) deformation.F[k] = F(k / 3, k % 3);
    deformation.update_determinant();
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> P;
    material.stress(deformation, P.data());
    BOOST_TEST((P - material.stress(F)).norm() < 1e-14 * (1 + P.norm()) * 10);  // F^-T beside cof F / J
    BOOST_TEST(std::abs(material.energy(deformation) - material.energy(F)) < 1e-14 * (1 + material.energy(F)));
  }
}

BOOST_AUTO_TEST_CASE(lame_constants_follow_from_youngs_modulus_and_poissons_ratio)
{
  const LameConstants lame = LameConstants::from_young(70e9, 0.35);
  const auto close = boost::test_tools::tolerance(1e-14);
  BOOST_TEST(lame.mu == 70e9 / 2.7, close);
  BOOST_TEST(lame.lambda == 70e9 * 0.35 / (1.35 * 0.3), close);
  BOOST_TEST(lame.young_modulus() == 70e9, close);
  BOOST_TEST(lame.poisson_ratio() == 0.35, close);
  BOOST_TEST(lame.bulk_modulus() == 70e9 / (3 * 0.3), close);
  BOOST_TEST(LameConstants::from_young(1, 0).lambda == 0);
  for (const double wrong : {-1.0, 0.5, 0.7, std::nan("")}) BOOST_CHECK_THROW(LameConstants::from_young(1, wrong), InputError);
  for (const double wrong : {0.0, -1.0, std::nan("")}) BOOST_CHECK_THROW(LameConstants::from_young(wrong, 0.3), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
