#pragma once

#include <freefall/study/study_settings.h>

#include <vector>

namespace freefall
{
/// The exponent a of the envelope |y| ~ t^a: the slope of a line through the largest |y| of eight parts of the span, equal in
/// log t, each at the time where it is reached. Oscillations under the envelope do not count as long as each part holds one.
///
/// Throws RunError when fewer than three parts have a value that is not 0.
double growth_exponent(const std::vector<double> &times, const std::vector<double> &values, const TimeSpan &span);
}  // namespace freefall
