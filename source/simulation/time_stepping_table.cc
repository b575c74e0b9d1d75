#include <freefall/integrators/composition.h>
#include <freefall/integrators/discrete_gradient_method.h>
#include <freefall/integrators/dormand_prince.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/gauss_collocation.h>
#include <freefall/integrators/runge_kutta_4.h>
#include <freefall/integrators/symplectic_euler.h>
#include <freefall/integrators/velocity_verlet.h>
#include <freefall/simulation/time_stepping_table.h>

#include <utility>

namespace freefall
{
namespace
{
using MakeMethod = std::function<std::unique_ptr<OneStepMethod>(const ParameterSection &)>;
using Declare = std::function<void(ParameterSection &)>;

void declare_step(ParameterSection &section)
{
  section.declare("Time step", "1e-3", Pattern::number("s", Bounds::positive()), "Length of a step.");
}

IntegratorRow fixed_step(const std::string &name,
                         const std::string &description,
                         const Declare &declare,
                         const MakeMethod &make)
{
  return {name, description,
          [=](ParameterSection &section)
          {
            declare_step(section);
            declare(section);
          },
          [=](const ParameterSection &section)
          { return std::make_unique<FixedStepIntegrator>(make(section), section.number("Time step")); }};
}

void declare_nothing(ParameterSection &) {}

void declare_composition(ParameterSection &section)
{
  section.declare("Order", "4", Pattern::choice({"4", "6", "8"}),
                  "Each two orders more take 3 (Yoshida) or 5 (Suzuki) times as many steps.");
  section.declare("Method", "explicit Newmark", Pattern::choice({"explicit Newmark", "implicit midpoint", "LaBudde-Greenspan"}),
                  "The symmetric method of order 2 that is composed.");
}

std::unique_ptr<OneStepMethod> make_composition(const ParameterSection &section, Composition::Kind kind)
{
  const std::string name = section.text("Method");
  std::unique_ptr<OneStepMethod> method;
  if (name == "explicit Newmark") method = std::make_unique<VelocityVerlet>();
  if (name == "implicit midpoint") method = std::make_unique<GaussCollocation>(1);
  if (name == "LaBudde-Greenspan") method = std::make_unique<DiscreteGradientMethod>();
  return std::make_unique<Composition>(std::move(method), kind, std::stoi(section.text("Order")));
}

IntegratorRow symplectic_euler()
{
  return fixed_step(
    "symplectic Euler", "first order, symplectic, keeps momenta",
    [](ParameterSection &section)
    {
      section.declare("Form", "kick drift", Pattern::choice({"kick drift", "drift kick"}),
                      "kick drift: velocities first, with the force at the start of the step. drift kick: positions first.");
    },
    [](const ParameterSection &section)
    {
      const bool kick_first = section.text("Form") == "kick drift";
      return std::make_unique<SymplecticEuler>(kick_first ? SymplecticEuler::Form::kick_drift
                                                          : SymplecticEuler::Form::drift_kick);
    });
}

IntegratorRow dormand_prince()
{
  return {"Dormand-Prince", "embedded Runge-Kutta pair 5(4) with adaptive steps; keeps linear momentum only",
          [](ParameterSection &section)
          {
            section.declare("Relative tolerance", "1e-9", Pattern::number("", Bounds::positive()),
                            "Of one step, entry by entry.");
            section.declare("Absolute tolerance", "1e-12", Pattern::number("", Bounds::positive()), "In units of q and v.");
          },
          [](const ParameterSection &section)
          {
            return std::make_unique<DormandPrince>(
              DormandPrince::Tolerances{section.number("Relative tolerance"), section.number("Absolute tolerance")});
          }};
}
}  // namespace

std::vector<IntegratorRow> time_stepping_rows()
{
  const auto gauss = [](const ParameterSection &section)
  { return std::make_unique<GaussCollocation>(std::stoi(section.text("Stages"))); };
  const auto declare_stages = [](ParameterSection &section) {
    section.declare("Stages", "2", Pattern::choice({"1", "2", "3", "4"}), "The order is twice this number.");
  };
  return {
    symplectic_euler(),
    fixed_step("LaBudde-Greenspan", "second order, implicit; keeps energy and momenta (discrete gradients); small systems",
               declare_nothing, [](const ParameterSection &) { return std::make_unique<DiscreteGradientMethod>(); }),
    fixed_step("Gauss collocation", "order 2 to 8, implicit, symplectic, keeps momenta; small systems", declare_stages, gauss),
    fixed_step("Yoshida composition", "order 4, 6 or 8 from three times as many steps for two orders", declare_composition,
               [](const ParameterSection &section) { return make_composition(section, Composition::Kind::yoshida); }),
    fixed_step("Suzuki composition", "order 4, 6 or 8 from five times as many steps for two orders", declare_composition,
               [](const ParameterSection &section) { return make_composition(section, Composition::Kind::suzuki); }),
    fixed_step("Runge-Kutta 4", "fourth order, explicit; keeps linear momentum only", declare_nothing,
               [](const ParameterSection &) { return std::make_unique<RungeKutta4>(); }),
    dormand_prince(),
  };
}
}  // namespace freefall
