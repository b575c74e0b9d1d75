#include <freefall/systems/fem/material_parameters.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
namespace
{
const std::string neo_hookean = "neo-Hookean";
const std::string saint_venant_kirchhoff = "Saint Venant-Kirchhoff";
const std::string linear_elastic = "linear elastic";
const std::string mooney_rivlin = "Mooney-Rivlin";
const std::string ogden = "Ogden";

bool differs_from_default(const ParameterSection &section, const std::string &key)
{
  const auto &all = section.parameters();
  return std::any_of(all.begin(), all.end(),
                     [&](const Parameter &parameter)
                     { return parameter.key == key && parameter.value != parameter.default_value; });
}

/// Keys that would be ignored are mistakes.
void check_other_keys(const ParameterSection &section, const std::vector<std::string> &own_keys)
{
  for (const auto &parameter : section.parameters())
    if (parameter.key != "Model" && parameter.key != "Density" && differs_from_default(section, parameter.key) &&
        std::find(own_keys.begin(), own_keys.end(), parameter.key) == own_keys.end())
      throw section.error(parameter.key,
                          fmt::format("does not apply to the model {}, which takes {}. Remove it, or choose another Model.",
                                      section.text("Model"), fmt::join(own_keys, ", ")));
}

/// The number of a key whose default is the word none.
double needed_number(const ParameterSection &section, const std::string &key)
{
  const auto value = section.number_unless_word(key);
  if (!value) throw section.error(key, fmt::format("the model {} needs a number here.", section.text("Model")));
  return *value;
}

LameConstants parse_lame_constants(const ParameterSection &section)
{
  check_other_keys(section, {"Lame lambda", "Lame mu", "Young modulus", "Poisson ratio"});
  LameConstants lame{section.number("Lame lambda"), section.number("Lame mu")};
  const bool by_young = !section.is_word("Young modulus", "none"), by_poisson = !section.is_word("Poisson ratio", "none");
  if (by_young != by_poisson)
    throw section.error(by_young ? "Poisson ratio" : "Young modulus",
                        "Young modulus and Poisson ratio are given together or not "
                        "at all.");
  if (by_young)
  {
    for (const char *key : {"Lame lambda", "Lame mu"})
      if (differs_from_default(section, key))
        throw section.error(key,
                            "the elastic constants are given twice. Remove Lame lambda and Lame mu, or Young modulus and "
                            "Poisson ratio.");
    lame = LameConstants::from_young(section.number("Young modulus"), section.number("Poisson ratio"));
  }
  const bool is_neo_hookean = section.text("Model") == neo_hookean;
  if (is_neo_hookean && lame.lambda < 0)
    throw section.error(by_young ? "Poisson ratio" : "Lame lambda",
                        fmt::format("gives lambda = {:.6g} Pa; the neo-Hookean energy needs lambda >= 0, otherwise it falls "
                                    "without bound as a volume vanishes. Choose Saint Venant-Kirchhoff.",
                                    lame.lambda));
  if (!(lame.bulk_modulus() > 0))
    throw section.error("Lame lambda", fmt::format("gives the bulk modulus lambda + 2/3 mu = {:.6g} Pa; it must be positive.",
                                                   lame.bulk_modulus()));
  return lame;
}

MooneyRivlin parse_mooney_rivlin(const ParameterSection &section)
{
  check_other_keys(section, {"Mooney C10", "Mooney C01", "Bulk modulus"});
  const MooneyRivlin material{needed_number(section, "Mooney C10"), section.number("Mooney C01"),
                              needed_number(section, "Bulk modulus")};
  if (!(material.c10 + material.c01 > 0))
    throw section.error("Mooney C10", fmt::format("C10 + C01 = {:.6g} Pa; this half of the shear modulus must be positive.",
                                                  material.c10 + material.c01));
  return material;
}

Ogden parse_ogden(const ParameterSection &section)
{
  check_other_keys(section, {"Ogden mu", "Ogden alpha", "Bulk modulus"});
  const auto mu = section.numbers("Ogden mu"), alpha = section.numbers("Ogden alpha");
  if (mu.empty())
    throw section.error("Ogden mu", "the model Ogden needs at least one term, such as Ogden mu = 0.6e6 and Ogden alpha = 1.3.");
  if (mu.size() != alpha.size())
    throw section.error("Ogden alpha",
                        fmt::format("must have as many values as Ogden mu, {}; there are {}.", mu.size(), alpha.size()));
  Ogden material{{}, needed_number(section, "Bulk modulus")};
  double twice_mu = 0;
  for (std::size_t p = 0; p < mu.size(); ++p)
  {
    if (alpha[p] == 0) throw section.error("Ogden alpha", "must not be zero: the energy divides by it.");
    material.terms.push_back({mu[p], alpha[p]});
    twice_mu += mu[p] * alpha[p];
  }
  if (!(twice_mu > 0))
    throw section.error("Ogden mu", fmt::format("the sum of mu alpha is {:.6g} Pa; it is twice the shear modulus and must be "
                                                "positive.",
                                                twice_mu));
  return material;
}
}  // namespace

