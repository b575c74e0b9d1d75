#pragma once

#include <freefall/core/parameters.h>
#include <freefall/integrators/newton_method.h>

namespace freefall
{
/// The generalised-alpha method (Chung and Hulbert 1993); with alpha_m = 0 the HHT-alpha method (Hilber, Hughes, Taylor 1977).
///
///   M ((1 - alpha_m) a_n+1 + alpha_m a_n) + (1 - alpha_f) grad V(q_n+1) + alpha_f grad V(q_n) = 0,
///   q and v from a as in Newmark, gamma = 1/2 - alpha_m + alpha_f, beta = (1 - alpha_m + alpha_f)^2 / 4
///
/// Conserves:  linear momentum; damps what is faster than the step, to `spectral_radius` a step in the limit
/// Time level: on return q and v both belong to t + dt
/// Requires:   a spectral radius from 0 to 1 (HHT: from 1/2), else InputError
/// Throws:     StepFailed when Newton's iteration does not converge, DomainError; the state is left as it was
///
/// Carries an acceleration a_n that is not that of q_n. start() sets it to -M^-1 grad V(q), an error of O(dt^2) once.
class GeneralisedAlpha final : public NewtonMethod
{
public:
  enum class Family
  {
    chung_hulbert,
    hht
  };
  struct Settings
  {
    Family family = Family::chung_hulbert;
    double spectral_radius = 0.8;  ///< factor a step for infinitely fast modes
    NewtonSolver::Settings newton;
  };
  static void declare_parameters(ParameterSection &section);
  static Settings parse_parameters(const ParameterSection &section);

  explicit GeneralisedAlpha(const Settings &settings);

  std::string name() const override { return settings_.family == Family::hht ? "HHT-alpha" : "generalised-alpha"; }
  int order() const override { return 2; }
  bool is_symmetric() const override { return false; }
  void start(const System &system, const State &state) override;
  void step(const State &now, double dt, State &next) override;
  void archive(Archive &archive) override
  {
    NewtonMethod::archive(archive);
    archive.list("acceleration", a_);
  }

private:
  Settings settings_;
  double alpha_m_ = 0, alpha_f_ = 0, gamma_ = 0.5, beta_ = 0.25;
  Eigen::VectorXd a_;         ///< the acceleration that the method carries
  Eigen::VectorXd now_rate_;  ///< M^-1 grad V(q_n)
  Eigen::VectorXd next_rate_, next_a_, target_;
};
}  // namespace freefall
