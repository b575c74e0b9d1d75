#include <freefall/core/csv_table.h>
#include <freefall/core/text.h>
#include <freefall/systems/particles/constraint_parameters.h>
#include <freefall/systems/particles/jacobi_reduction.h>
#include <freefall/systems/particles/particle_parameters.h>
#include <freefall/systems/particles/particle_potentials.h>
#include <freefall/systems/particles/particle_rows.h>
#include <freefall/systems/particles/radial_kepler.h>
#include <freefall/systems/particles/water_cluster.h>
#include <freefall/systems/particles/water_parameters.h>

#include <fmt/format.h>
#include <cmath>

namespace freefall
{
namespace
{
Pattern switchable(const Bounds &bounds = Bounds::any()) { return Pattern::number("", bounds).or_word("none"); }

void declare_particle(ParameterSection &particle)
{
  particle.declare("Mass", "1", Pattern::number("", Bounds::positive()), "m");
  particle.declare("Charge", "0", Pattern::number(), "q, for Coulomb forces.");
  particle.declare("Position", "", Pattern::numbers(), "At the start: as many coordinates as Dimension says.");
  particle.declare("Velocity", "", Pattern::numbers(), "At the start; nothing means at rest.");
}

void declare_bond(ParameterSection &bond)
{
  bond.declare("Particles", "", Pattern::text(), "The names of two particles, separated by a comma.");
  bond.declare("Law", "harmonic", Pattern::choice({"harmonic", "quartic", "Morse"}),
               "With stretch s = r - Rest length. harmonic: Stiffness/2 s^2. quartic: Stiffness/2 s^2 + Cubic/3 s^3 + "
               "Quartic/4 s^4. Morse: Depth (1 - exp(-Steepness s))^2.");
  bond.declare("Rest length", "0", Pattern::number("", Bounds::non_negative()), "r0");
  bond.declare("Stiffness", "1", Pattern::number("", Bounds::non_negative()), "energy / length^2");
  bond.declare("Cubic", "0", Pattern::number(), "energy / length^3");
  bond.declare("Quartic", "0", Pattern::number(), "energy / length^4");
  bond.declare("Depth", "1", Pattern::number("", Bounds::positive()), "energy");
  bond.declare("Steepness", "1", Pattern::number("", Bounds::positive()), "1 / length");
}

void declare_angle(ParameterSection &angle)
{
  angle.declare("Particles", "", Pattern::text(), "The names of three particles, the vertex in the middle.");
  angle.declare("Stiffness", "1", Pattern::number("", Bounds::non_negative()), "k of k/2 (theta - theta0)^2, energy / rad^2");
  angle.declare("Rest angle", "90", Pattern::number("degrees", Bounds::left_open(0, 180)), "theta0");
}

void declare_cutoff(ParameterSection &section, const std::string &key)
{
  section.declare(key, "none", switchable(Bounds::positive()),
                  "Distance from which on there is no force. Energy and force go to zero continuously there.");
}

void declare_potentials(ParameterSection &potentials)
{
  potentials.declare("Gravitational constant", "none", switchable(), "G of -G m_i m_j / r between all pairs.");
  potentials.declare("Coulomb constant", "none", switchable(), "k of k q_i q_j / r between all pairs of charges.");
  declare_cutoff(potentials, "Coulomb cut-off");
  potentials.declare(
    "Neighbour skin", "auto", Pattern::number("", Bounds::non_negative()).or_word("auto"),
    "Pairs with a cut-off are looked up in a list of neighbours that reaches this much farther than the "
    "cut-off and is made anew when a particle has moved by half of it. 0: no list. auto: a fifth of the cut-off "
    "from 64 particles on, else 0. Results are the same bit for bit.");
  potentials.declare("Gravity", "0, 0, 0", Pattern::vector(3), "Uniform acceleration g: V = -m g.x, booked as external work.");
  potentials.declare("Magnetic field", "0, 0, 0", Pattern::vector(3),
                     "Uniform field B: the force q v x B on charges. For constrained particles only, moved by constrained "
                     "symplectic Euler: the Hamiltonian is not separable (R 24).");
  potentials.declare("Vector potential", "none", Pattern::text(),
                     "A(x, y, z) of another magnetic field, rot A: smooth formulas separated by ; one for each dimension.");
  potentials.declare("External field", "none", Pattern::text(),
                     "V(x, y, z) of each particle, a smooth formula such as x^2*y + exp(-y), booked as external work.");
  potentials.declare("On-site", "none", Pattern::text(), "V(q) of each coordinate of a lattice, such as 1 - cos(q).");
  potentials.declare("Nearest neighbours", "none", Pattern::text(),
                     "V(d), d = q_(i+1) - q_i, of a lattice in one dimension, such as d^2/2 + d^4/4.");
  potentials.declare("Ring", "false", Pattern::boolean(), "Whether the last and the first particle are neighbours.");
  potentials.declare("Bond file", "", Pattern::text(),
                     "CSV file of harmonic bonds, columns first,second,stiffness,rest_length. Relative to the folder in which "
                     "the program is started.");
  potentials.declare("Angle file", "", Pattern::text(),
                     "CSV file of angles, columns first,vertex,second,stiffness,rest_angle (degrees).");
  auto &lennard_jones = potentials.section("Lennard-Jones", "4 epsilon ((sigma/r)^12 - (sigma/r)^6) between all pairs.");
  lennard_jones.declare("Epsilon", "none", switchable(Bounds::positive()), "Depth, energy.");
  lennard_jones.declare("Sigma", "1", Pattern::number("", Bounds::positive()), "Distance of zero energy.");
  declare_cutoff(lennard_jones, "Cut-off");
  auto &morse = potentials.section("Morse", "D (1 - exp(-a (r - r0)))^2 between all pairs.");
  morse.declare("Depth", "none", switchable(Bounds::positive()), "D, energy.");
  morse.declare("Steepness", "1", Pattern::number("", Bounds::positive()), "a, 1 / length.");
  morse.declare("Rest length", "1", Pattern::number("", Bounds::non_negative()), "r0");
  declare_cutoff(morse, "Cut-off");
  auto &central = potentials.section("Central gravity", "Attraction by a fixed body, -k m / |x - centre| (GSO 65).");
  central.declare("Strength", "none", switchable(Bounds::positive()), "k");
  central.declare("Centre", "0, 0, 0", Pattern::vector(3), "");
  potentials.declare_list("Bond", "A bond of two particles.", declare_bond);
  potentials.declare_list("Angle", "An angle of three particles.", declare_angle);
}

Eigen::Vector3d in_space(const ParameterSection &section, const std::string &key, int dimension, bool may_be_empty)
{
  const std::vector<double> values = section.numbers(key);
  Eigen::Vector3d vector = Eigen::Vector3d::Zero();
  if (values.empty() && may_be_empty) return vector;
  if (static_cast<int>(values.size()) != dimension)
    throw section.error(key, fmt::format("must be {} number{}, one for each dimension.", dimension, dimension == 1 ? "" : "s"));
  for (int axis = 0; axis < dimension; ++axis) vector[axis] = values[axis];
  return vector;
}

void read_particles(const std::string &file, std::vector<Particle> &particles)
{
  const CsvTable table(file, {"name", "mass", "charge", "x", "y", "z", "vx", "vy", "vz"}, {"name", "mass", "x"});
  for (int row = 0; row < table.n_rows(); ++row)
  {
    Particle particle{table.text(row, "name"), table.number(row, "mass"), table.number_or(row, "charge", 0)};
    if (!(particle.mass > 0))
      throw InputError(fmt::format("{}: the mass is {}: it must be positive", table.place(row), particle.mass));
    const char *positions[] = {"x", "y", "z"}, *velocities[] = {"vx", "vy", "vz"};
    for (int axis = 0; axis < 3; ++axis)
    {
      particle.position[axis] = table.number_or(row, positions[axis], 0);
      particle.velocity[axis] = table.number_or(row, velocities[axis], 0);
    }
    particles.push_back(particle);
  }
}

std::unique_ptr<ParticleSystem> make_particles(const ParameterSection &section)
{
  const int dimension = section.integer("Dimension");
  std::vector<Particle> particles;
  if (!section.text("File").empty()) read_particles(section.text("File"), particles);
  for (const ParameterSection *one : section.list("Particle"))
    particles.push_back({one->label().empty() ? "particle" : one->label(), one->number("Mass"), one->number("Charge"),
                         in_space(*one, "Position", dimension, false), in_space(*one, "Velocity", dimension, true)});
  add_rows(section, dimension, particles);
  const bool is_water = section.section("Water").integer("Molecules") > 0;
  if (is_water) particles = parse_water_parameters(section);
  if (particles.empty())
    throw section.error("", "has no particles: write a section Particle NAME for each, a section Row NAME for many, name a CSV file in "
                            "File, or ask for Water.");
  auto system = std::make_unique<ParticleSystem>(dimension, std::move(particles));
  for (const std::string &name : split(section.text("Fixed"), ','))
    for (int axis = 0; axis < dimension; ++axis) system->fix(system->index_of(name), axis);
  const auto constant = section.number_unless_word("Boltzmann constant");
  if (constant || is_water) system->set_boltzmann_constant(constant.value_or(water::boltzmann_constant));
  if (const std::vector<double> levels = section.numbers("Transition levels"); !levels.empty())
  {
    if (levels.size() != 2) throw section.error("Transition levels", "must be two numbers separated by a comma, or nothing.");
    try
    {
      system->observe_transitions({levels[0], levels[1]});
    }
    catch (const InputError &error)
    {
      throw section.error("Transition levels", error.what());
    }
  }
  return system;
}

/// The numbers of the particles named in a list; an unknown name is an error of that key.
std::vector<int> named_particles(const ParameterSection &section, const ParticleSystem &system, std::size_t count)
{
  const std::vector<std::string> names = split(section.text("Particles"), ',');
  if (names.size() != count) throw section.error("Particles", fmt::format("must be {} names separated by commas.", count));
  std::vector<int> numbers;
  try
  {
    for (const std::string &name : names) numbers.push_back(system.index_of(name));
  }
  catch (const InputError &error)
  {
    throw section.error("Particles", error.what());
  }
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (numbers[i] == numbers[j]) throw section.error("Particles", "names a particle twice.");
  return numbers;
}

void add_listed_bonds(ParticleSystem &system, const ParameterSection &potentials)
{
  std::vector<particle_potentials::Bond> harmonic, quartic, morse;
  std::vector<laws::HarmonicBond> harmonic_laws;
  std::vector<laws::QuarticBond> quartic_laws;
  std::vector<laws::Morse> morse_laws;
  for (const ParameterSection *bond : potentials.list("Bond"))
  {
    const std::vector<int> ends = named_particles(*bond, system, 2);
    const double rest_length = bond->number("Rest length");
    if (bond->text("Law") == "harmonic")
    {
      harmonic.push_back({ends[0], ends[1]});
      harmonic_laws.push_back({bond->number("Stiffness"), rest_length});
    }
    else if (bond->text("Law") == "quartic")
    {
      quartic.push_back({ends[0], ends[1]});
      quartic_laws.push_back({bond->number("Stiffness"), bond->number("Cubic"), bond->number("Quartic"), rest_length});
    }
    else
    {
      morse.push_back({ends[0], ends[1]});
      morse_laws.push_back({bond->number("Depth"), bond->number("Steepness"), rest_length});
    }
  }
  if (!potentials.text("Bond file").empty())
  {
    const std::vector<std::string> columns = {"first", "second", "stiffness", "rest_length"};
    const CsvTable table(potentials.text("Bond file"), columns, columns);
    for (int row = 0; row < table.n_rows(); ++row)
    {
      try
      {
        harmonic.push_back({system.index_of(table.text(row, "first")), system.index_of(table.text(row, "second"))});
      }
      catch (const InputError &error)
      {
        throw InputError(fmt::format("{}: {}", table.place(row), error.what()));
      }
      if (harmonic.back().first == harmonic.back().second)
        throw InputError(fmt::format("{}: the bond joins a particle with itself", table.place(row)));
      harmonic_laws.push_back({table.number(row, "stiffness"), table.number(row, "rest_length")});
    }
  }
  add_bonds(system, harmonic, harmonic_laws);
  add_bonds(system, quartic, quartic_laws);
  add_bonds(system, morse, morse_laws);
}

void add_listed_angles(ParticleSystem &system, const ParameterSection &potentials)
{
  const double degree = std::acos(-1.) / 180;
  std::vector<particle_potentials::Angle> angles;
  for (const ParameterSection *angle : potentials.list("Angle"))
  {
    const std::vector<int> points = named_particles(*angle, system, 3);
    angles.push_back({points[0], points[1], points[2], angle->number("Stiffness"), angle->number("Rest angle") * degree});
  }
  if (!potentials.text("Angle file").empty())
  {
    const std::vector<std::string> columns = {"first", "vertex", "second", "stiffness", "rest_angle"};
    const CsvTable table(potentials.text("Angle file"), columns, columns);
    for (int row = 0; row < table.n_rows(); ++row)
    {
      try
      {
        angles.push_back({system.index_of(table.text(row, "first")), system.index_of(table.text(row, "vertex")),
                          system.index_of(table.text(row, "second")), table.number(row, "stiffness"),
                          table.number(row, "rest_angle") * degree});
      }
      catch (const InputError &error)
      {
        throw InputError(fmt::format("{}: {}", table.place(row), error.what()));
      }
    }
  }
  add_angles(system, angles);
}

/// Calls add with the formula of `key` unless it is none; a mistake in it is an error of that key.
template <typename Add>
void add_formula(const ParameterSection &section, const std::string &key, const Add &add)
{
  const std::string formula = section.text(key);
  if (formula == "none") return;
  try
  {
    add(formula);
  }
  catch (const InputError &error)
  {
    throw section.error(key, error.what());
  }
}

void add_potentials(ParticleSystem &system, const ParameterSection &section)
{
  using namespace particle_potentials;
  const auto cutoff_of = [&](const ParameterSection &owner, const std::string &key) -> std::optional<Cutoff>
  {
    const auto distance = owner.number_unless_word(key);
    if (!distance) return std::nullopt;
    const double automatic = system.n_particles() >= 64 ? 0.2 * *distance : 0;
    return Cutoff(*distance, section.number_unless_word("Neighbour skin").value_or(automatic));
  };
  if (const auto constant = section.number_unless_word("Gravitational constant")) add_newtonian_gravity(system, *constant);
  if (const auto constant = section.number_unless_word("Coulomb constant"))
    add_coulomb(system, *constant, cutoff_of(section, "Coulomb cut-off"));
  const auto &lennard_jones = section.section("Lennard-Jones"), &morse = section.section("Morse"),
             &central = section.section("Central gravity");
  if (const auto epsilon = lennard_jones.number_unless_word("Epsilon"))
    add_lennard_jones(system, {*epsilon, lennard_jones.number("Sigma")}, cutoff_of(lennard_jones, "Cut-off"));
  if (const auto depth = morse.number_unless_word("Depth"))
    add_morse_pairs(system, {*depth, morse.number("Steepness"), morse.number("Rest length")}, cutoff_of(morse, "Cut-off"));
  if (const auto strength = central.number_unless_word("Strength"))
    add_central_gravity(system, central.vector3("Centre"), *strength);
  if (!section.vector3("Gravity").isZero(0)) add_uniform_gravity(system, section.vector3("Gravity"));
  add_formula(section, "External field", [&](const std::string &formula) { add_external_field(system, formula); });
  add_formula(section, "On-site", [&](const std::string &formula) { add_on_site(system, formula); });
  add_formula(section, "Nearest neighbours",
              [&](const std::string &formula) { add_nearest_neighbours(system, formula, section.boolean("Ring")); });
  add_listed_bonds(system, section);
  add_listed_angles(system, section);
}

void add_magnetic_field(ParticleSystem &system, const ParameterSection &section)
{
  const Eigen::Vector3d field = section.vector3("Magnetic field");
  const std::string formulas = section.text("Vector potential");
  if (field.isZero(0) && formulas == "none") return;
  const std::string key = formulas == "none" ? "Magnetic field" : "Vector potential";
  try
  {
    system.set_vector_potential(
      {system.dimension(), field, formulas == "none" ? std::vector<std::string>{} : split(formulas, ';')});
  }
  catch (const InputError &error)
  {
    throw section.error(key, error.what());
  }
}

/// One body around a centre or two that attract each other: their orbit is observed.
void find_orbit(ParticleSystem &system, const ParameterSection &potentials)
{
  const auto &central = potentials.section("Central gravity");
  const auto strength = central.number_unless_word("Strength"),
             constant = potentials.number_unless_word("Gravitational constant");
  if (system.n_particles() == 1 && strength) system.set_orbit({*strength, central.vector3("Centre")});
  if (system.n_particles() == 2 && constant && *constant > 0)
    system.set_orbit({*constant * (system.particles()[0].mass + system.particles()[1].mass)});
}
}  // namespace

void declare_particle_parameters(ParameterSection &root)
{
  auto &particles = root.section("Particles",
                                 "Point masses, for Problem = particles. All numbers are in one consistent set of units of the "
                                 "user's choice, for mass, length and time; so are those of Integrator and Output.");
  particles.declare("Dimension", "3", Pattern::integer(1, 3), "Number of coordinates of a particle.");
  particles.declare("File", "", Pattern::text(),
                    "CSV file of particles, with a header of the columns name,mass,charge,x,y,z,vx,vy,vz in any order; all but "
                    "name, mass and x may be left out. Relative to the folder in which the program is started.");
  particles.declare("Fixed", "", Pattern::text(), "Names of particles that never move, separated by commas.");
  particles.declare("Reduction", "none", Pattern::choice({"none", "Jacobi"}),
                    "Jacobi: the motion relative to the centre of mass in Jacobi coordinates (GSO 37-43), with as many "
                    "coordinates less as Dimension says; keeps linear momentum exactly.");
  particles.declare(
    "Boltzmann constant", "none", switchable(Bounds::positive()),
    "k_B; when given (with Water it is known), history.csv has the column temperature, 2 K / (f k_B), f = dimension N less fixed "
    "coordinates and constraints, whose mean is GSO (71).");
  particles.declare("Observed", "auto", Pattern::text(),
                    "Particles whose position and velocity become columns of history.csv, separated by commas. auto: all, if "
                    "there are ten or fewer. none: no particle.");
  particles.declare("Transition levels", "", Pattern::numbers(),
                    "Two levels of the mean coordinate of a lattice in one dimension. When given, history.csv has the columns "
                    "mean_position and mean_velocity, and summary.json tells how often the mean went from below the first level to "
                    "above the second or back (n_transitions), by the rows of the history.");
  declare_row_parameters(particles);
  declare_water_parameters(particles);
  declare_radial_distribution_parameters(particles);
  particles.declare_list("Particle", "One particle; its name follows the word Particle.", declare_particle);
  declare_potentials(root.section("Potentials", "What acts on the particles; any number of these at once."));
  declare_constraint_parameters(root);
}

namespace
{
/// More than these would make a history that nobody reads.
constexpr int max_observed_by_default = 10;

void observe_particles(ParticleSystem &system, const ParameterSection &section)
{
  const std::string text = section.text("Observed");
  if (text == "none") return;
  if (text == "auto")
  {
    if (system.n_particles() > max_observed_by_default) return;
    for (int i = 0; i < system.n_particles(); ++i) system.observe_particle(i);
    return;
  }
  for (const auto &name : split(text, ','))
    try
    {
      system.observe_particle(system.index_of(name));
    }
    catch (const InputError &error)
    {
      throw section.error("Observed", error.what());
    }
}
}  // namespace

std::unique_ptr<System> parse_particle_parameters(const ParameterSection &root)
{
  const auto &section = root.section("Particles");
  auto system = make_particles(section);
  observe_particles(*system, section);
  if (has_water(root)) water::add_potentials(*system);
  add_potentials(*system, root.section("Potentials"));
  parse_radial_distribution_parameters(section, *system);
  find_orbit(*system, root.section("Potentials"));
  parse_constraint_parameters(root, *system);
  add_magnetic_field(*system, root.section("Potentials"));
  system->check_initial_state();
  if (section.text("Reduction") == "none") return system;
  try
  {
    return std::make_unique<JacobiReduction>(std::move(system));
  }
  catch (const InputError &error)
  {
    throw section.error("Reduction", error.what());
  }
}

void declare_radial_kepler_parameters(ParameterSection &root)
{
  auto &section = root.section("Radial Kepler", "For Problem = radial Kepler: V'(r) = -k/r + Theta^2/(2 r^2) (GSO 67).");
  section.declare("Strength", "1", Pattern::number("", Bounds::positive()), "k");
  section.declare("Radius", "1", Pattern::number("", Bounds::positive()), "r at the start.");
  section.declare("Radial velocity", "0", Pattern::number(), "dr/dt at the start.");
  section.declare("Angular momentum", "1", Pattern::number(), "Theta = r^2 dtheta/dt, a constant.");
}

std::unique_ptr<System> parse_radial_kepler_parameters(const ParameterSection &root)
{
  const auto &section = root.section("Radial Kepler");
  return std::make_unique<RadialKepler>(section.number("Strength"), section.number("Radius"), section.number("Radial velocity"),
                                        section.number("Angular momentum"));
}
}  // namespace freefall
