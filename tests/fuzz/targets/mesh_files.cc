#include <freefall/core/errors.h>

#include "../../../source/systems/fem/mesh_file.h"
#include "../fuzz_target.h"
#include "../input_file.h"

using namespace freefall;

namespace
{
void read(const std::string &extension, const std::string &bytes)
{
  const fuzzing::InputFile file("mesh" + extension, bytes);
  try
  {
    const BodyMesh mesh = read_mesh_file(file.path());
    if (mesh.n_cells() <= 2000) join_bodies({with_other_degree(mesh), with_other_degree(with_other_degree(mesh))});
  }
  catch (const InputError &)
  {
  }
}
}  // namespace

namespace fuzzing
{
void run_gmsh(const std::string &bytes) { read(".msh", bytes); }
void run_abaqus(const std::string &bytes) { read(".inp", bytes); }
void run_vtk(const std::string &bytes) { read(".vtk", bytes); }
void run_vtu(const std::string &bytes) { read(".vtu", bytes); }
}  // namespace fuzzing
