#include <freefall/integrators/composition.h>
#include <freefall/integrators/energy_momentum.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/integrators/generalised_alpha.h>
#include <freefall/integrators/implicit_midpoint.h>
#include <freefall/integrators/implicit_newmark.h>
#include <freefall/integrators/pushforward_newmark.h>
#include <freefall/integrators/subdivided_step.h>
#include <freefall/integrators/zhang_skeel.h>
#include <freefall/simulation/implicit_table.h>

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
  section.declare("Adaptive", "false", Pattern::boolean(),
                  "Make a step that fails as 2, 4, 8, ... equal shorter ones. summary.json counts such steps.");
  section.declare("Maximum parts", "64", Pattern::integer(1, 1 << 20), "Into which an adaptive step is cut.");
}

std::unique_ptr<Integrator> make_integrator(std::unique_ptr<OneStepMethod> method, const ParameterSection &section)
{
  if (section.boolean("Adaptive"))
    method = std::make_unique<SubdividedStep>(std::move(method), section.integer("Maximum parts"));
  return std::make_unique<FixedStepIntegrator>(std::move(method), section.number("Time step"));
}

IntegratorRow row(const std::string &name, const std::string &description, const Declare &declare, const MakeMethod &make)
{
  return {name, description,
          [=](ParameterSection &section)
          {
            declare_step(section);
            declare(section);
          },
          [=](const ParameterSection &section) { return make_integrator(make(section), section); }};
}

std::unique_ptr<OneStepMethod> make_zhang_skeel(const ParameterSection &section)
{
  ZhangSkeel::Settings settings = ZhangSkeel::parse_parameters(section);
  const int order = std::stoi(section.text("Order"));
  if (order == 1) settings.quadrature = ZhangSkeel::Quadrature::rectangle;
  std::unique_ptr<OneStepMethod> method = std::make_unique<ZhangSkeel>(settings);
  if (order > 2) method = std::make_unique<Composition>(std::move(method), Composition::Kind::suzuki, order);
  return method;
}
}  // namespace

std::vector<IntegratorRow> implicit_rows()
{
  return {
    row("Newmark", "the family with any beta and gamma, implicit; order 2 and symplectic in other coordinates with gamma = 1/2",
        ImplicitNewmark::declare_parameters, [](const ParameterSection &section)
        { return std::make_unique<ImplicitNewmark>(ImplicitNewmark::parse_parameters(section)); }),
    row("pushforward Newmark", "Newmark in the coordinates in which it is symplectic and keeps momenta; order 2, implicit",
        PushforwardNewmark::declare_parameters, [](const ParameterSection &section)
        { return std::make_unique<PushforwardNewmark>(PushforwardNewmark::parse_parameters(section)); }),
    row("generalised-alpha", "Chung-Hulbert or HHT: order 2, implicit, damps what is faster than the step",
        GeneralisedAlpha::declare_parameters, [](const ParameterSection &section)
        { return std::make_unique<GeneralisedAlpha>(GeneralisedAlpha::parse_parameters(section)); }),
    row("implicit midpoint", "order 2, implicit, symplectic, keeps momenta", NewtonSolver::declare_parameters,
        [](const ParameterSection &section)
        { return std::make_unique<ImplicitMidpoint>(NewtonSolver::parse_parameters(section)); }),
    row("energy-momentum", "order 2, implicit, keeps energy and momenta by discrete gradients", NewtonSolver::declare_parameters,
        [](const ParameterSection &section)
        { return std::make_unique<EnergyMomentum>(NewtonSolver::parse_parameters(section)); }),
    row(
      "Zhang-Skeel", "linearly implicit: one linear solve a step; order 2 or more, symplectic, keeps momenta",
      [](ParameterSection &section)
      {
        ZhangSkeel::declare_parameters(section);
        section.declare("Order", "2", Pattern::choice({"1", "2", "4", "6"}),
                        "1: the potential at the start of a step alone (TO 4.14). "
                        "Above 2 by Suzuki's composition: five times as many steps for two orders, some of them backwards.");
      },
      make_zhang_skeel),
  };
}
}  // namespace freefall
