#include <fcntl.h>
#include <freefall/output/progress.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <sstream>

using namespace freefall;

namespace
{
/// A progress whose clock stands still until it is moved.
struct Watched
{
  explicit Watched(Progress::Style style) : progress(out, style, 0, 55e-6, 10, [this] { return now; }) {}

  std::string text_since_last_time()
  {
    const std::string text = out.str();
    out.str("");
    return text;
  }

  double now = 1000;
  std::ostringstream out;
  Progress progress;
};
}  // namespace

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(a_terminal_gets_one_line_rewritten_five_times_a_second_at_most)
{
  Watched run(Progress::Style::rewritten);
  run.now += 0.1;
  run.progress.update(1e-6, 10, 0);
  BOOST_TEST(run.text_since_last_time() == "");
  run.now += 0.4;
  run.progress.update(11e-6, 61725, 1.23e-14);
  BOOST_TEST(run.text_since_last_time() == "\r 20%  11.0 us / 55.0 us  drift 1.2e-14  123k steps/s  22.0 us/s  2 s left\x1b[K");
  run.now += 0.1;
  run.progress.update(12e-6, 70000, 1.23e-14);
  BOOST_TEST(run.text_since_last_time() == "");
}

BOOST_AUTO_TEST_CASE(the_longest_usual_line_fits_in_a_terminal_of_80_columns_whole)
{
  Watched run(Progress::Style::rewritten);
  run.now += 500000;
  run.progress.update(47.2e-6, 617250000000, -1.2e-14);
  BOOST_TEST(run.text_since_last_time() ==
             "\r 85%  47.2 us / 55.0 us  drift 1.2e-14  1.23M steps/s  94.4 ps/s  22:57:07 left\x1b[K");
}

BOOST_AUTO_TEST_CASE(a_longer_line_is_cut_lest_it_wrap)
{
  std::ostringstream out;
  double now = 0;
  Progress progress(out, Progress::Style::rewritten, 0, 2e150, 10, [&] { return now; });
  now = 1e7;
  progress.update(1.2345678e150, 100, 1e-100);
  const std::string text = out.str();
  BOOST_TEST(text.substr(0, 34) == "\r 61%  1.2346e+150 s / 2e+150 s  d");
  BOOST_TEST(text.size() == std::string("\r").size() + 79 + std::string("\x1b[K").size());
}

BOOST_AUTO_TEST_CASE(a_log_file_gets_a_plain_line_every_ten_seconds)
{
  Watched run(Progress::Style::lines);
  for (int step = 1; step <= 25; ++step)
  {
    run.now += 1;
    run.progress.update(step * 1e-6, step, 0);
  }
  BOOST_TEST(run.text_since_last_time() ==
             " 18%  10.0 us / 55.0 us  drift 0.0e+00  1.00 steps/s  1.00 us/s  45 s left\n"
             " 36%  20.0 us / 55.0 us  drift 0.0e+00  1.00 steps/s  1.00 us/s  35 s left\n");
}

BOOST_AUTO_TEST_CASE(the_end_finishes_the_line_and_says_done)
{
  Watched run(Progress::Style::rewritten);
  run.now += 5;
  run.progress.update(27.5e-6, 100, 0);
  run.text_since_last_time();
  run.now += 0.1;
  run.progress.update(55e-6, 510, 2e-15);
  run.progress.done();
  BOOST_TEST(run.text_since_last_time() ==
             "\r100%  55.0 us / 55.0 us  drift 2.0e-15  100 steps/s  10.8 us/s\x1b[K\ndone in 5 s\n");
  run.now += 5;
  run.progress.update(55e-6, 511, 0);
  BOOST_TEST(run.text_since_last_time() == "");
}

BOOST_AUTO_TEST_CASE(a_stop_says_where_and_why)
{
  Watched run(Progress::Style::lines);
  run.now += 4;
  run.progress.update(54.99999e-6, 8, 0);
  run.progress.stopped("element 17 inverted");
  BOOST_TEST(run.text_since_last_time() ==
             " 99%  55.0 us / 55.0 us  drift 0.0e+00  2.00 steps/s  13.7 us/s  0 s left\n"
             "stopped after 4 s: element 17 inverted\n");
}

BOOST_AUTO_TEST_CASE(a_note_does_not_break_the_line)
{
  Watched run(Progress::Style::rewritten);
  run.progress.note("before");
  run.now += 1;
  run.progress.update(5.5e-6, 10, 0);
  run.text_since_last_time();
  run.progress.note("warning");
  const std::string line = " 10%  5.50 us / 55.0 us  drift 0.0e+00  10.0 steps/s  5.50 us/s  9 s left";
  BOOST_TEST(run.text_since_last_time() == "\r\x1b[Kwarning\n\r" + line + "\x1b[K");
}

BOOST_AUTO_TEST_CASE(a_quiet_run_prints_nothing)
{
  Watched run(Progress::Style::quiet);
  run.now += 100;
  run.progress.update(1e-6, 10, 0);
  run.progress.note("warning");
  run.progress.done();
  BOOST_TEST(run.text_since_last_time() == "");
}

BOOST_AUTO_TEST_CASE(the_style_follows_from_the_file_behind_the_stream)
{
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  const int no_terminal = open("/dev/null", O_WRONLY);
  BOOST_REQUIRE(terminal >= 0);
  BOOST_TEST((Progress::style_for(terminal, false) == Progress::Style::rewritten));
  BOOST_TEST((Progress::style_for(no_terminal, false) == Progress::Style::lines));
  BOOST_TEST((Progress::style_for(terminal, true) == Progress::Style::quiet));
  close(terminal);
  close(no_terminal);
}

BOOST_AUTO_TEST_SUITE_END()
