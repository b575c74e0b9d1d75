#include <freefall/core/errors.h>
#include <freefall/core/text.h>
#include <freefall/integrators/refuse_conditions.h>
#include <freefall/integrators/zhang_skeel.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace freefall
{
namespace
{
std::string name_of(EnergyAccount account)
{
  if (account == EnergyAccount::internal) return "internal";
  return account == EnergyAccount::contact ? "contact" : "external";
}

/// Whether a name in a parameter file means this family: its account, its kind or a part of its kind.
bool is_named(const LocalTerms &terms, const std::string &name)
{
  return name == name_of(terms.account()) || terms.kind().find(name) != std::string::npos;
}
}  // namespace

void ZhangSkeel::declare_parameters(ParameterSection &section)
{
  section.declare("Beta", "0.25", Pattern::number("", Bounds::non_negative()),
                  "From 1/4 on the method is stable at any step where the potential is convex.");
  section.declare("Form", "full", Pattern::choice({"full", "simplified", "stiff split"}),
                  "full: with the third derivative of the potential, symplectic. simplified: without. stiff split: simplified, "
                  "and only Stiff terms enter the linear system; the step is then limited by the others.");
  section.declare("Coordinates", "x", Pattern::choice({"x", "q"}),
                  "What positions are, those of the start as well. x: those of the papers, in which the method is symplectic. q: "
                  "those of the forces, q = x + Beta dt^2 a (TO 2.2), which at large steps tell the residual of a penalised "
                  "constraint, and so its multiplier; x does not.");
  section.declare("Stiff terms", "contact", Pattern::text(),
                  "Of the stiff split, separated by commas: energy accounts (internal, contact) or kinds of terms (element, "
                  "bond, pair, angle, ...).");
  section.declare("Linear tolerance", "1e-12", Pattern::number("", Bounds::open(0, 1)),
                  "Relative, of conjugate gradients. Symplecticity and momenta are as good as this.");
  ShiftedSolver::declare_parameters(section);
}

ZhangSkeel::Settings ZhangSkeel::parse_parameters(const ParameterSection &section)
{
  Settings settings;
  settings.beta = section.number("Beta");
  const std::string form = section.text("Form");
  if (form == "simplified") settings.form = Form::simplified;
  if (form == "stiff split") settings.form = Form::stiff_split;
  if (section.text("Coordinates") == "q") settings.coordinates = Coordinates::q;
  settings.stiff_terms = split(section.text("Stiff terms"), ',');
  if (settings.form == Form::stiff_split && settings.stiff_terms.empty())
    throw section.error("Stiff terms", "a stiff split needs the names of the stiff terms, such as contact");
  settings.tolerance = section.number("Linear tolerance");
  settings.solver = ShiftedSolver::parse_parameters(section);
  return settings;
}

ZhangSkeel::ZhangSkeel(const Settings &settings) : settings_(settings)
{
  if (!(settings.beta >= 0)) throw InputError(fmt::format("Zhang-Skeel: beta is {}, must not be negative", settings.beta));
}

ZhangSkeel::~ZhangSkeel() = default;

std::string ZhangSkeel::name() const
{
  if (settings_.form == Form::full) return "Zhang-Skeel";
  return settings_.form == Form::simplified ? "simplified Zhang-Skeel" : "stiff split Zhang-Skeel";
}

ShiftedMatrix::Selection ZhangSkeel::stiff_selection() const
{
  if (settings_.form != Form::stiff_split) return {};
  for (const auto &name : settings_.stiff_terms)
  {
    std::string kinds;
    bool fits = false;
    for (const auto &family : system_->terms())
    {
      fits = fits || is_named(*family, name);
      kinds += fmt::format("{}{} ({})", kinds.empty() ? "" : ", ", family->kind(), name_of(family->account()));
    }
    if (!fits)
      throw InputError(fmt::format("Zhang-Skeel: Stiff terms names \"{}\", but the terms of this problem are: {}. Name one of "
                                   "these or the account in brackets.",
                                   name, kinds));
  }
  const auto names = settings_.stiff_terms;
  return [names](const LocalTerms &terms)
  { return std::any_of(names.begin(), names.end(), [&](const std::string &name) { return is_named(terms, name); }); };
}

void ZhangSkeel::start(const System &system, const State &)
{
  refuse_conditions(system, name());
  if (system_ != &system || !solver_)
  {
    system_ = &system;
    auto settings = settings_.solver;
    settings.selection = stiff_selection();
    solver_ = std::make_unique<ShiftedSolver>(system, settings);
  }
  force_step_ = 0;
}

void ZhangSkeel::evaluate(const Eigen::VectorXd &x, double dt)
{
  const double shift = settings_.beta * dt * dt;
  // The force before is near: conjugate gradients begin there.
  const auto start = force_step_ > 0 ? ShiftedSolver::Start::guess : ShiftedSolver::Start::zero;
  force_step_ = 0;
  system_->gradient(x, gradient_);
  ++n_force_evaluations_;
  gradient_ = -gradient_;
  solver_->assemble(x, 1, shift);
  solver_->solve(gradient_, settings_.tolerance, force_, start);
  if (shows_q()) acceleration_ = force_;
  if (settings_.form == Form::full)
  {
    system_->third_derivative(x, force_, contraction_);
    force_ -= shift * shift / 2 * system_->solve_mass(contraction_);
  }
  for (const int dof : system_->fixed_dofs()) force_[dof] = 0;
  force_step_ = std::abs(dt);
}

void ZhangSkeel::step(const State &now, double dt, State &next)
{
  // f depends on the step: compositions change it from one step to the next.
  const double shift = settings_.beta * dt * dt;
  if (force_step_ != std::abs(dt))
  {
    x_ = now.q;
    if (shows_q())
    {
      system_->gradient(now.q, gradient_);
      x_ += shift * system_->solve_mass(gradient_);
    }
    evaluate(x_, dt);
  }
  const Eigen::VectorXd &x = shows_q() ? x_ : now.q;
  const double first_part = is_symmetric() ? dt / 2 : dt;
  next.v.noalias() = now.v + first_part * force_;
  for (const int dof : system_->fixed_dofs()) next.v[dof] = 0;
  next.q.noalias() = x + dt * next.v;
  evaluate(next.q, dt);
  if (is_symmetric()) next.v.noalias() += dt / 2 * force_;
  if (!shows_q()) return;
  x_ = next.q;
  next.q += shift * acceleration_;
  for (const int dof : system_->fixed_dofs()) next.q[dof] = now.q[dof];
}

void ZhangSkeel::archive(Archive &archive)
{
  solver_->archive(archive);
  archive.list("force", force_);
  archive("step_of_force", force_step_);
  if (shows_q()) archive.list("x", x_);
}
}  // namespace freefall
