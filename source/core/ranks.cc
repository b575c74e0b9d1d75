#include <freefall/core/errors.h>
#include <freefall/core/ranks.h>

#include <mpi.h>
#include <cstdlib>
#include <exception>

namespace freefall::ranks
{
namespace
{
bool is_started = false;  ///< by us, with more than one rank

bool mpirun_started_us()
{
  for (const char *variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char *size = std::getenv(variable); size && std::string(size) != "1") return true;
  return false;
}

double reduce(double value, MPI_Op operation)
{
  if (!is_started) return value;
  // Not MPI_Allreduce, which may add in a different order on different ranks.
  double result = value;
  MPI_Reduce(&value, &result, 1, MPI_DOUBLE, operation, 0, MPI_COMM_WORLD);
  MPI_Bcast(&result, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return result;
}

enum class Failure
{
  none,
  input,
  step,
  domain,
  run
};

[[noreturn]] void rethrow(Failure kind, const std::string &text)
{
  switch (kind)
  {
    case Failure::input: throw InputError(text);
    case Failure::step: throw StepFailed(text);
    case Failure::domain: throw DomainError(text);
    default: throw RunError(text);
  }
}
}  // namespace

Session::Session()
{
  if (!mpirun_started_us()) return;
  int already = 0;
  MPI_Initialized(&already);
  if (!already) MPI_Init(nullptr, nullptr);
  int n = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  is_started = n > 1;
}

Session::~Session()
{
  int running = 0, ended = 0;
  MPI_Initialized(&running);
  if (running) MPI_Finalized(&ended);
  if (running && !ended) MPI_Finalize();
  is_started = false;
}

int rank()
{
  int result = 0;
  if (is_started) MPI_Comm_rank(MPI_COMM_WORLD, &result);
  return result;
}

int size()
{
  int result = 1;
  if (is_started) MPI_Comm_size(MPI_COMM_WORLD, &result);
  return result;
}

double sum(double value) { return reduce(value, MPI_SUM); }
double maximum(double value) { return reduce(value, MPI_MAX); }
double minimum(double value) { return reduce(value, MPI_MIN); }

void sum(Eigen::Ref<Eigen::VectorXd> values)
{
  if (!is_started) return;
  const Eigen::VectorXd mine = values;
  const auto n = static_cast<int>(mine.size());
  MPI_Reduce(mine.data(), values.data(), n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Bcast(values.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

bool any(bool value)
{
  if (!is_started) return value;
  int mine = value, result = 0;
  MPI_Allreduce(&mine, &result, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return result != 0;
}

std::string broadcast(const std::string &text, int root)
{
  if (!is_started) return text;
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, root, MPI_COMM_WORLD);
  std::string result = text;
  result.resize(length);
  MPI_Bcast(result.data(), length, MPI_CHAR, root, MPI_COMM_WORLD);
  return result;
}

void together(const std::function<void()> &work)
{
  if (!is_started) return work();
  auto failure = Failure::none;
  std::string text;
  const auto fail = [&](Failure kind, const std::exception &error)
  {
    failure = kind;
    text = error.what();
  };
  try
  {
    work();
  }
  catch (const InputError &error)
  {
    fail(Failure::input, error);
  }
  catch (const StepFailed &error)
  {
    fail(Failure::step, error);
  }
  catch (const DomainError &error)
  {
    fail(Failure::domain, error);
  }
  catch (const RunError &error)
  {
    fail(Failure::run, error);
  }
  // The lowest rank that failed speaks for all.
  int speaker = failure == Failure::none ? size() : rank(), first = 0;
  MPI_Allreduce(&speaker, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == size()) return;
  int kind = static_cast<int>(failure);
  MPI_Bcast(&kind, 1, MPI_INT, first, MPI_COMM_WORLD);
  rethrow(static_cast<Failure>(kind), broadcast(text, first));
}

void on_rank_zero(const std::function<void()> &work)
{
  together(
    [&]
    {
      if (rank() == 0) work();
    });
}

void abort(int exit_code)
{
  if (is_started) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::exit(exit_code);
}
}  // namespace freefall::ranks
