#pragma once

#include "body_mesh.h"

#include <freefall/systems/fem/mesh_settings.h>

namespace freefall
{
/// The mesh of a box, cylinder or ball, before its placement.
BodyMesh mesh_shape(const MeshSettings &settings);
}  // namespace freefall
