// tenure/history.h: the life of one buffer, tensor or scope as far as it is known: born, ended by whom, used where.
// Plain data: it stays readable after everything it speaks of is gone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tenure/event.h"

namespace tenure {

// A buffer is live, or its memory went to another owner (detached), or was given back (ended).
enum class State : std::uint8_t { live, detached, ended };

struct History {
  enum class Subject : std::uint8_t { buffer, tensor, scope };

  Subject subject = Subject::buffer;
  std::string name;
  std::string scope;  // path of the scope it belongs to: "session serving / request r1"
  State state = State::live;
  std::size_t bytes = 0;  // of a buffer, or live in a scope
  Event born;
  std::optional<Event> ended;  // or detached
  std::optional<Event> used;   // the use that failed
  std::string fix;             // what would help; empty where nothing went wrong

  [[nodiscard]] std::string title() const;  // one line
  [[nodiscard]] std::string text() const;  // the title, then born, ended, used and fix, a line each
  [[nodiscard]] std::string json() const;  // the same as one JSON object
};

[[nodiscard]] const char* to_text(State state) noexcept;
[[nodiscard]] const char* to_text(History::Subject subject) noexcept;

}  // namespace tenure
