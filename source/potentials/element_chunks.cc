#include <freefall/potentials/element_chunks.h>

#include <algorithm>

namespace freefall
{
ElementChunks::ElementChunks(const std::vector<Cell> &cells, int n_nodes)
{
  const int n_cells = static_cast<int>(cells.size());
  std::vector<int> local_number(n_nodes, -1);
  places_.resize(cells.size());
  chunks_.push_back({0, 0});
  const auto close_chunk = [&](int end)
  {
    for (int i = chunks_.back().node; i < static_cast<int>(nodes_.size()); ++i) local_number[nodes_[i]] = -1;
    chunks_.push_back({end, static_cast<int>(nodes_.size())});
  };
  for (int first = 0; first < n_cells; first += granularity)
  {
    const int end = std::min(first + granularity, n_cells);
    int n_new = 0;
    for (int e = first; e < end; ++e)
      n_new +=
        static_cast<int>(std::count_if(cells[e].begin(), cells[e].end(), [&](int node) { return local_number[node] < 0; }));
    // Nodes new to two elements count twice: such a group may go to the next chunk although it would just fit.
    if (static_cast<int>(nodes_.size()) - chunks_.back().node + n_new > max_nodes) close_chunk(first);
    for (int e = first; e < end; ++e)
      for (int a = 0; a < 4; ++a)
      {
        int &local = local_number[cells[e][a]];
        if (local < 0)
        {
          local = static_cast<int>(nodes_.size()) - chunks_.back().node;
          nodes_.push_back(cells[e][a]);
        }
        places_[e][a] = static_cast<std::uint16_t>(4 * local);
      }
  }
  if (n_cells > 0) close_chunk(n_cells);
  nodes_.shrink_to_fit();
  chunks_.shrink_to_fit();
}

std::size_t ElementChunks::memory_consumption() const
{
  return chunks_.capacity() * sizeof(Start) + nodes_.capacity() * sizeof(int) + places_.capacity() * sizeof(Places);
}
}  // namespace freefall
