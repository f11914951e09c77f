// lib/journal.h: the record the library writes when it works alone: JSON lines, one per thing worth telling.
// World: the C++ library. Any thread; each line is one write, so a crash leaves whole lines.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

#include "tenure/history.h"
#include "tenure/leak_report.h"

namespace tenure::lib {

class Journal {
 public:
  bool open(const std::string& file);
  void error(const char* type, const History& history) noexcept;
  void closed(const LeakReport& report) noexcept;
  void exit(const LeakReport& live) noexcept;

 private:
  void write(const std::string& line);

  std::mutex mutex_;
  std::FILE* file_ = nullptr;  // guarded by mutex_; never closed: the last words come at exit
};

// How much could not be told for want of memory: telling never disturbs the program. Relaxed: a count, told at exit.
inline std::atomic<std::uint64_t> g_untold{0};
inline void count_untold() noexcept { g_untold.fetch_add(1, std::memory_order_relaxed); }

// Opened at first use where TENURE_RECORD names a file. Never destroyed.
[[nodiscard]] Journal& journal();

}  // namespace tenure::lib
