#include <freefall/constraints/coordinate_constraint.h>
#include <freefall/constraints/distance_constraint.h>
#include <freefall/constraints/surface_constraint.h>
#include <freefall/core/csv_table.h>
#include <freefall/core/text.h>
#include <freefall/systems/constraint_projection.h>
#include <freefall/systems/particles/constraint_parameters.h>
#include <freefall/systems/particles/particle_rows.h>
#include <freefall/systems/particles/water_cluster.h>
#include <freefall/systems/particles/water_parameters.h>

#include <fmt/format.h>
#include <cmath>
#include <map>

namespace freefall
{
namespace
{
using Form = DistanceConstraint::Form;

Form form_named(const std::string &name)
{
  if (name == "length") return Form::length;
  return name == "square" ? Form::square : Form::half_square;
}

void declare_form(ParameterSection &section)
{
  section.declare("Form", "half square", Pattern::choice({"half square", "square", "length"}),
                  "g of the distance r. half square: (r^2 - Length^2) / 2 (S 41). square: r^2 - Length^2 (TO 4.1). length: "
                  "r - Length (G99 29).");
}

void declare_length(ParameterSection &section)
{
  section.declare("Length", "initial", Pattern::number("", Bounds::positive()).or_word("initial"),
                  "The distance; initial: that of the initial positions.");
}

void declare_one_particle(ParameterSection &section)
{
  section.declare("Particle", "", Pattern::text(), "The name of a particle.");
}

std::string title(const std::string &kind, const ParameterSection &section)
{
  return section.label().empty() ? kind : fmt::format("{} '{}'", kind, section.label());
}

std::vector<int> dofs_of(const ParticleSystem &system, const std::vector<int> &particles)
{
  std::vector<int> dofs;
  for (const int particle : particles)
    for (int axis = 0; axis < system.dimension(); ++axis) dofs.push_back(system.dimension() * particle + axis);
  return dofs;
}

int particle_of(const ParameterSection &section, const ParticleSystem &system)
{
  try
  {
    return system.index_of(section.text("Particle"));
  }
  catch (const InputError &error)
  {
    throw section.error("Particle", error.what());
  }
}

Form form_of(const ParameterSection &section)
{
  return form_named(section.text("Form"));
}

std::vector<double> point_of(const ParameterSection &section, const std::string &key, int dimension)
{
  const std::vector<double> point = section.numbers(key);
  if (static_cast<int>(point.size()) != dimension)
    throw section.error(key, fmt::format("must be {} number{}, one for each dimension.", dimension, dimension == 1 ? "" : "s"));
  return point;
}

/// Collects constraints; the particles of distances are drawn with lines.
class Collector
{
public:
  explicit Collector(ParticleSystem &system) : system_(system), set_(std::make_shared<ConstraintSet>()) {}

  void add_distances(const ParameterSection &section);
  void add_distance_file(const std::string &file, Form form);
  void add_chains(const ParameterSection &particles, const ParameterSection &section);
  void add_anchors(const ParameterSection &section);
  void add_fixed_points(const ParameterSection &section);
  void add_fixed_coordinates(const ParameterSection &section);
  void add_surfaces(const ParameterSection &section);
  void add_water();

  const std::shared_ptr<ConstraintSet> &set() const { return set_; }

private:
  double initial_distance(int first, int second) const
  {
    return (system_.particles()[first].position - system_.particles()[second].position).norm();
  }
  double distance_from(const std::vector<double> &point, int particle) const
  {
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();
    for (std::size_t axis = 0; axis < point.size(); ++axis) centre[axis] = point[axis];
    return (system_.particles()[particle].position - centre).norm();
  }
  void add_distance(const std::string &name, int first, int second, double length, Form form)
  {
    set_->add(std::make_unique<DistanceConstraint>(
      DistanceConstraint::between(name, dofs_of(system_, {first, second}), length, form)));
    system_.add_line(first, second);
  }

