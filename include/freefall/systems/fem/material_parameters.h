#pragma once

#include <freefall/core/parameters.h>
#include <freefall/potentials/linear_elastic.h>
#include <freefall/potentials/mooney_rivlin.h>
#include <freefall/potentials/neo_hookean.h>
#include <freefall/potentials/ogden.h>
#include <freefall/potentials/saint_venant_kirchhoff.h>

#include <string>
#include <variant>
#include <vector>

namespace freefall
{
/// Any material of a solid.
using SolidMaterial = std::variant<NeoHookean, SaintVenantKirchhoff, LinearElastic, MooneyRivlin, Ogden>;

/// What the section Material of a body says.
struct MaterialSettings
{
  SolidMaterial material;
  /// Mass per reference volume, kg/m3.
  double density = 0;

  /// The constants of small strains, for wave speeds and penalties.
  LameConstants linearised() const
  {
    return std::visit([](const auto &model) { return model.linearised(); }, material);
  }
};

/// The names that Model takes, in the order of SolidMaterial.
std::vector<std::string> material_models();

/// Declares the keys of a section Material; the defaults are the aluminium of GSO 6.3.
void declare_material_parameters(ParameterSection &section);

/// Reads them. Throws InputError, naming the key, for constants out of the range of the model, given twice (Lame's and
/// Young's), missing, or given for another model. A key that has its default counts as not given, so that a run's own
/// parameters.prm, which gives every key, can be read.
MaterialSettings parse_material_parameters(const ParameterSection &section);
}  // namespace freefall
