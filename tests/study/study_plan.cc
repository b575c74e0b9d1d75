#include <freefall/core/errors.h>
#include <freefall/core/parameter_file.h>
#include <freefall/study/study_plan.h>
#include <study/study_files.h>

#include <boost/test/unit_test.hpp>

using namespace freefall;

namespace
{
/// The plan of a study of the oscillator with these lines.
StudyPlan plan_of(const ScratchFolder &scratch, const std::string &lines)
{
  write_oscillator(scratch / "base.prm");
  ParameterSection root;
  declare_study_parameters(root);
  read_prm("set Base = base.prm\n" + lines, (scratch / "study.prm").string(), root);
  return make_study_plan(parse_study_parameters(root, (scratch / "study.prm").string()));
}

std::string value_of(const StudyPlan &plan, int row, const std::string &key)
{
  for (const auto &[name, value] : plan.jobs[plan.rows[row].job].settings.entries())
    if (name == key) return value;
  return "";
}

const std::string step = "Integrator/Explicit Newmark/Time step";
}  // namespace

BOOST_AUTO_TEST_SUITE(study_plan)

BOOST_AUTO_TEST_CASE(ranges_hold_both_ends_and_round_values)
{
  BOOST_TEST(number_range(1e-3, 2.5e-4, 3, true) == std::vector<std::string>({"0.001", "0.0005", "0.00025"}));
  BOOST_TEST(number_range(2, 16, 4, true) == std::vector<std::string>({"2", "4", "8", "16"}));
  BOOST_TEST(number_range(0, 1, 5, false) == std::vector<std::string>({"0", "0.25", "0.5", "0.75", "1"}));
  BOOST_TEST(number_range(-1, -8, 4, true) == std::vector<std::string>({"-1", "-2", "-4", "-8"}));
}

BOOST_AUTO_TEST_CASE(sweeps_multiply_and_the_last_one_changes_fastest)
{
  const ScratchFolder scratch("plan_product");
  const auto plan = plan_of(scratch, "subsection Sweep step\n set Parameter = " + step +
                                       "\n set Values = 0.1, 0.05\nend\n"
                                       "subsection Sweep start\n set Parameter = Particles/Particle body/Position\n"
                                       " set Linear = 1, 3, 3\nend\n");
  BOOST_TEST_REQUIRE(plan.rows.size() == 6u);
  BOOST_TEST(plan.jobs.size() == 6u);
  BOOST_TEST(value_of(plan, 0, step) == "0.1");
  BOOST_TEST(value_of(plan, 2, step) == "0.1");
  BOOST_TEST(value_of(plan, 2, "Particles/Particle body/Position") == "3");
  BOOST_TEST(value_of(plan, 3, step) == "0.05");
  BOOST_TEST(*plan.rows[5].values[1] == "3");
  BOOST_TEST(plan.units[0] == "s");
}

BOOST_AUTO_TEST_CASE(sweeps_of_a_group_go_together)
{
  const ScratchFolder scratch("plan_zip");
  const auto plan = plan_of(scratch, "subsection Sweep step\n set Parameter = " + step +
                                       "\n set Values = 0.1, 0.05\n set Group = a\nend\n"
                                       "subsection Sweep start\n set Parameter = Particles/Particle body/Position\n"
                                       " set Values = 1 | 2\n set Group = a\nend\n");
  BOOST_TEST_REQUIRE(plan.rows.size() == 2u);
  BOOST_TEST(*plan.rows[1].values[0] == "0.05");
  BOOST_TEST(*plan.rows[1].values[1] == "2");
}

