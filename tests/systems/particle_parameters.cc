#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/systems/particles/jacobi_reduction.h>
#include <freefall/systems/particles/particle_parameters.h>

#include <boost/test/unit_test.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

using namespace freefall;

namespace
{
/// The system of a parameter file with these lines, and of the CSV files written before.
std::unique_ptr<System> parse(const std::string &text)
{
  ParameterSection root;
  declare_particle_parameters(root);
  read_prm(text, "test.prm", root);
  return parse_particle_parameters(root);
}

struct CsvFiles
{
  CsvFiles(const std::string &particles, const std::string &bonds, const std::string &angles)
  {
    std::ofstream("test_particles.csv") << particles;
    std::ofstream("test_bonds.csv") << bonds;
    std::ofstream("test_angles.csv") << angles;
  }
  ~CsvFiles()
  {
    for (const char *name : {"test_particles.csv", "test_bonds.csv", "test_angles.csv"}) std::remove(name);
  }
};

const std::string from_files =
  "subsection Particles\n  set Dimension = 2\n  set File = test_particles.csv\nend\n"
  "subsection Potentials\n  set Bond file = test_bonds.csv\n  set Angle file = test_angles.csv\nend\n";
const std::string good_particles =
  "name,mass,charge,x,y,vx,vy\nh1,1,0.4,0.9,0.1,0,0.5\no,16,-0.8,0,0,0,0\nh2,1,0.4,-0.2,1,0.1,0\n";
const std::string good_bonds = "first,second,stiffness,rest_length\nh1,o,10,1\nh2,o,10,1\n";
const std::string good_angles = "first,vertex,second,stiffness,rest_angle\nh1,o,h2,2,104.5\n";

void check_files(const std::string &particles, const std::string &bonds, const std::string &angles, const std::string &expected)
{
  const CsvFiles files(particles, bonds, angles);
  BOOST_CHECK_EXCEPTION(parse(from_files), InputError,
                        [&](const InputError &error)
                        {
                          BOOST_TEST_MESSAGE(error.what());
                          return std::string(error.what()).find(expected) != std::string::npos;
                        });
}
}  // namespace

namespace
{
std::map<std::string, double> observed(const System &system)
{
  std::map<std::string, double> values;
  for (const auto &value : system.observe(system.initial_state())) values[value.name] = value.value;
  return values;
}
}  // namespace

BOOST_AUTO_TEST_SUITE(particle_parameters)

BOOST_AUTO_TEST_CASE(a_molecule_from_files_is_the_same_as_one_written_out)
{
  const CsvFiles files(good_particles, good_bonds, good_angles);
  const auto read = parse(from_files);
  const auto written = parse(R"(
    subsection Particles
      set Dimension = 2
      subsection Particle h1
        set Charge = 0.4
        set Position = 0.9, 0.1
        set Velocity = 0, 0.5
      end
      subsection Particle o
        set Mass = 16
        set Charge = -0.8
        set Position = 0, 0
      end
      subsection Particle h2
        set Charge = 0.4
        set Position = -0.2, 1
        set Velocity = 0.1, 0
      end
    end
    subsection Potentials
      subsection Bond 1
        set Particles = h1, o
        set Stiffness = 10
        set Rest length = 1
      end
      subsection Bond 2
        set Particles = h2, o
        set Stiffness = 10
        set Rest length = 1
      end
      subsection Angle 1
        set Particles = h1, o, h2
        set Stiffness = 2
        set Rest angle = 104.5
      end
    end)");
  BOOST_TEST(read->n_dofs() == 6);
  BOOST_TEST((read->initial_state().q == written->initial_state().q));
  BOOST_TEST((read->initial_state().v == written->initial_state().v));
  BOOST_TEST((read->diagonal_mass() == written->diagonal_mass()));
  const double energy = read->potential_energy(read->initial_state().q);
  BOOST_TEST_REQUIRE(energy > 0.01);
  BOOST_TEST(energy == written->potential_energy(written->initial_state().q));
}

