#pragma once

#include <run_program.h>

#include <cstdlib>
#include <string>

/// What mpirun asks for on a small machine: more ranks than cores, and as root in a container, are both fine for a test.
inline void allow_many_ranks()
{
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
}

/// Runs `freefall ARGUMENTS` on so many ranks.
inline ProgramResult run_on(int n_ranks, const std::string &arguments)
{
  allow_many_ranks();
  if (n_ranks == 1) return run_freefall(arguments);
  return run_command("mpirun -n " + std::to_string(n_ranks) + " " + FREEFALL_EXECUTABLE + " " + arguments);
}
