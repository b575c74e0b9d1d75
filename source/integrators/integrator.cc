#include <freefall/core/errors.h>
#include <freefall/integrators/integrator.h>

namespace freefall
{
void archive_statistics(Archive &archive, const std::string &name, IntegratorStatistics &statistics)
{
  const Archive::Part part(archive, name);
  archive("n_steps", statistics.n_steps);
  archive("n_force_evaluations", statistics.n_force_evaluations);
  archive("n_potential_evaluations", statistics.n_potential_evaluations);
  archive("last_time_step", statistics.last_time_step);
  archive("smallest_time_step", statistics.smallest_time_step);
  archive("largest_time_step", statistics.largest_time_step);
}

void Integrator::couple(HeatBath &)
{
  throw InputError("this integrator has no steps of a fixed length that could exchange heat with a bath. Choose another one, or set "
                   "Thermostat/Temperature = none");
}

void Integrator::archive(Archive &archive, const State &state)
{
  const Archive::Part part(archive, "integrator");
  archive_statistics(archive, "statistics", statistics_);
  archive_memory(archive, state);
}

void Integrator::archive_memory(Archive &, const State &)
{
  throw NotRestartable("this integrator does not say what it carries from step to step (Integrator::archive_memory)");
}
}  // namespace freefall