BOOST_AUTO_TEST_CASE(positions_of_few_particles_are_observed_unless_told_otherwise)
{
  const auto particles = [](int n, const std::string &line)
  {
    std::string text = "subsection Particles\n  set Dimension = 2\n" + line;
    for (int i = 0; i < n; ++i)
      text += "  subsection Particle p " + std::to_string(i) + "\n    set Position = " + std::to_string(i) + ", 0.5\n  end\n";
    return text + "end\n";
  };
  const auto few = parse(particles(10, ""));
  BOOST_TEST(observed(*few).at("particle_p_3_position_x") == 3);
  BOOST_TEST(observed(*few).at("particle_p_3_position_y") == 0.5);
  BOOST_TEST(observed(*few).at("particle_p_9_velocity_y") == 0);
  BOOST_TEST(observed(*parse(particles(11, ""))).count("particle_p_3_position_x") == 0u);
  BOOST_TEST(observed(*parse(particles(2, "set Observed = none\n"))).count("particle_p_1_position_x") == 0u);
  const auto one = observed(*parse(particles(11, "set Observed = p 7\n")));
  BOOST_TEST(one.count("particle_p_7_position_x") == 1u);
  BOOST_TEST(one.count("particle_p_6_position_x") == 0u);
}

BOOST_AUTO_TEST_CASE(every_potential_can_be_switched_on)
{
  const std::string particles =
    "subsection Particles\n  set Dimension = 1\n  set Boltzmann constant = 1\n"
    "  subsection Particle a\n    set Position = 0.3\n    set Charge = 1\n  end\n"
    "  subsection Particle b\n    set Position = 1.5\n    set Charge = -1\n  end\nend\nsubsection Potentials\n";
  for (const std::string potential :
       {"set Gravitational constant = 1", "set Coulomb constant = 1", "set Gravity = 1, 0, 0", "set External field = x^2",
        "set On-site = 1 - cos(q)", "set Nearest neighbours = d^4", "subsection Lennard-Jones\nset Epsilon = 1\nend",
        "subsection Lennard-Jones\nset Epsilon = 1\nset Cut-off = 2\nend", "subsection Morse\nset Depth = 1\nend",
        "subsection Central gravity\nset Strength = 1\nset Centre = 5, 0, 0\nend",
        "subsection Bond a\nset Particles = a, b\nset Law = quartic\nset Quartic = 2\nend",
        "subsection Bond a\nset Particles = a, b\nset Law = Morse\nend"})
  {
    const auto system = parse(particles + potential + "\nend\n");
    BOOST_TEST_REQUIRE(system->terms().size() == 1, potential);
    Eigen::VectorXd gradient;
    system->gradient(system->initial_state().q, gradient);
    BOOST_TEST(gradient.norm() > 0, potential);
    BOOST_TEST(observed(*system).count("temperature") == 1u);
  }
}

BOOST_AUTO_TEST_CASE(fixed_particles_and_reductions_are_understood)
{
  const std::string two =
    "subsection Particles\n  set Dimension = 2\n  subsection Particle a\n    set Position = 0, 0\n  end\n"
    "  subsection Particle b\n    set Position = 1, 0\n  end\n";
  BOOST_TEST(parse(two + "set Fixed = b\nend\n")->fixed_dofs().size() == 2);
  const auto reduced =
    parse(two + "set Reduction = Jacobi\nend\nsubsection Potentials\n  set Gravitational constant = 1\nend\n");
  BOOST_TEST(dynamic_cast<const JacobiReduction *>(reduced.get()) != nullptr);
  BOOST_TEST(reduced->n_dofs() == 2);
}

BOOST_AUTO_TEST_CASE(mistakes_in_files_are_named)
{
  check_files("name,mass,x\na,1,0\na,1,1\n", good_bonds, good_angles, "the particles 1 and 2 have the same name 'a'");
  check_files("name,mass,x\na,-1,0\n", good_bonds, good_angles, "test_particles.csv:2: the mass is -1: it must be positive");
  check_files("name,mass,x\na,1\n", good_bonds, good_angles,
              "test_particles.csv:2: the row has 2 columns, but the header has 3");
  check_files("name,mass,x,z\na,1,0,3\n", good_bonds, good_angles, "z = 3 and its velocity 0 must be 0 in 2 dimensions");
  check_files(good_particles, "first,second,stiffness,rest_length\nh1,oo,10,1\n", good_angles,
              "test_bonds.csv:2: there is no particle 'oo'. Did you mean \"o\"?");
  check_files(good_particles, "first,second,stiffness,rest_length\nh1,h1,10,1\n", good_angles, "joins a particle with itself");
  check_files(good_particles, good_bonds, "first,vertex,second,stiffness,rest_angle\nh1,o,h3,2,104.5\n",
              "test_angles.csv:2: there is no particle 'h3'");
  check_files("name,mass,x,y\nh1,1,0,0\no,16,0,0\nh2,1,1,1\n", good_bonds, good_angles,
              "the initial positions of the particles 'h1', 'o' are not possible: harmonic bond 1");
}

BOOST_AUTO_TEST_SUITE_END()
