#pragma once

#include <freefall/systems/fem/solid_mesh.h>

namespace freefall
{
/// Orders elements and nodes of a mesh for the cache: the elements of each body along a space-filling curve (Morton's) through
/// their centres, the nodes by first use.
///
/// Guarantees: the same mesh up to numbers; bodies keep their order; the result depends on positions alone where centres
/// differ, on the given order where they do not.
void order_for_cache(SolidMesh &mesh);
}  // namespace freefall
