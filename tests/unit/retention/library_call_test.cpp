// A program and what is known of the way to the blocks in, the line that gave them to a library out. The sources are compiled
// by every CPython that is installed.
#include "analyze/heap/library_call.h"

#include "../bytecode/compiled.h"

namespace tenure::analyze {
namespace {

using Kind = KeptName::Kind;

class LibraryCallTest : public bytecode::OnEachPython {
 protected:
  int line_of(const std::string& text, const KeptClues& clues,
              const std::vector<KeptName>& names = {}) const {
    auto found = find_library_call(compile(text).program(), names, clues);
    return found ? found->line : 0;
  }
};
INSTANTIATE_TEST_SUITE_P(Code, LibraryCallTest, bytecode::kAllPythons, bytecode::name_of_python);

KeptClues clues_of(std::vector<std::string> types, std::vector<std::string> functions,
                   std::string module) {
  KeptClues clues;
  clues.types = std::move(types);
  clues.functions = std::move(functions);
  clues.module = std::move(module);
  return clues;
}

const KeptName kLogger{Kind::variable, "LOGGER", "", ""};

TEST_P(LibraryCallTest, IsTheCallThatGetsWhatIsKept) {
  EXPECT_EQ(line_of("import logging\n"
                    "LOGGER = logging.getLogger('x')\n"
                    "def start(run):\n"
                    "    handler = logging.StreamHandler()\n"
                    "    handler.setLevel(3)\n"
                    "    LOGGER.addHandler(handler)\n"
                    "    LOGGER.info('started %s', run)\n",
                    clues_of({"Logger", "list", "StreamHandler"}, {}, ""), {kLogger}),
            6);
}

TEST_P(LibraryCallTest, IsOfTheModuleThatKeeps) {
  const char* text =
      "import atexit\n"
      "class Connection:\n"
      "    def __init__(self):\n"
      "        self.window = bytearray(9)\n"
      "        atexit.register(self.close)\n"
      "    def close(self):\n"
      "        print('closed', self.window)\n";
  EXPECT_EQ(line_of(text, clues_of({"method", "Connection", "bytearray"}, {}, "atexit")), 5);
}

TEST_P(LibraryCallTest, IsTheOneThatStartsAThread) {
  const char* text =
      "import threading\n"
      "def watch(done, frames):\n"
      "    done.wait()\n"
      "def main():\n"
      "    for number in range(9):\n"
      "        frames = bytearray(9)\n"
      "        threading.Thread(target=watch, args=(1, frames)).start()\n"
      "        print(len(frames))\n";
  EXPECT_EQ(line_of(text, clues_of({"bytearray"}, {"watch"}, "threading")), 7);
}

// A thread that is made and not started keeps nothing.
TEST_P(LibraryCallTest, IsTheStartOfAThreadThatHasAName) {
  const char* text =
      "import threading\n"
      "def watch(done, frames):\n"
      "    done.wait()\n"
      "def main():\n"
      "    for number in range(9):\n"
      "        watcher = threading.Thread(target=watch, args=(1, bytearray(9)))\n"
      "        watcher.start()\n";
  EXPECT_EQ(line_of(text, clues_of({"bytearray"}, {"watch"}, "threading")), 7);
  const char* own =
      "import threading\n"
      "class Poller(threading.Thread):\n"
      "    def run(self):\n"
      "        self.stopped.wait()\n"
      "def main():\n"
      "    poller = Poller()\n"
      "    poller.start()\n";
  EXPECT_EQ(line_of(own, clues_of({"Poller", "bytearray"}, {"run"}, "threading")), 7);
}

// The line to change is in the method then.
TEST_P(LibraryCallTest, IsNoCallOfTheProgramsOwnMethod) {
  const char* text =
      "class Results:\n"
      "    def add(self, row):\n"
      "        self.rows[0] = row\n"
      "def main(results):\n"
      "    row = bytearray(9)\n"
      "    results.add(row)\n";
  const KeptName results{Kind::variable, "results", "main", ""};
  EXPECT_EQ(line_of(text, clues_of({"Results", "bytearray"}, {}, ""), {results}), 0);
  EXPECT_EQ(line_of(text, clues_of({"Session", "bytearray"}, {}, ""), {results}), 6);
}

TEST_P(LibraryCallTest, NeedsTwoOfThreeClues) {
  const char* text =
      "def main(bus):\n"
      "    page = bytearray(9)\n"
      "    bus.append(1)\n"
      "    bus.count(page)\n";
  EXPECT_EQ(line_of(text, clues_of({"bytearray"}, {}, "")), 0);
  EXPECT_EQ(line_of(text, clues_of({"bytearray"}, {}, "bus")), 0) << "two lines could be it";
  EXPECT_EQ(line_of("def main(bus):\n    bus.append(1)\n", clues_of({}, {}, "bus")), 2);
}

}  // namespace
}  // namespace tenure::analyze
