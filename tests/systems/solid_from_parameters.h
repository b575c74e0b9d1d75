#pragma once

#include <freefall/core/parameter_file.h>
#include <freefall/systems/fem/solid_parameters.h>

#include <memory>
#include <string>

/// The solid of the text of a parameter file, read as if it stood in the folder parameters/.
inline std::unique_ptr<freefall::SolidSystem> solid_from(const std::string &text)
{
  freefall::ParameterSection root;
  freefall::declare_solid_parameters(root);
  freefall::read_prm(text, std::string(FREEFALL_SOURCE_DIR) + "/parameters/test.prm", root);
  return freefall::make_solid(root);
}
