#include <freefall/core/rank_texts.h>
#include <freefall/core/ranks.h>

#include <mpi.h>
#include <algorithm>
#include <cstdint>

namespace freefall::ranks
{
namespace
{
/// MPI counts in int.
constexpr std::size_t longest_message = std::size_t(1) << 30;

void send(const std::string &text, int to)
{
  const std::uint64_t length = text.size();
  MPI_Send(&length, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD);
  for (std::size_t begin = 0; begin < text.size(); begin += longest_message)
    MPI_Send(text.data() + begin, static_cast<int>(std::min(longest_message, text.size() - begin)), MPI_CHAR, to, 0,
             MPI_COMM_WORLD);
}

std::string receive(int from)
{
  std::uint64_t length = 0;
  MPI_Recv(&length, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::string text(length, '\0');
  for (std::size_t begin = 0; begin < text.size(); begin += longest_message)
    MPI_Recv(text.data() + begin, static_cast<int>(std::min(longest_message, text.size() - begin)), MPI_CHAR, from, 0,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return text;
}
}  // namespace

std::vector<std::string> gather(const std::string &text)
{
  if (rank() > 0)
  {
    send(text, 0);
    return {};
  }
  std::vector<std::string> texts{text};
  for (int other = 1; other < size(); ++other) texts.push_back(receive(other));
  return texts;
}

std::string scatter(const std::vector<std::string> &texts)
{
  if (rank() > 0) return receive(0);
  for (int other = 1; other < size(); ++other) send(texts.at(other), other);
  return texts.at(0);
}
}  // namespace freefall::ranks
