#include <freefall/integrators/explicit_newmark.h>
#include <freefall/simulation/tables.h>
#include <freefall/systems/fem/solid_parameters.h>

#include <cctype>

namespace freefall
{
const std::vector<ProblemRow> &problem_table()
{
  static const std::vector<ProblemRow> rows{
    {"solid", "elastic bodies on tetrahedra in contact with rigid planes", declare_solid_parameters,
     [](const ParameterSection &root) { return std::make_unique<SolidSystem>(parse_solid_parameters(root)); }}};
  return rows;
}

const std::vector<IntegratorRow> &integrator_table()
{
  static const std::vector<IntegratorRow> rows{
    {"explicit Newmark", "velocity Verlet with a watch on the critical step; second order, symplectic, keeps momenta",
     ExplicitNewmark::declare_parameters, [](const ParameterSection &section) {
       return std::make_unique<ExplicitNewmark>(ExplicitNewmark::parse_parameters(section));
     }}};
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
  for (const auto &name : mesh_names()) meshes.entries.emplace_back(name, "see: freefall parameters Mesh");
  for (const auto &name : material_names()) materials.entries.emplace_back(name, "see: freefall parameters Material");
  const Listing surfaces{"Contact surfaces", {{"plane", "rigid half space; see: freefall parameters Plane"}}};
  return {problems, integrators, meshes, materials, surfaces};
}
}  // namespace freefall
