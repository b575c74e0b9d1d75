#define BOOST_TEST_MODULE freefall
#include <boost/test/unit_test.hpp>
