#include <freefall/core/text.h>
#include <freefall/systems/particles/water_cluster.h>
#include <freefall/systems/particles/water_parameters.h>

#include <numeric>

namespace freefall
{
void declare_water_parameters(ParameterSection &particles)
{
  auto &water = particles.section("Water",
                                  "A relaxed cluster of TIP3P water molecules with its forces and its rigid geometry, in place of other "
                                  "particles. Units: kcal/mol, Angstrom, atomic mass unit, so that the unit of time is 48.888 fs. "
                                  "Constraints/Penalty makes the geometry stiff terms (TO 4.4).");
  water.declare("Molecules", "0", Pattern::integer(0, 20000), "How many; 0: no water.");
  water.declare("Seed", "1", Pattern::integer(0), "Of the initial guess, which decides the minimum that is found, and of velocities.");
  water.declare("Temperature", "0", Pattern::number("K", Bounds::non_negative()),
                "Of the velocities at the start, those of rigid molecules; the centre of mass rests.");
  water.declare("Force tolerance", "1e-6", Pattern::number("kcal/mol/Angstrom", Bounds::positive()),
                "Largest force and torque on a relaxed molecule.");
  water.declare("Maximum relaxation steps", "5000", Pattern::integer(1), "Evaluations of the forces until the cluster is at rest.");
}

void declare_radial_distribution_parameters(ParameterSection &particles)
{
  auto &section = particles.section("Radial distribution",
                                    "Counts the distances of all pairs of some particles each time the energy is looked at "
                                    "(Checks/Check interval): radial_distribution.csv.");
  section.declare("Particles", "auto", Pattern::text(),
                  "Names separated by commas, all, or none. auto: the oxygens of Water, else none.");
  section.declare("Range", "10", Pattern::number("", Bounds::positive()), "Longest distance that is counted.");
  section.declare("Bins", "100", Pattern::integer(1, 1000000), "Into which the range is divided.");
  section.declare("Begin", "0", Pattern::number("s", Bounds::non_negative()), "Time from which on states count.");
}

bool has_water(const ParameterSection &root) { return root.section("Particles").section("Water").integer("Molecules") > 0; }

std::vector<Particle> parse_water_parameters(const ParameterSection &particles)
{
  const auto &section = particles.section("Water");
  if (particles.integer("Dimension") != 3) throw particles.error("Dimension", "must be 3 for Water.");
  if (!particles.text("File").empty() || !particles.list("Particle").empty() || !particles.list("Row").empty())
    throw section.error("Molecules", "makes all particles of the problem: remove the others (File, Particle, Row), or set it to 0.");
  water::Settings settings;
  settings.n_molecules = section.integer("Molecules");
  settings.seed = static_cast<std::uint64_t>(section.integer("Seed"));
  settings.temperature = section.number("Temperature");
  settings.force_tolerance = section.number("Force tolerance");
  settings.max_relaxation_steps = section.integer("Maximum relaxation steps");
  try
  {
    return water::make_cluster(settings);
  }
  catch (const InputError &error)
  {
    throw section.error("", error.what());
  }
}

void parse_radial_distribution_parameters(const ParameterSection &particles, ParticleSystem &system)
{
  const auto &section = particles.section("Radial distribution");
  RadialDistributionSettings settings;
  settings.range = section.number("Range");
  settings.n_bins = section.integer("Bins");
  settings.begin = section.number("Begin");
  const std::string who = section.text("Particles");
  if (who == "none") return;
  if (who == "all")
  {
    settings.particles.resize(system.n_particles());
    std::iota(settings.particles.begin(), settings.particles.end(), 0);
  }
  else if (who != "auto")
    for (const std::string &name : split(who, ','))
      try
      {
        settings.particles.push_back(system.index_of(name));
      }
      catch (const InputError &error)
      {
        throw section.error("Particles", error.what());
      }
  else if (particles.section("Water").integer("Molecules") > 0)
    settings.particles = water::oxygens(system);
  if (who == "auto" && settings.particles.size() < 2) return;
  if (settings.particles.size() < 2) throw section.error("Particles", "must be two particles or more, or none.");
  system.count_distances(settings);
}
}  // namespace freefall
