#include <freefall/integrators/explicit_newmark.h>
#include <freefall/integrators/force_stepping/force_stepping_parameters.h>
#include <freefall/simulation/constrained_table.h>
#include <freefall/simulation/implicit_table.h>
#include <freefall/simulation/tables.h>
#include <freefall/simulation/time_stepping_table.h>
#include <freefall/systems/fem/mesh_parameters.h>
#include <freefall/systems/fem/solid_parameters.h>
#include <freefall/systems/particles/particle_parameters.h>
#include <freefall/systems/rigid_body/rigid_body_parameters.h>

#include <cctype>

namespace freefall
{
const std::vector<ProblemRow> &problem_table()
{
  static const std::vector<ProblemRow> rows{
    {"solid", "elastic bodies on tetrahedra or hexahedra in contact with rigid planes", declare_solid_parameters, make_solid},
    {"particles", "point masses in 1, 2 or 3 dimensions with pair forces, bonds, angles and fields",
     declare_particle_parameters, parse_particle_parameters},
    {"radial Kepler", "the radius alone of a body attracted by a fixed centre", declare_radial_kepler_parameters,
     parse_radial_kepler_parameters},
    {"rigid body", "a body that turns about its centre, with a dipole in a uniform field: a motion on SO(3)",
     declare_rigid_body_parameters, parse_rigid_body_parameters}};
  return rows;
}

const std::vector<IntegratorRow> &integrator_table()
{
  static const std::vector<IntegratorRow> rows = []
  {
    std::vector<IntegratorRow> table{
      {"explicit Newmark", "velocity Verlet with a watch on the critical step; second order, symplectic, keeps momenta",
       ExplicitNewmark::declare_parameters,
       [](const ParameterSection &section)
       { return std::make_unique<ExplicitNewmark>(ExplicitNewmark::parse_parameters(section)); }},
      {"force-stepping", "exact motion in the piecewise-linear interpolant of the potential; energy to rounding, symplectic",
       declare_force_stepping_parameters, [](const ParameterSection &section) {
         return std::make_unique<ForceStepping>(parse_force_stepping_parameters(section));
       }}};
    for (auto &row : implicit_rows()) table.push_back(std::move(row));
    for (auto &row : time_stepping_rows()) table.push_back(std::move(row));
    for (auto &row : constrained_rows()) table.push_back(std::move(row));
    return table;
  }();
  return rows;
}

std::string IntegratorRow::title() const
{
  std::string result = name;
  result[0] = static_cast<char>(std::toupper(result[0]));
  return result;
}

std::vector<Listing> all_listings()
{
  Listing problems{"Problems", {}}, integrators{"Integrators", {}}, meshes{"Meshes", {}}, materials{"Materials", {}};
  for (const auto &row : problem_table()) problems.entries.emplace_back(row.name, row.description);
  for (const auto &row : integrator_table()) integrators.entries.emplace_back(row.name, row.description);
  for (const auto &name : mesh_type_names()) meshes.entries.emplace_back(name, "see: freefall parameters Mesh");
  for (const auto &name : material_models()) materials.entries.emplace_back(name, "see: freefall parameters Material");
  const Listing surfaces{"Contact surfaces", {{"plane", "rigid half space; see: freefall parameters Plane"},
                           {"sphere", "rigid, bodies outside or inside; see: freefall parameters Sphere"},
                           {"cylinder", "rigid, bodies outside or inside; see: freefall parameters Cylinder"}}};
  const Listing constraints{"Constraints",
                            {{"distance", "of two particles: a rod; see: freefall parameters Constraints"},
                             {"anchor", "a fixed distance from a fixed point: a pendulum"},
                             {"chain", "distances of neighbours in a row of particles"},
                             {"fixed point", "a particle held at a point"},
                             {"fixed coordinate", "one coordinate held at a value"},
                             {"surface", "particles on a surface given by a formula"}}};
  return {problems, integrators, meshes, materials, surfaces, constraints};
}
}  // namespace freefall
