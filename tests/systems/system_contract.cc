#include <freefall/systems/system.h>

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_SUITE(system_contract)
BOOST_AUTO_TEST_SUITE_END()
