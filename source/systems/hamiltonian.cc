#include <freefall/core/errors.h>
#include <freefall/systems/hamiltonian.h>

#include <fmt/format.h>

namespace freefall
{
const Hamiltonian *non_separable_hamiltonian(const System &system)
{
  const auto *candidate = dynamic_cast<const HamiltonianSystem *>(&system);
  return candidate ? candidate->hamiltonian() : nullptr;
}

void refuse_non_separable(const System &system, const std::string &method)
{
  if (non_separable_hamiltonian(system))
    throw InputError(fmt::format("{} is for forces that do not depend on velocities, and this system has a magnetic field: choose "
                                 "constrained symplectic Euler",
                                 method));
}
}  // namespace freefall
