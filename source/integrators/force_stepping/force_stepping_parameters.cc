#include <freefall/integrators/force_stepping/force_stepping_parameters.h>

namespace freefall
{
void declare_force_stepping_parameters(ParameterSection &section)
{
  section.declare(
    "Engine", "local", Pattern::choice({"local", "kinetic", "sherman-morrison"}),
    "Three ways to the same trajectory. local: visits only crossings that change a force; for everyday use. kinetic: "
    "visits every simplex crossing; for the statistics of time steps. sherman-morrison: GSO Algorithms 1 and 2 as "
    "printed, O(d^2) a crossing; the reference, for small systems.");
  section.declare(
    "Grid", "Kuhn", Pattern::choice({"Kuhn", "mirrored Kuhn", "union-jack"}),
    "How cells of configuration space are cut into simplices. Kuhn is invariant under q -> -q; mirrored Kuhn (at the "
    "coordinate planes) and union-jack also under a change of sign of one coordinate.");
  section.declare(
    "Spacing", "5e-4", Pattern::numbers("unit of the coordinates (m for a solid)", Bounds::positive()),
    "Grid size h: one number for all, one for each component of a point (3 for a solid), or one for each degree of "
    "freedom.");
  section.declare("Shift", "random", Pattern::choice({"random", "none"}),
                  "random: each coordinate's grid is shifted by a random part of a cell, so that data on a lattice do not make "
                  "all crossings simultaneous. none: vertices at multiples of the spacing.");
  section.declare("Norms", "false", Pattern::boolean(),
                  "Whether history.csv has position_norm, velocity_norm and acceleration_norm, |q| = sqrt(q^T M q) and so on, for "
                  "the convergence of GSO (72).");
  section.declare("Seed", "1", Pattern::integer(0), "Of the random shift: the same seed gives the same run.");
}

ForceSteppingSettings parse_force_stepping_parameters(const ParameterSection &section)
{
  using force_stepping::GridKind;
  ForceSteppingSettings settings;
  const std::string engine = section.text("Engine"), grid = section.text("Grid");
  settings.engine = engine == "local"     ? ForceSteppingEngine::local
                    : engine == "kinetic" ? ForceSteppingEngine::kinetic
                                          : ForceSteppingEngine::sherman_morrison;
  settings.grid = grid == "Kuhn" ? GridKind::kuhn : grid == "mirrored Kuhn" ? GridKind::mirrored_kuhn : GridKind::union_jack;
  settings.spacing = section.numbers("Spacing");
  if (settings.spacing.empty()) throw section.error("Spacing", "must be at least one positive number.");
  settings.shift = section.text("Shift") == "none" ? GridShift::none : GridShift::random;
  settings.seed = static_cast<std::uint64_t>(section.integer("Seed"));
  settings.norms = section.boolean("Norms");
  return settings;
}
}  // namespace freefall