BOOST_AUTO_TEST_CASE(variants_have_their_settings_and_their_own_sweeps)
{
  const ScratchFolder scratch("plan_variants");
  const auto plan = plan_of(scratch,
                            "subsection Variant Newmark\nend\n"
                            "subsection Variant pair\n subsection Integrator\n  set Name = Dormand-Prince\n end\nend\n"
                            "subsection Sweep step\n set Parameter = " +
                              step +
                              "\n set Values = 0.1, 0.05\n set Variants = Newmark\nend\n"
                              "subsection Sweep tolerance\n set Parameter = Integrator/Dormand-Prince/Relative tolerance\n"
                              " set Geometric = 1e-6, 1e-8, 3\n set Variants = pair\nend\n");
  BOOST_TEST_REQUIRE(plan.rows.size() == 5u);
  BOOST_TEST(plan.rows[1].variant == "Newmark");
  BOOST_TEST(!plan.rows[1].values[1].has_value());
  BOOST_TEST(plan.rows[2].variant == "pair");
  BOOST_TEST(!plan.rows[2].values[0].has_value());
  BOOST_TEST(value_of(plan, 4, "Integrator/Name") == "Dormand-Prince");
  BOOST_TEST(value_of(plan, 4, "Integrator/Dormand-Prince/Relative tolerance") == "1e-08");
}

BOOST_AUTO_TEST_CASE(star_stands_for_every_section_with_such_a_key_and_a_template_is_filled)
{
  const ScratchFolder scratch("plan_star");
  const auto plan = plan_of(scratch,
                            "subsection Sweep step\n set Parameter = Integrator/*/Time step\n set Values = 0.1, 0.05\nend\n"
                            "subsection Sweep field\n set Parameter = Potentials/Gravity\n set Values = 0, 1\n"
                            " set Template = {}, 0, 2\nend\n");
  BOOST_TEST(value_of(plan, 3, step) == "0.05");
  BOOST_TEST(value_of(plan, 3, "Integrator/Runge-Kutta 4/Time step") == "0.05");
  BOOST_TEST(value_of(plan, 3, "Potentials/Gravity") == "1, 0, 2");
}

BOOST_AUTO_TEST_CASE(equal_runs_are_made_once_and_the_hash_follows_the_base_file)
{
  const ScratchFolder scratch("plan_hash");
  const std::string lines = "subsection Variant one\nend\nsubsection Variant same\nend\n";
  const auto plan = plan_of(scratch, lines);
  BOOST_TEST(plan.rows.size() == 2u);
  BOOST_TEST_REQUIRE(plan.jobs.size() == 1u);
  // FNV-1a of an empty text and of "a", from its authors' table.
  BOOST_TEST(hash_of("") == "cbf29ce484222325");
  BOOST_TEST(hash_of("a") == "af63dc4c8601ec8c");
  BOOST_TEST(plan_of(scratch, lines).jobs[0].hash == plan.jobs[0].hash);
  const auto other = plan_of(scratch, lines + "subsection Settings\n set End time = 2\nend\n");
  BOOST_TEST(other.jobs[0].hash != plan.jobs[0].hash);
}

BOOST_AUTO_TEST_CASE(reference_run_follows_only_the_sweeps_that_it_is_separate_for)
{
  const ScratchFolder scratch("plan_reference");
  const auto plan = plan_of(scratch, "subsection Sweep start\n set Parameter = Particles/Particle body/Position\n"
                                     " set Values = 1 | 2\nend\n"
                                     "subsection Sweep step\n set Parameter = " +
                                       step +
                                       "\n set Values = 0.1, 0.05\nend\n"
                                       "subsection Reference\n set Separately for = start\n subsection Settings\n"
                                       "  subsection Integrator\n   set Name = Runge-Kutta 4\n  end\n end\nend\n"
                                       "subsection Error x\n set Quantities = particle_body_position_x\nend\n");
  BOOST_TEST(plan.rows.size() == 4u);
  BOOST_TEST(plan.jobs.size() == 6u);
  BOOST_TEST(*plan.rows[0].reference_job == *plan.rows[1].reference_job);
  BOOST_TEST(*plan.rows[0].reference_job != *plan.rows[2].reference_job);
  const auto &settings = plan.jobs[*plan.rows[2].reference_job].settings.entries();
  BOOST_TEST(settings.size() == 2u);  // the start and the integrator, no step
}

BOOST_AUTO_TEST_SUITE_END()
