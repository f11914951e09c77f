// analyze/errors/errors.h: what went wrong with lifetimes and at the end of a process, as data.
// World: offline. Values.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analyze/run/place.h"
#include "base/vocabulary.h"

namespace tenure::analyze {

struct ErrorText {
  std::string type;
  std::string message;
};

// A tensor, session, graph, buffer or block that was used after its end, as whoever saw it tells it.
struct LifetimeError {
  Kind kind = Kind::closed_session;
  Severity told_as = Severity::note;  // by whoever saw it
  std::string title, why, fix, holder;
  std::vector<Place> where;
  uint64_t count = 0;
  std::optional<ErrorText> error;
};

// Memory was refused, or the system killed the program for it.
struct OutOfMemory {
  std::string title, why;
  std::vector<Place> where;
  uint64_t bytes = 0;  // at the peak
  uint64_t count = 0;
  std::optional<ErrorText> error;
};

}  // namespace tenure::analyze
