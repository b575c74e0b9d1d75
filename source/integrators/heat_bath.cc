#include <freefall/core/counter_random.h>
#include <freefall/core/errors.h>
#include <freefall/integrators/heat_bath.h>

#include <cmath>

namespace freefall
{
namespace
{
/// Of CounterRandom: the streams of one seed. 1 is that of initial velocities.
constexpr std::uint32_t noise_stream = 0;
}  // namespace

void HeatBath::declare_parameters(ParameterSection &root)
{
  auto &section = root.section("Thermostat",
                               "A heat bath (Langevin dynamics): each step of the integrator is followed by the exact flow of friction "
                               "and noise (GLA; TO 4.3). For integrators with fixed steps, with or without constraints.");
  section.declare("Temperature", "none", Pattern::number("K", Bounds::non_negative()).or_word("none"),
                  "Of the bath; none: there is no bath. 0: friction alone.");
  section.declare("Boltzmann constant", "1.380649e-23", Pattern::number("", Bounds::positive()),
                  "k_B in the problem's unit of energy per K: that of the SI, or 0.001987204 for kcal/mol.");
  section.declare("Friction", "1", Pattern::number("", Bounds::positive()), "gamma; see Friction form.");
  section.declare("Friction form", "mass proportional", Pattern::choice({"mass proportional", "uniform"}),
                  "mass proportional: the force -gamma m v, gamma in 1/time. uniform: -gamma v as in TO (4.5), gamma in mass/time; "
                  "not with constraints.");
  section.declare("Seed", "1", Pattern::integer(0),
                  "Of the noise: the same seed gives the same run, on any number of processes and when resumed.");
}

std::optional<HeatBath::Settings> HeatBath::parse_parameters(const ParameterSection &root)
{
  const auto &section = root.section("Thermostat");
  const auto temperature = section.number_unless_word("Temperature");
  if (!temperature) return std::nullopt;
  Settings settings;
  settings.temperature = *temperature;
  settings.boltzmann_constant = section.number("Boltzmann constant");
  settings.friction = section.number("Friction");
  settings.form = section.text("Friction form") == "uniform" ? Friction::uniform : Friction::mass_proportional;
  settings.seed = static_cast<std::uint64_t>(section.integer("Seed"));
  return settings;
}

void HeatBath::attach(const System &system)
{
  if (!system.mass_is_diagonal())
    throw InputError("a thermostat needs a diagonal mass matrix. Set Finite elements/Mass = lumped, or Thermostat/Temperature = none.");
  if (system.constraints() && settings_.form == Friction::uniform)
    throw InputError("Thermostat/Friction form = uniform is not possible with constraints. Set it to mass proportional, or penalise "
                     "the constraints (Constraints/Penalty).");
  system_ = &system;
  factors_step_ = -1;
  numbers_.clear();
  if (system.is_distributed())
    for (int dof = 0; dof < system.n_dofs(); ++dof) numbers_.push_back(static_cast<std::uint32_t>(system.global_dof(dof)));
  noise_.resize(system.n_dofs());
  if (!system.constraints()) return;
  constraints_ = std::make_unique<ConstraintSolver>();
  constraints_->attach(system);
}

void HeatBath::set_factors(double dt)
{
  const Eigen::VectorXd &mass = system_->diagonal_mass();
  const double thermal_energy = settings_.boltzmann_constant * settings_.temperature;
  decay_.resize(mass.size());
  amplitude_.resize(mass.size());
  for (Eigen::Index dof = 0; dof < mass.size(); ++dof)
  {
    const double rate = settings_.form == Friction::uniform ? settings_.friction / mass[dof] : settings_.friction;
    decay_[dof] = std::exp(-rate * dt);
    amplitude_[dof] = std::sqrt(-std::expm1(-2 * rate * dt) * thermal_energy / mass[dof]);
  }
  for (const int dof : system_->fixed_dofs())
  {
    decay_[dof] = 1;
    amplitude_[dof] = 0;
  }
  factors_step_ = dt;
}

void HeatBath::exchange(double dt, const Eigen::VectorXd &q, Eigen::VectorXd &v)
{
  if (factors_step_ != dt) set_factors(dt);
  const CounterRandom random(settings_.seed, noise_stream);
  if (numbers_.empty())
    random.normals(n_exchanges_, noise_);
  else
    for (std::size_t dof = 0; dof < noise_.size(); ++dof) noise_[dof] = random.normal(n_exchanges_, numbers_[dof]);
  ++n_exchanges_;
  before_ = v;
  const Eigen::Map<const Eigen::VectorXd> noise(noise_.data(), v.size());
  v.array() = decay_.array() * v.array() + amplitude_.array() * noise.array();
  if (constraints_)
  {
    constraints_->gradients(q, gradients_);
    constraints_->solve_velocities(gradients_, v, impulse_);
  }
  // The change of v M v / 2, without subtracting squares.
  heat_ += 0.5 * system_->dot(system_->diagonal_mass().cwiseProduct(v - before_), v + before_);
}

void HeatBath::archive(Archive &archive)
{
  const Archive::Part part(archive, "heat_bath");
  archive("n_exchanges", n_exchanges_);
  archive("heat", heat_);
}
}  // namespace freefall
