#include <freefall/systems/global_numbers.h>
#include <freefall/systems/system.h>

#include <mpi.h>

namespace freefall
{
std::vector<int> global_numbers(const System &system)
{
  const int n = system.n_dofs();
  std::vector<int> numbers(n);
  int next = 0;
  if (system.is_distributed())
  {
    int n_owned = 0;
    for (int dof = 0; dof < n; ++dof) n_owned += system.is_owned(dof);
    MPI_Exscan(&n_owned, &next, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) next = 0;  // which MPI_Exscan leaves undefined
  }
  // Numbers of dofs are exact in doubles; all ranks but the owner add zero.
  Eigen::VectorXd exact = Eigen::VectorXd::Zero(n);
  for (int dof = 0; dof < n; ++dof)
    if (system.is_owned(dof)) exact[dof] = next++;
  system.add_other_ranks(exact);
  for (int dof = 0; dof < n; ++dof) numbers[dof] = static_cast<int>(exact[dof]);
  return numbers;
}
}  // namespace freefall
