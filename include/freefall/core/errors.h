#pragma once

#include <stdexcept>
#include <string>

namespace freefall
{
/// The input is wrong. Nothing has been written over. Ends the program with exit code 2.
///
/// The text says what, where, the value found, what is allowed and what to do.
class InputError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// The run cannot go on. Everything computed so far is kept. Ends the program with exit code 3.
class RunError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// An integrator could not make a step and left the state as it was before that step.
class StepFailed : public RunError
{
public:
  using RunError::RunError;
};

/// A configuration lies outside the domain of a potential (an inverted element, coincident particles).
///
/// Thrown by local terms, which know the place but not the time; integrators catch it and throw StepFailed, which names both.
class DomainError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};
}  // namespace freefall
