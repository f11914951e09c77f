// cli/live_keys.h: the bytes of a terminal as keys, and what each key does to the live view.
// World: offline. Pure: whoever reads the terminal and the clock is live.cpp.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/live_state.h"

namespace tenure::cli {

struct Key {
  enum class Kind {
    character,
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    backspace,
    interrupt,     // Ctrl-C or Ctrl-\.
    end_of_input,  // Ctrl-D
    suspend,       // Ctrl-Z
  };
  Kind kind = Kind::character;
  std::string text;  // of a character, in UTF-8
};

// A key can arrive in pieces, and a lone Escape looks like the start of one.
class KeyReader {
 public:
  std::vector<Key> read(std::string_view bytes);
  bool is_waiting() const { return !pending_.empty(); }
  // Nothing more came for a while: what waits is all of it.
  std::vector<Key> flush();

 private:
  std::string pending_;
};

enum class LiveAct { none, quit, snapshot, page, suspend };

// `page`: lines that fit on the screen.
LiveAct apply(const Key& key, const report::LiveState& state, int page, report::LiveView& view);

}  // namespace tenure::cli
