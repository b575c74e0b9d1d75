#pragma once

#include <freefall/core/named_value.h>
#include <freefall/core/number_columns.h>

#include <Eigen/Core>
#include <vector>

namespace freefall
{
/// What makes an orbit of two bodies: the acceleration between them is k / r^2.
struct OrbitParameters
{
  double strength = 0;                               ///< k = G (m_1 + m_2), or that of a fixed centre
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of one particle; not used for two
};

/// The ellipse (or hyperbola) that two bodies would follow from now on if nothing else acted on them: osculating elements.
struct OrbitalElements
{
  double radius;
  double radial_velocity;
  double semi_major_axis;  ///< -k / 2E: negative on a hyperbola
  double eccentricity;
  double period;       ///< 2 pi sqrt(a^3 / k); not a number on a hyperbola
  double argument;     ///< of the periapsis, rad: in the plane from the x axis, in space from the ascending node; nan for e = 0
  double inclination;  ///< against the plane x, y, rad
  double node;         ///< longitude of the ascending node, rad; 0 for an orbit in the plane x, y
};

/// From the relative position and velocity.
OrbitalElements orbital_elements(const Eigen::Vector3d &r, const Eigen::Vector3d &v, double strength);
/// As columns of history.csv; inclination and node in three dimensions only.
NamedValues named(const OrbitalElements &elements, int dimension);

/// What the columns of named() tell over a run: the means of semi-major axis and eccentricity, the period as the mean time from
/// one apoapsis to the next (where the motion is slow, so that rows resolve it), the turn of the periapsis in one such period.
/// Without two apoapses the last two are left out.
NamedValues measure_orbit(const NumberColumns &history);

/// Mean over time of values given at increasing times, by the trapezoidal rule.
double mean_over_time(const std::vector<double> &times, const std::vector<double> &values);
}  // namespace freefall
