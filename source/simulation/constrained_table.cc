#include <freefall/integrators/cayley_hamilton_pontryagin.h>
#include <freefall/integrators/composition.h>
#include <freefall/integrators/constrained/constrained_energy_momentum.h>
#include <freefall/integrators/constrained/constrained_euler.h>
#include <freefall/integrators/constrained/constrained_fehlberg.h>
#include <freefall/integrators/constrained/constrained_ode_method.h>
#include <freefall/integrators/constrained/gauss_dae.h>
#include <freefall/integrators/constrained/rattle.h>
#include <freefall/integrators/constrained/shake.h>
#include <freefall/integrators/fixed_step_integrator.h>
#include <freefall/simulation/constrained_table.h>

#include <utility>

namespace freefall
{
namespace
{
void declare_step(ParameterSection &section)
{
  section.declare("Time step", "1e-2", Pattern::number("s", Bounds::positive()), "Length of a step.");
}

void declare_order(ParameterSection &section)
{
  declare_step(section);
  section.declare("Order", "2", Pattern::choice({"2", "4", "6", "8"}),
                  "4 and more by Yoshida's compositions: three times as many steps for two orders (R 26).");
}

std::unique_ptr<Integrator> make_composed(std::unique_ptr<OneStepMethod> method, const ParameterSection &section)
{
  const int order = std::stoi(section.text("Order"));
  if (order > 2) method = std::make_unique<Composition>(std::move(method), Composition::Kind::yoshida, order);
  return std::make_unique<FixedStepIntegrator>(std::move(method), section.number("Time step"));
}

IntegratorRow constrained_euler()
{
  return {"constrained symplectic Euler", "for constraints and magnetic fields: symplectic on the manifold, R (24), its adjoint, and (25)",
          [](ParameterSection &section)
          {
            declare_order(section);
            section.declare("Form", "composed", Pattern::choice({"first order", "adjoint", "composed"}),
                            "first order: R (24). adjoint: its adjoint. composed: R (25), one after the other by half a step "
                            "each, of second order; only this one can have a higher Order.");
          },
          [](const ParameterSection &section) -> std::unique_ptr<Integrator>
          {
            const std::string form = section.text("Form");
            if (form == "composed") return make_composed(std::make_unique<ConstrainedEuler>(Rattle::Form::composed), section);
            if (section.is_set("Order") && section.text("Order") != "2")
              throw section.error("Order", "is only possible with Form = composed.");
            return std::make_unique<FixedStepIntegrator>(
              std::make_unique<ConstrainedEuler>(form == "adjoint" ? Rattle::Form::adjoint : Rattle::Form::euler),
              section.number("Time step"));
          }};
}

IntegratorRow constrained_ode()
{
  return {"constrained ODE", "Runge-Kutta methods on ODE formulations of a constrained system (S), with projections",
          [](ParameterSection &section)
          {
            declare_step(section);
            section.declare("Formulation", "Hamilton-Dirac", Pattern::choice({"naive", "Hamilton-Dirac", "extended Hamiltonian"}),
                            "naive: the constraints differentiated twice (S 27). Hamilton-Dirac: S (31). extended Hamiltonian: "
                            "S (32)-(33).");
            section.declare("Method", "Runge-Kutta 4",
                            Pattern::choice({"Runge-Kutta 4", "Fehlberg", "implicit midpoint", "Gauss collocation"}),
                            "Fehlberg chooses its own steps.");
            section.declare("Stages", "2", Pattern::choice({"1", "2", "3", "4"}), "Of Gauss collocation.");
            section.declare("Relative tolerance", "1e-8", Pattern::number("", Bounds::positive()), "Of a step of Fehlberg.");
            section.declare("Absolute tolerance", "1e-10", Pattern::number("", Bounds::positive()), "Of a step of Fehlberg.");
            for (const char *which : {"Position", "Momentum"})
              section.declare(std::string(which) + " projection", "none",
                              Pattern::number("", Bounds::positive()).or_word("none"),
                              "Residual from which on a state is projected after a step (S 66, 67).");
          },
          [](const ParameterSection &section) -> std::unique_ptr<Integrator>
          {
            using Formulation = ConstrainedOde::Formulation;
            const std::string name = section.text("Formulation"), method = section.text("Method");
            const Formulation formulation = name == "naive"            ? Formulation::naive
                                            : name == "Hamilton-Dirac" ? Formulation::hamilton_dirac
                                                                       : Formulation::extended;
            const CountedProjections::Tolerances projections{section.number_unless_word("Position projection"),
                                                             section.number_unless_word("Momentum projection")};
            if (method == "Fehlberg")
              return std::make_unique<ConstrainedFehlberg>(
                ConstrainedFehlberg::Settings{formulation, section.number("Relative tolerance"),
                                              section.number("Absolute tolerance"), projections});
            const int n_stages = method == "Runge-Kutta 4"       ? 0
                                 : method == "implicit midpoint" ? 1
                                                                 : std::stoi(section.text("Stages"));
            return std::make_unique<FixedStepIntegrator>(
              std::make_unique<ConstrainedOdeMethod>(formulation, n_stages, projections), section.number("Time step"));
          }};
}

IntegratorRow gauss_dae()
{
  return {"constrained Gauss", "Gauss collocation on the differential-algebraic equations of index 2 or 3 (R); small systems",
          [](ParameterSection &section)
          {
            declare_step(section);
            section.declare("Index", "2", Pattern::choice({"2", "3"}), "2: R (6). 3: R (2).");
            section.declare("Stages", "1", Pattern::choice({"1", "2", "3"}), "1 is the implicit midpoint rule.");
            section.declare("Projected", "false", Pattern::boolean(),
                            "Whether each step ends with a projection on the constraint manifold (R section 4): no longer "
                            "symplectic.");
            section.declare("Reversible", "false", Pattern::boolean(), "Compose as in R Corollary 5.2: two solves a step.");
            section.declare("Order", "2", Pattern::choice({"2", "4"}),
                            "4: three steps of the midpoint rule as in R (15). Measured, that is still a method of order 2: "
                            "parameters/studies/reich_orders.prm.");
          },
          [](const ParameterSection &section)
          {
            const GaussDae::Settings settings{std::stoi(section.text("Stages")), std::stoi(section.text("Index")),
                                              section.boolean("Projected"), section.boolean("Reversible")};
            if (section.text("Order") != "2" && (settings.n_stages > 1 || settings.is_projected))
              throw section.error("Order", "4 is for one stage that is not projected.");
            return make_composed(std::make_unique<GaussDae>(settings), section);
          }};
}

IntegratorRow cayley_hamilton_pontryagin()
{
  return {"Cayley Hamilton-Pontryagin", "for a rigid body: variational on SO(3), first (TO 4.12) or second order, rotations to rounding",
          [](ParameterSection &section)
          {
            declare_step(section);
            section.declare("Order", "2", Pattern::choice({"1", "2", "4", "6", "8"}),
                            "1: TO (4.12). 2: torques at both ends of a step. 4 and more by Yoshida's compositions.");
          },
          [](const ParameterSection &section)
          {
            using Form = CayleyHamiltonPontryagin::Form;
            const bool is_first = section.text("Order") == "1";
            return make_composed(std::make_unique<CayleyHamiltonPontryagin>(is_first ? Form::first_order : Form::second_order),
                                 section);
          }};
}
}  // namespace

std::vector<IntegratorRow> constrained_rows()
{
  return {
    {"RATTLE", "for constraints: second order and higher, symplectic, on the constraint manifold to rounding", declare_order,
     [](const ParameterSection &section) { return make_composed(std::make_unique<Rattle>(), section); }},
    {"SHAKE", "for constraints: second order, symplectic; positions on the constraints, velocities only nearly", declare_step,
     [](const ParameterSection &section)
     { return std::make_unique<FixedStepIntegrator>(std::make_unique<Shake>(), section.number("Time step")); }},
    constrained_euler(),
    {"constrained energy-momentum", "for constraints: second order; keeps energy, momenta and the constraints (G99)", declare_step,
     [](const ParameterSection &section) {
       return std::make_unique<FixedStepIntegrator>(std::make_unique<ConstrainedEnergyMomentum>(), section.number("Time step"));
     }},
    constrained_ode(),
    gauss_dae(),
    cayley_hamilton_pontryagin(),
  };
}
}  // namespace freefall
