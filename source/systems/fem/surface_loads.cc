#include <freefall/core/errors.h>
#include <freefall/systems/fem/surface_loads.h>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <cctype>
#include <cmath>

namespace freefall
{
namespace
{
const std::vector<std::string> variables{"x", "y", "z", "t"};

/// Whether the variable t stands in a formula.
bool contains_time(const std::string &formula)
{
  const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t i = formula.find('t'); i != std::string::npos; i = formula.find('t', i + 1))
    if ((i == 0 || !is_name(formula[i - 1])) && (i + 1 == formula.size() || !is_name(formula[i + 1]))) return true;
  return false;
}

void require_components(const Formula &formula, int n, const char *what)
{
  if (formula.n_components() != n)
    throw InputError(fmt::format("a {} needs {} formula{} of x, y, z and t, not '{}'", what, n, n > 1 ? "s, separated by ;," : "",
                                 formula.text()));
}
}  // namespace

SurfaceLoads::SurfaceLoads(const SolidMesh &mesh) : mesh_(mesh), face_(reference_face(mesh.element)) {}

void SurfaceLoads::add_traction(const std::vector<int> &faces, const std::string &formulas)
{
  Load load{Formula(formulas, variables), faces};
  require_components(load.formula, 3, "traction");
  if (contains_time(formulas))
  {
    tractions_.push_back(std::move(load));
    return;
  }
  if (constant_.size() == 0) constant_.setZero(3 * mesh_.n_nodes());
  add_traction_forces(load, 0, constant_);
}

void SurfaceLoads::add_pressure(const std::vector<int> &faces, const std::string &formula)
{
  pressures_.push_back({Formula(formula, variables), faces});
  require_components(pressures_.back().formula, 1, "pressure");
}

double SurfaceLoads::evaluate(const Load &load, const Eigen::Vector3d &place, double time, int component) const
{
  const double value = load.formula({place[0], place[1], place[2], time}, component);
  if (std::isfinite(value)) return value;
  throw DomainError(fmt::format("the formula '{}' of a surface load is not finite at ({:.6g}, {:.6g}, {:.6g}) and t = {:.6g}",
                                load.formula.text(), place[0], place[1], place[2], time));
}

void SurfaceLoads::locate(int face, int point, const double *nodes, Eigen::Vector3d &place, Eigen::Vector3d &area) const
{
  const auto corners = mesh_.face_nodes(face);
  const int n = static_cast<int>(corners.size());
  Eigen::Vector3d along_1 = Eigen::Vector3d::Zero(), along_2 = along_1;
  place.setZero();
  for (int a = 0; a < n; ++a)
  {
    const Eigen::Map<const Eigen::Vector3d> x(nodes + 3 * corners[a]);
    const double *gradient = face_.gradients.data() + 2 * (point * n + a);
    place += face_.values[point * n + a] * x;
    along_1 += gradient[0] * x;
    along_2 += gradient[1] * x;
  }
  area = face_.weights[point] * along_1.cross(along_2);
}

void SurfaceLoads::add_traction_forces(const Load &load, double time, Eigen::VectorXd &forces) const
{
  Eigen::Vector3d place, area, traction;
  for (const int face : load.faces)
    for (int point = 0; point < face_.n_points; ++point)
    {
      locate(face, point, mesh_.nodes.data(), place, area);
      for (int c = 0; c < 3; ++c) traction[c] = evaluate(load, place, time, c);
      const auto nodes = mesh_.face_nodes(face);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        forces.segment<3>(3 * nodes[a]) += face_.values[point * nodes.size() + a] * area.norm() * traction;
    }
}

void SurfaceLoads::add_pressure_forces(const Load &load, double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const
{
  Eigen::Vector3d reference, reference_area, place, area;
  for (const int face : load.faces)
    for (int point = 0; point < face_.n_points; ++point)
    {
      locate(face, point, mesh_.nodes.data(), reference, reference_area);
      locate(face, point, q.data(), place, area);
      const double pressure = evaluate(load, reference, time, 0);
      const auto nodes = mesh_.face_nodes(face);
      for (std::size_t a = 0; a < nodes.size(); ++a)
        forces.segment<3>(3 * nodes[a]) -= face_.values[point * nodes.size() + a] * pressure * area;
    }
}

void SurfaceLoads::add_forces(double time, const Eigen::VectorXd &q, Eigen::VectorXd &forces) const
{
  for (const auto &load : tractions_) add_traction_forces(load, time, forces);
  for (const auto &load : pressures_) add_pressure_forces(load, time, q, forces);
}
}  // namespace freefall
