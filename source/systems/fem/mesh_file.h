#pragma once

#include "body_mesh.h"

#include <string>

namespace freefall
{
/// Reads a mesh with the format that its name says: Gmsh (.msh), Abaqus (.inp), VTK (.vtk, .vtu).
///
/// Every mistake is an InputError that names the file and, where there is one, line, element or node: a file that cannot be
/// read, is not of its format or is empty; no volume elements; mixed or unsupported ones; nodes that no element uses or that
/// lie in the same place; faces that belong to nothing or to two boundaries; pieces that do not hang together; inverted
/// elements. Points and lines, and the nodes that only they have, are left out.
BodyMesh read_mesh_file(const std::string &path);
}  // namespace freefall
