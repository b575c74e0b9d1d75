#include <freefall/core/ranks.h>
#include <freefall/systems/shared_dofs.h>

#include <mpi.h>
#include <algorithm>
#include <utility>

namespace freefall
{
SharedDofs::SharedDofs(int n_dofs, std::vector<Neighbour> neighbours)
  : neighbours_(std::move(neighbours)), is_owned_(n_dofs, 1)
{
  std::sort(neighbours_.begin(), neighbours_.end(), [](const auto &a, const auto &b) { return a.rank < b.rank; });
  for (const auto &neighbour : neighbours_)
  {
    if (neighbour.rank < ranks::rank())
      for (const int dof : neighbour.dofs) is_owned_[dof] = 0;
    shared_.insert(shared_.end(), neighbour.dofs.begin(), neighbour.dofs.end());
    outgoing_.emplace_back(static_cast<Eigen::Index>(neighbour.dofs.size()));
  }
  incoming_ = outgoing_;
  std::sort(shared_.begin(), shared_.end());
  shared_.erase(std::unique(shared_.begin(), shared_.end()), shared_.end());
  own_.resize(static_cast<Eigen::Index>(shared_.size()));
}

void SharedDofs::add(Eigen::VectorXd &values) const
{
  const int n = static_cast<int>(neighbours_.size());
  std::vector<MPI_Request> requests(2 * n);
  for (int i = 0; i < n; ++i)
  {
    const auto &[rank, dofs] = neighbours_[i];
    for (std::size_t k = 0; k < dofs.size(); ++k) outgoing_[i][k] = values[dofs[k]];
    const int count = static_cast<int>(dofs.size());
    MPI_Irecv(incoming_[i].data(), count, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &requests[2 * i]);
    MPI_Isend(outgoing_[i].data(), count, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &requests[2 * i + 1]);
  }
  for (std::size_t k = 0; k < shared_.size(); ++k) own_[k] = std::exchange(values[shared_[k]], 0.);
  MPI_Waitall(2 * n, requests.data(), MPI_STATUSES_IGNORE);

  const auto add_own = [&]
  {
    for (std::size_t k = 0; k < shared_.size(); ++k) values[shared_[k]] += own_[k];
  };
  bool own_is_added = false;
  for (int i = 0; i < n; ++i)
  {
    if (!own_is_added && neighbours_[i].rank > ranks::rank())
    {
      add_own();
      own_is_added = true;
    }
    const auto &dofs = neighbours_[i].dofs;
    for (std::size_t k = 0; k < dofs.size(); ++k) values[dofs[k]] += incoming_[i][k];
  }
  if (!own_is_added) add_own();
}

void SharedDofs::keep_owned(Eigen::VectorXd &values) const
{
  for (const int dof : shared_)
    if (!is_owned_[dof]) values[dof] = 0;
}

void SharedDofs::copy_from_owners(Eigen::VectorXd &values) const
{
  keep_owned(values);
  add(values);
}

int SharedDofs::n_global_dofs() const
{
  return static_cast<int>(ranks::sum(static_cast<double>(std::count(is_owned_.begin(), is_owned_.end(), 1))));
}

double SharedDofs::dot(const Eigen::VectorXd &a, const Eigen::VectorXd &b) const
{
  double mine = 0;
  for (Eigen::Index dof = 0; dof < a.size(); ++dof)
    if (is_owned_[dof]) mine += a[dof] * b[dof];
  return ranks::sum(mine);
}
}  // namespace freefall
