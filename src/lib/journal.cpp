#include "lib/journal.h"

#include <cstdlib>
#include <exception>

#include "lib/json_text.h"

namespace tenure::lib {

bool Journal::open(const std::string& file) {
  std::FILE* opened = std::fopen(file.c_str(), "ae");
  if (!opened) return false;
  std::lock_guard lock(mutex_);
  if (file_) std::fclose(file_);
  file_ = opened;
  return true;
}

void Journal::write(const std::string& line) {
  std::lock_guard lock(mutex_);
  if (!file_) return;
  std::fputs((line + "\n").c_str(), file_);
  std::fflush(file_);
}

void Journal::error(const char* type, const History& history) noexcept try {
  write("{\"event\":\"lifetime-error\",\"type\":" + quoted(type) +
        ",\"history\":" + history.json() + "}");
} catch (const std::exception&) {
  count_untold();
}

void Journal::closed(const LeakReport& report) noexcept try {
  write("{\"event\":\"closed-over-live-buffers\",\"report\":" + report.json() + "}");
} catch (const std::exception&) {
  count_untold();
}

void Journal::exit(const LeakReport& live) noexcept try {
  write(
      "{\"event\":\"exit\",\"untold\":" + std::to_string(g_untold.load(std::memory_order_relaxed)) +
      ",\"report\":" + live.json() + "}");
} catch (const std::exception&) {
  count_untold();
}

Journal& journal() {
  static Journal* made = [] {
    auto* journal = new Journal;
    if (const char* file = std::getenv("TENURE_RECORD")) journal->open(file);
    return journal;
  }();
  return *made;
}

}  // namespace tenure::lib
