// cli/live_terminal.h: the terminal while the live view has it: a screen of its own, keys one by one, and the way back.
// World: offline. One at a time; the main thread's. Whatever ends the process but SIGKILL gives the terminal back first.
#pragma once
#include <string>
#include <vector>

#include "report/live_state.h"

namespace tenure::cli {

class LiveTerminal {
 public:
  // Standard input and output are terminals, and the terminal knows how to move its cursor.
  static bool is_possible();
  static bool is_utf8();

  LiveTerminal();
  ~LiveTerminal();
  LiveTerminal(const LiveTerminal&) = delete;
  LiveTerminal& operator=(const LiveTerminal&) = delete;

  // Readable when the size has changed or the process goes on after a stop.
  int changes() const { return changes_; }
  void take_changes();
  report::LiveSize size() const;

  // Only what differs from the rows before is written.
  void show(const std::vector<std::string>& rows);
  // Bytes that were typed; nothing: the terminal is gone.
  bool read(std::string* bytes);
  // As Ctrl-Z does in a shell; returns when we go on. `all`: so do the processes beside us in the terminal's foreground.
  void suspend(bool all);

 private:
  void enter();

  std::vector<std::string> shown_;
  int changes_ = -1;
};

}  // namespace tenure::cli
