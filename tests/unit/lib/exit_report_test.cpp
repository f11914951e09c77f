// The journal's last line: what is live when the program ends.
#include "tenure/leak_report.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tenure/buffer.h"

namespace tenure {
namespace {

class AtExit : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  // The same in both processes of a death test, another for each test.
  static std::string file() {
    return testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  static std::string last_line() {
    std::ifstream in(file());
    std::string line, last;
    while (std::getline(in, line)) last = line;
    std::remove(file().c_str());
    return last;
  }
};

TEST_F(AtExit, tells_what_is_live_in_a_scope_that_is_never_closed) {
  EXPECT_EXIT(
      {
        record_to(file());
        auto* never_closed = new Scope(ScopeKind::session, "serving");
        new Buffer<char>(*never_closed, "kept", 12345);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  std::string told = last_line();
  EXPECT_NE(told.find("\"event\":\"exit\""), std::string::npos) << told;
  EXPECT_NE(told.find("\"bytes\":12345"), std::string::npos) << told;
}

TEST_F(AtExit, is_told_of_a_program_without_scopes) {
  EXPECT_EXIT(
      {
        record_to(file());
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_NE(last_line().find("\"survivors\":[]"), std::string::npos);
}

}  // namespace
}  // namespace tenure
