#include <freefall/potentials/node_contact.h>

namespace freefall
{
NodeContact::NodeContact(const std::vector<int> &nodes)
{
  for (const int node : nodes)
    for (int c = 0; c < 3; ++c) dofs_.push_back(3 * node + c);
}
}  // namespace freefall