  ParticleSystem &system_;
  std::shared_ptr<ConstraintSet> set_;
};

void Collector::add_distances(const ParameterSection &section)
{
  for (const ParameterSection *one : section.list("Distance"))
  {
    const std::vector<std::string> names = split(one->text("Particles"), ',');
    if (names.size() != 2) throw one->error("Particles", "must be two names separated by a comma.");
    try
    {
      const int first = system_.index_of(names[0]), second = system_.index_of(names[1]);
      if (first == second) throw InputError("names a particle twice.");
      const auto length = one->number_unless_word("Length");
      add_distance(title("Distance", *one), first, second, length.value_or(initial_distance(first, second)), form_of(*one));
    }
    catch (const InputError &error)
    {
      throw one->error("Particles", error.what());
    }
  }
}

void Collector::add_distance_file(const std::string &file, Form form)
{
  if (file.empty()) return;
  const CsvTable table(file, {"first", "second", "length"}, {"first", "second"});
  std::map<std::string, int> numbers;
  for (int i = 0; i < system_.n_particles(); ++i) numbers[system_.particles()[i].name] = i;
  for (int row = 0; row < table.n_rows(); ++row)
  {
    try
    {
      std::vector<int> ends;
      for (const char *column : {"first", "second"})
      {
        const auto known = numbers.find(table.text(row, column));
        ends.push_back(known != numbers.end() ? known->second : system_.index_of(table.text(row, column)));
      }
      if (ends[0] == ends[1]) throw InputError("the distance is that of a particle from itself");
      add_distance(fmt::format("Distance '{} - {}'", table.text(row, "first"), table.text(row, "second")), ends[0], ends[1],
                   table.has("length") ? table.number(row, "length") : initial_distance(ends[0], ends[1]), form);
    }
    catch (const InputError &error)
    {
      throw InputError(fmt::format("{}: {}", table.place(row), error.what()));
    }
  }
}

void Collector::add_chains(const ParameterSection &particles, const ParameterSection &section)
{
  for (const ParameterSection *one : section.list("Chain"))
  {
    const ParticleRow row = find_row(particles, system_, *one, "Row");
    const auto given = one->number_unless_word("Length");
    const Form form = form_of(*one);
    const auto name = [&](int link) { return fmt::format("{} link {}", title("Chain", *one), link); };
    std::vector<double> point;
    if (!one->is_word("Anchor", "none")) point = point_of(*one, "Anchor", system_.dimension());
    try
    {
      if (!point.empty())
        set_->add(std::make_unique<DistanceConstraint>(
          DistanceConstraint::from_point(name(1), dofs_of(system_, {row.first}), point,
                                         given.value_or(distance_from(point, row.first)), form)));
      for (int link = 2; link <= row.count; ++link)
      {
        const int second = row.first + link - 1;
        add_distance(name(link), second - 1, second, given.value_or(initial_distance(second - 1, second)), form);
      }
    }
    catch (const InputError &error)
    {
      throw one->error("Length", error.what());
    }
  }
}

void Collector::add_anchors(const ParameterSection &section)
{
  for (const ParameterSection *one : section.list("Anchor"))
  {
    const int particle = particle_of(*one, system_);
    const std::vector<double> point = point_of(*one, "Point", system_.dimension());
    const double length = one->number_unless_word("Length").value_or(distance_from(point, particle));
    try
    {
      set_->add(std::make_unique<DistanceConstraint>(
        DistanceConstraint::from_point(title("Anchor", *one), dofs_of(system_, {particle}), point, length, form_of(*one))));
    }
    catch (const InputError &error)
    {
      throw one->error("Length", error.what());
    }
  }
}

void Collector::add_fixed_points(const ParameterSection &section)
{
  for (const ParameterSection *one : section.list("Fixed point"))
  {
    const int particle = particle_of(*one, system_), dimension = system_.dimension();
    std::vector<double> point;
    for (int axis = 0; axis < dimension; ++axis) point.push_back(system_.particles()[particle].position[axis]);
    if (!one->text("Point").empty()) point = point_of(*one, "Point", dimension);
    for (int axis = 0; axis < dimension; ++axis)
      set_->add(std::make_unique<CoordinateConstraint>(fmt::format("{} {}", title("Fixed point", *one), "xyz"[axis]),
                                                       dimension * particle + axis, point[axis]));
  }
}

void Collector::add_fixed_coordinates(const ParameterSection &section)
{
  for (const ParameterSection *one : section.list("Fixed coordinate"))
  {
    const int particle = particle_of(*one, system_), axis = one->text("Axis")[0] - 'x';
    if (axis >= system_.dimension())
      throw one->error("Axis", fmt::format("must be one of the {} axes of Particles/Dimension.", system_.dimension()));
    set_->add(std::make_unique<CoordinateConstraint>(
      title("Fixed coordinate", *one), system_.dimension() * particle + axis,
      one->number_unless_word("Value").value_or(system_.particles()[particle].position[axis])));
  }
}

void Collector::add_surfaces(const ParameterSection &section)
{
  for (const ParameterSection *one : section.list("Surface"))
  {
    const int dimension = system_.dimension();
    std::vector<std::string> variables, names = split(one->text("Particles"), ',');
    for (int axis = 0; axis < dimension; ++axis) variables.push_back(std::string(1, "xyz"[axis]));
    if (one->text("Particles") == "all")
    {
      names.clear();
      for (const Particle &particle : system_.particles()) names.push_back(particle.name);
    }
    if (names.empty()) throw one->error("Particles", "must be names of particles separated by commas, or all.");
    for (const std::string &name : names)
    {
      int particle = 0;
      try
      {
        particle = system_.index_of(name);
      }
      catch (const InputError &error)
      {
        throw one->error("Particles", error.what());
      }
      try
      {
        set_->add(std::make_unique<SurfaceConstraint>(fmt::format("{} of '{}'", title("Surface", *one), name),
                                                      Expression(one->text("Formula"), variables), dofs_of(system_, {particle})));
      }
      catch (const InputError &error)
      {
        throw one->error("Formula", error.what());
      }
    }
  }
}

void Collector::add_water()
{
  water::add_rigid_geometry(system_, *set_);
  for (const int oxygen : water::oxygens(system_))
    for (const int hydrogen : {1, 2}) system_.add_line(oxygen, oxygen + hydrogen);
}

void make_consistent(const ParameterSection &section, ParticleSystem &system)
{
  State state = system.initial_state();
  try
  {
    const std::string wish = section.text("Project initial state");
    MultiplierMatrix matrix;
    matrix.attach(system);
    if (wish == "yes") project_positions(system, matrix, state.q);
    if (wish != "no") project_velocities(system, matrix, state.q, state.v);
    if (wish != "no") system.set_initial_state(state.q, state.v);
  }
  catch (const StepFailed &error)
  {
    throw section.error("Project initial state", error.what());
  }
  const ConstraintResiduals residuals = constraint_residuals(system, state);
  const double tolerance = section.number("Consistency tolerance");
  if (!(residuals.position <= tolerance))
    throw section.error("Consistency tolerance",
                        fmt::format("is passed by the initial positions: |g| = {:.6g} of {}. Correct them, or set Project "
                                    "initial state = yes.",
                                    residuals.position, residuals.position_name));
  if (!(residuals.velocity <= tolerance))
    throw section.error("Consistency tolerance",
                        fmt::format("is passed by the initial velocities: |G v| = {:.6g} of {}. Correct them, or set Project "
                                    "initial state = velocities.",
                                    residuals.velocity, residuals.velocity_name));
}
}  // namespace

void declare_constraint_parameters(ParameterSection &root)
{
  auto &section = root.section("Constraints",
                               "Holonomic constraints g(q) = 0 of particles. Only integrators that keep them accept them; with "
                               "Penalty, any integrator does.");
  section.declare("Project initial state", "no", Pattern::choice({"no", "velocities", "yes"}),
                  "no: an initial state off the constraints is an error that tells the residual. velocities: they are projected "
                  "on the tangent space, by the metric of the masses. yes: positions, then velocities.");
  section.declare("Consistency tolerance", "1e-9", Pattern::number("", Bounds::positive()),
                  "Largest |g| and |G v| of the initial state.");
  section.declare("Penalty", "none", Pattern::number("", Bounds::positive()).or_word("none"),
                  "omega of TO (1.7): the constraints become terms omega^2 / 2 g^2 and the system has no constraints.");
  section.declare("Distance file", "", Pattern::text(),
                  "CSV file of distances, columns first,second,length; without the column length the initial ones. Relative to "
                  "the folder in which the program is started.");
  section.declare("Multiplier window", "none", Pattern::number("s", Bounds::positive()).or_word("none"),
                  "Length of time over which the multipliers are averaged: the columns mean_multiplier_1, ... at time t are the "
                  "means from t minus this to t of omega^2 g of a penalty (TO 1.8), or of the multipliers of exact constraints.");
  section.declare("Distance file form", "half square", Pattern::choice({"half square", "square", "length"}),
                  "Form of the distances of the file; see Distance.");
  section.declare_list("Distance", "A fixed distance of two particles: a rigid rod without mass.",
                       [](ParameterSection &one)
                       {
                         one.declare("Particles", "", Pattern::text(), "The names of two particles, separated by a comma.");
                         declare_length(one);
                         declare_form(one);
                       });
  section.declare_list("Anchor", "A fixed distance of a particle from a fixed point: a pendulum.",
                       [](ParameterSection &one)
                       {
                         declare_one_particle(one);
                         one.declare("Point", "", Pattern::numbers(), "As many coordinates as Dimension says.");
                         declare_length(one);
                         declare_form(one);
                       });
  section.declare_list("Chain", "Fixed distances of neighbours in a row of particles (Particles/Row): a chain of rods.",
                       [](ParameterSection &one)
                       {
                         one.declare("Row", "", Pattern::text(), "The name of the row.");
                         one.declare("Anchor", "none", Pattern::numbers().or_word("none"),
                                     "A fixed point from which a first rod leads to the first particle; none: no such rod.");
                         declare_length(one);
                         declare_form(one);
                       });
  section.declare_list("Fixed point", "A particle held at a point; one constraint for each coordinate.",
                       [](ParameterSection &one)
                       {
                         declare_one_particle(one);
                         one.declare("Point", "", Pattern::numbers(), "Nothing means its initial position.");
                       });
  section.declare_list("Fixed coordinate", "One coordinate of a particle held at a value.",
                       [](ParameterSection &one)
                       {
                         declare_one_particle(one);
                         one.declare("Axis", "x", Pattern::choice({"x", "y", "z"}), "Which coordinate.");
                         one.declare("Value", "initial", Pattern::number().or_word("initial"), "Where it is held.");
                       });
  section.declare_list("Surface", "Particles on the surface Formula = 0, one constraint for each particle.",
                       [](ParameterSection &one)
                       {
                         one.declare("Particles", "", Pattern::text(), "Names separated by commas, or all.");
                         one.declare("Formula", "x", Pattern::text(),
                                     "A smooth formula of the coordinates, such as x^2/4 + y^2 + z^2 - 1.");
                       });
}

void parse_constraint_parameters(const ParameterSection &root, ParticleSystem &system)
{
  const auto &section = root.section("Constraints");
  Collector collector(system);
  collector.add_anchors(section);
  collector.add_distances(section);
  collector.add_distance_file(section.text("Distance file"),
                              form_named(section.text("Distance file form")));
  collector.add_chains(root.section("Particles"), section);
  collector.add_fixed_points(section);
  collector.add_fixed_coordinates(section);
  collector.add_surfaces(section);
  if (has_water(root)) collector.add_water();
  if (collector.set()->size() == 0) return;
  if (root.section("Particles").text("Reduction") != "none")
    throw root.section("Particles").error("Reduction", "is not possible with constraints; set it to none.");
  if (const auto window = section.number_unless_word("Multiplier window")) system.average_multipliers(*window);
  if (const auto omega = section.number_unless_word("Penalty")) return system.penalise(collector.set(), *omega);
  try
  {
    system.set_constraints(collector.set());
  }
  catch (const DomainError &error)
  {
    throw section.error("", error.what());
  }
  catch (const InputError &error)
  {
    throw section.error("", error.what());
  }
  make_consistent(section, system);
}
}  // namespace freefall