std::vector<std::string> material_models()
{
  return {neo_hookean, saint_venant_kirchhoff, linear_elastic, mooney_rivlin, ogden};
}

void declare_material_parameters(ParameterSection &section)
{
  section.declare(
    "Model", neo_hookean, Pattern::choice(material_models()),
    "neo-Hookean: W = lambda/2 (ln J)^2 - mu ln J + mu/2 (tr F^T F - 3), GSO (74). Saint Venant-Kirchhoff: "
    "W = lambda/2 (tr E)^2 + mu E:E with Green's strain E, for large rotations and moderate strains. linear elastic: the same "
    "in "
    "the small strain sym(F - I), for small rotations. Mooney-Rivlin: W = C10 (J^(-2/3) I1 - 3) + C01 (J^(-4/3) I2 - 3) + "
    "K/2 (ln J)^2. Ogden: W = sum_p mu_p/alpha_p (J^(-alpha_p/3) sum_i l_i^alpha_p - 3) + K/2 (ln J)^2 with the principal "
    "stretches l_i.");
  section.declare("Density", "2700", Pattern::number("kg/m3", Bounds::positive()), "Mass per reference volume, rho.");
  const std::string lame_models = "neo-Hookean, Saint Venant-Kirchhoff, linear elastic: ";
  section.declare("Lame lambda", "60.5e9", Pattern::number("Pa"),
                  lame_models + "Lame's first constant, lambda; at least 0 for neo-Hookean, above -2/3 mu for the others.");
  section.declare("Lame mu", "26e9", Pattern::number("Pa", Bounds::positive()), lame_models + "shear modulus, mu.");
  section.declare("Young modulus", "none", Pattern::number("Pa", Bounds::positive()).or_word("none"),
                  lame_models + "Young's modulus E, with Poisson ratio in place of Lame's constants.");
  section.declare("Poisson ratio", "none", Pattern::number("", Bounds::open(-1, 0.5)).or_word("none"),
                  lame_models + "Poisson's ratio nu; at least 0 for neo-Hookean.");
  section.declare("Mooney C10", "none", Pattern::number("Pa").or_word("none"),
                  "Mooney-Rivlin: C10; the shear modulus is 2 (C10 + C01) and must be positive.");
  section.declare("Mooney C01", "0", Pattern::number("Pa"), "Mooney-Rivlin: C01.");
  section.declare("Ogden mu", "", Pattern::numbers("Pa"),
                  "Ogden: mu_p of every term; the shear modulus is half the sum of mu_p alpha_p and must be positive.");
  section.declare("Ogden alpha", "", Pattern::numbers("", Bounds::closed(-Ogden::max_exponent, Ogden::max_exponent)),
                  "Ogden: exponent alpha_p of every term, not 0.");
  section.declare("Bulk modulus", "none", Pattern::number("Pa", Bounds::positive()).or_word("none"),
                  "Mooney-Rivlin, Ogden: bulk modulus K.");
}

MaterialSettings parse_material_parameters(const ParameterSection &section)
{
  const std::string model = section.text("Model");
  const double density = section.number("Density");
  if (model == mooney_rivlin) return {parse_mooney_rivlin(section), density};
  if (model == ogden) return {parse_ogden(section), density};
  const LameConstants lame = parse_lame_constants(section);
  if (model == saint_venant_kirchhoff) return {SaintVenantKirchhoff{lame.lambda, lame.mu}, density};
  if (model == linear_elastic) return {LinearElastic{lame.lambda, lame.mu}, density};
  return {NeoHookean{lame.lambda, lame.mu}, density};
}
}  // namespace freefall
