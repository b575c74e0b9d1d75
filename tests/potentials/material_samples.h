#pragma once

#include <freefall/potentials/linear_elastic.h>
#include <freefall/potentials/mooney_rivlin.h>
#include <freefall/potentials/neo_hookean.h>
#include <freefall/potentials/ogden.h>
#include <freefall/potentials/saint_venant_kirchhoff.h>

#include <tuple>
#include <type_traits>

/// One solid of each model, with moduli of a few Pa so that numbers are of size one.
namespace material_samples
{
using All = std::
  tuple<freefall::NeoHookean, freefall::SaintVenantKirchhoff, freefall::LinearElastic, freefall::MooneyRivlin, freefall::Ogden>;

template <typename Material>
Material sample()
{
  if constexpr (std::is_same_v<Material, freefall::MooneyRivlin>)
    return {0.8, 0.5, 4};
  else if constexpr (std::is_same_v<Material, freefall::Ogden>)
    return {{{1.2, 1.3}, {0.05, 5}, {-0.3, -2}}, 4};
  else
    return {2.3, 2.6};
}
}  // namespace material_samples
