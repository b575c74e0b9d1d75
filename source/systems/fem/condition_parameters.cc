#include <freefall/core/expression.h>
#include <freefall/core/text.h>
#include <freefall/systems/fem/condition_parameters.h>

#include <fmt/format.h>

namespace freefall
{
namespace
{
const std::vector<std::string> place_and_time{"x", "y", "z", "t"};
const char *const components[] = {"X", "Y", "Z"};

void declare_boundary(ParameterSection &section)
{
  section.declare("Boundary", "", Pattern::text(),
                  "Names or numbers of boundaries, separated by commas, as in Contact/Boundary ids; all for every one.");
}

std::vector<std::string> parse_boundary(const ParameterSection &section)
{
  if (section.text("Boundary").empty())
    throw section.error("Boundary", "must name the boundaries meant, such as left or 3, or be the word all.");
  if (section.text("Boundary") == "all") return {};
  return split(section.text("Boundary"), ',');
}

void declare_support(ParameterSection &support)
{
  declare_boundary(support);
  for (const char *component : components)
    support.declare(component, "free", Pattern::formula(1, place_and_time, "m").or_word("free").or_word("fixed"),
                    fmt::format("{0} displacement of the boundary: free, fixed, or a formula of the reference position x, y, z (m) "
                                "and t (s) whose derivative is known, such as 1e-3*sin(100*t) or 0.1*min(t, 0.01).",
                                component));
}

SupportSettings parse_support(const ParameterSection &section)
{
  SupportSettings support;
  support.name = section.label().empty() ? "support" : section.label();
  support.boundaries = parse_boundary(section);
  bool is_free = true;
  for (int c = 0; c < 3; ++c)
  {
    const std::string text = support.displacement[c] = section.text(components[c]);
    is_free = is_free && text == "free";
    if (text == "free" || text == "fixed") continue;
    try
    {
      Expression(text, place_and_time, Expression::Functions::with_kinks);
    }
    catch (const InputError &error)
    {
      throw section.error(components[c], error.what());
    }
  }
  if (is_free) throw section.error("", "X, Y and Z are all free: a support must hold or move at least one of them.");
  return support;
}

void declare_round(ParameterSection &round, bool is_cylinder)
{
  if (is_cylinder)
  {
    round.declare("Point", "0, 0, 0", Pattern::vector(3, "m"), "A point of the axis.");
    round.declare("Axis", "0, 0, 1", Pattern::vector(3), "Direction of the axis; its length does not count.");
  }
  else
    round.declare("Centre", "0, 0, 0", Pattern::vector(3, "m"), "Centre of the sphere.");
  round.declare("Radius", "1", Pattern::number("m", Bounds::positive()), "Radius of the surface.");
  round.declare("Side", "outside", Pattern::choice({"outside", "inside"}),
                "Where the bodies are: outside a solid obstacle, or inside a hollow one.");
  round.declare("Stiffness", "auto", Pattern::number("N/m", Bounds::positive()).or_word("auto"),
                "Penalty stiffness 1/epsilon of each node: energy Stiffness/2 depth^2. auto: as for a plane.");
  declare_motion(round);
}

ObstacleSettings<RigidRound> parse_round(const ParameterSection &section, bool is_cylinder)
{
  RigidRound round;
  round.name = section.label().empty() ? (is_cylinder ? "cylinder" : "sphere") : section.label();
  round.centre = section.vector3(is_cylinder ? "Point" : "Centre");
  if (is_cylinder)
  {
    round.axis = section.vector3("Axis");
    if (!(round.axis.norm() > 0)) throw section.error("Axis", "must not be the zero vector; it is the direction of the cylinder.");
    round.axis.normalize();
  }
  round.radius = section.number("Radius");
  round.is_hollow = section.text("Side") == "inside";
  round.stiffness = section.number_unless_word("Stiffness").value_or(0);
  return {round, parse_motion(section)};
}
}  // namespace

void declare_motion(ParameterSection &obstacle)
{
  obstacle.declare("Motion", "0; 0; 0", Pattern::formula(3, {"t"}, "m"),
                   "How far the obstacle has moved by time t (s), three formulas such as 0; 0; 0.1*sin(50*t). Its work is counted "
                   "as external work.");
}

std::string parse_motion(const ParameterSection &obstacle)
{
  const std::string motion = obstacle.text("Motion");
  for (const auto &parameter : obstacle.parameters())
    if (parameter.key == "Motion" && parameter.value == parameter.default_value) return "";
  return motion;
}

void declare_damping_parameters(ParameterSection &damping)
{
  damping.declare("Model", "none", Pattern::choice({"none", "Rayleigh", "Kelvin-Voigt"}),
                  "Rayleigh: forces -(alpha M + beta K) v; a mode of frequency omega decays at (alpha + beta omega^2)/2. For large "
                  "motions beta K v is the stress beta (lambda tr(E') 1 + 2 mu E') of the rate E' of Green's strain, which leaves "
                  "rigid motions alone. Kelvin-Voigt: that stress with viscosities of its own. Damping does not shorten the "
                  "critical step, but fast viscous rates cost evaluations. The loss is the column damping_loss.");
  damping.declare("Alpha", "0", Pattern::number("1/s", Bounds::non_negative()), "Of Rayleigh: mass-proportional rate.");
  damping.declare("Beta", "0", Pattern::number("s", Bounds::non_negative()), "Of Rayleigh: stiffness-proportional time.");
  damping.declare("Shear viscosity", "0", Pattern::number("Pa s", Bounds::non_negative()), "Of Kelvin-Voigt.");
  damping.declare("Bulk viscosity", "0", Pattern::number("Pa s", Bounds::non_negative()), "Of Kelvin-Voigt.");
}

DampingSettings parse_damping_parameters(const ParameterSection &section)
{
  const std::string model = section.text("Model");
  DampingSettings damping;
  damping.alpha = section.number("Alpha");
  damping.beta = section.number("Beta");
  damping.shear_viscosity = section.number("Shear viscosity");
  damping.bulk_viscosity = section.number("Bulk viscosity");
  const auto refuse = [&](const char *key, double value)
  {
    if (value != 0) throw section.error(key, fmt::format("does not apply to Model = {}. Choose the model that has it.", model));
  };
  if (model != "Rayleigh")
  {
    refuse("Alpha", damping.alpha);
    refuse("Beta", damping.beta);
  }
  if (model != "Kelvin-Voigt")
  {
    refuse("Shear viscosity", damping.shear_viscosity);
    refuse("Bulk viscosity", damping.bulk_viscosity);
  }
  if (model != "none" && damping.is_none())
    throw section.error("Model", fmt::format("all constants of {} are zero. Give one, or choose none.", model));
  return damping;
}

void declare_condition_parameters(ParameterSection &root)
{
  root.declare_list("Support",
                    "Boundaries that are held or moved: 'subsection Support NAME'. The work of moving supports is counted as "
                    "external work.",
                    declare_support);
  auto &loads = root.section("Loads");
  loads.declare_list("Traction", "A force per area on boundaries that keeps its direction: 'subsection Traction NAME'.",
                     [](ParameterSection &traction)
                     {
                       declare_boundary(traction);
                       traction.declare("Force", "0; 0; 0", Pattern::formula(3, place_and_time, "Pa"),
                                        "Force per undeformed area, three formulas of the reference position x, y, z (m) and t (s).");
                     });
  loads.declare_list("Pressure", "A pressure on boundaries that follows the motion: 'subsection Pressure NAME'.",
                     [](ParameterSection &pressure)
                     {
                       declare_boundary(pressure);
                       pressure.declare("Pressure", "0", Pattern::formula(1, place_and_time, "Pa"),
                                        "Pressure on the deformed area, against its outward normal; a formula of the reference "
                                        "position x, y, z (m) and t (s).");
                     });
  auto &contact = root.section("Contact");
  contact.declare_list("Sphere", "A rigid sphere: 'subsection Sphere NAME'. Any number.",
                       [](ParameterSection &round) { declare_round(round, false); });
  contact.declare_list("Cylinder", "A rigid cylinder without ends: 'subsection Cylinder NAME'. Any number.",
                       [](ParameterSection &round) { declare_round(round, true); });
}

ConditionSettings parse_condition_parameters(const ParameterSection &root)
{
  ConditionSettings conditions;
  for (const auto *section : root.list("Support")) conditions.supports.push_back(parse_support(*section));
  const auto &loads = root.section("Loads");
  for (const auto *section : loads.list("Traction"))
    conditions.tractions.push_back({section->label(), parse_boundary(*section), section->text("Force")});
  for (const auto *section : loads.list("Pressure"))
    conditions.pressures.push_back({section->label(), parse_boundary(*section), section->text("Pressure")});
  const auto &contact = root.section("Contact");
  for (const auto *section : contact.list("Sphere")) conditions.rounds.push_back(parse_round(*section, false));
  for (const auto *section : contact.list("Cylinder")) conditions.rounds.push_back(parse_round(*section, true));
  return conditions;
}
}  // namespace freefall
