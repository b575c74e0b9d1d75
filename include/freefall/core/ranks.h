#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>

namespace freefall
{
/// The processes ("ranks") of one run started by mpirun, or the single process of a run started without it.
///
/// Every function but rank() and size() is collective: all ranks call it in the same order. With one rank nothing is sent, and
/// MPI is not even started.
///
/// Guarantees: results are the same on all ranks, bit for bit, and from run to run on the same number of ranks.
namespace ranks
{
/// Starts MPI when mpirun started the program, and ends it with the object. One object, in main().
class Session
{
public:
  Session();
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
};

int rank();
int size();

double sum(double value);
/// Entry by entry, in place. All ranks give the same size.
void sum(Eigen::Ref<Eigen::VectorXd> values);
double maximum(double value);
double minimum(double value);
/// Whether it is true on any rank.
bool any(bool value);

/// The text that rank `root` gives.
std::string broadcast(const std::string &text, int root);

/// Calls `work` on every rank. What one rank throws, all ranks throw: the error of the lowest rank that failed, of its own kind
/// (InputError, StepFailed, DomainError or RunError) and with its text. So no rank waits for one that gave up.
void together(const std::function<void()> &work);
/// The same, where only rank 0 has work to do.
void on_rank_zero(const std::function<void()> &work);

/// Ends all ranks at once; for errors that only one of them knows.
[[noreturn]] void abort(int exit_code);
}  // namespace ranks
}  // namespace freefall
