// cli/live_loop.h: the live view as a loop: news of the record, keys and changes of the terminal in, frames out.
// World: offline; its main thread, and those of live_watch.h: whoever ran one must end with _exit.
#pragma once
#include <string>
#include <vector>

#include "cli/live_keys.h"
#include "cli/live_terminal.h"
#include "cli/live_watch.h"
#include "report/live_frame.h"
#include "report/live_state.h"

namespace tenure::cli {

// Where the program runs in the terminal of the view.
struct SharedTerminal {
  int end = -1;        // readable when the program has ended
  std::string output;  // the file with what it prints; empty: it has a terminal of its own
};

class LiveLoop {
 public:
  LiveLoop(Looker looker, report::LiveState first, SharedTerminal shared = {});

  // True: its user has seen enough. False: the program has ended, and the terminal is wanted.
  bool run();
  const report::LiveState& state() const { return state_; }

 private:
  void draw();
  void take_news();
  bool take_keys();
  bool act_on(const std::vector<Key>& keys);
  void ask_snapshot();
  void open_page();
  report::FrameOptions options() const;
  bool is_shared() const { return !shared_.output.empty(); }

  std::string directory_;
  report::LiveState state_;
  report::LiveView view_;
  LiveWatch watch_;
  LiveTerminal terminal_;
  KeyReader keys_;
  SharedTerminal shared_;
};

// How long ago the record was written, in seconds.
double age_of_record(const std::string& directory);

}  // namespace tenure::cli
