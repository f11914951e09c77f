// cli/record_keeper.h: keeps the record of a program that runs: its ledgers, snapshots and moments, and run.json beside them.
// What `run` and `attach` share: they differ in how a program is begun and how it ends.
// World: beside the program. One thread.
#pragma once
#include <poll.h>

#include <array>
#include <chrono>
#include <string>

#include "base/result.h"
#include "cli/job_placement.h"
#include "cli/ledger_spooler.h"
#include "cli/memory_watch.h"
#include "cli/page_watch.h"
#include "cli/query_server.h"
#include "cli/snapshot_collector.h"
#include "record/record.h"

namespace tenure::cli {

// Why there is no watching: Tenure's own trouble, the program can still run without it.
inline constexpr int kCannotWatch = 2;

class RecordKeeper {
 public:
  using Clock = std::chrono::steady_clock;

  // `program`: what it is asked by, as analyze::main_file_of tells.
  RecordKeeper(const std::string& directory, const std::string& program);
  ~RecordKeeper();
  RecordKeeper(const RecordKeeper&) = delete;
  RecordKeeper& operator=(const RecordKeeper&) = delete;

  Result<bool> listen();  // before the program comes
  void begin();           // it starts, or is attached to, now
  void watch_main(int pid);

  // What to wait for, beside the caller's own: descriptors, and milliseconds until something is due that none of them tells.
  std::array<pollfd, 3> watched() const;
  int pause() const;
  // After such a wait. True: the timer came, and a look was taken.
  bool work(const std::array<pollfd, 3>& watched);

  // All that still comes of the program has come.
  void end(int snapshot_patience);
  record::Record collected();

  double seconds() const;  // since begin()
  record::RunOutcome& outcome() { return outcome_; }
  LedgerSpooler& ledgers() { return ledgers_; }
  const std::string& socket_name() const { return ledgers_.socket_name(); }
  SnapshotCollector& snapshots() { return snapshots_; }

 private:
  void set_timer(double seconds);
  void add_moment();
  void on_queries();
  void on_timer();
  void write_down();

  std::string directory_;
  LedgerSpooler ledgers_;
  JobPlacement placement_;
  SnapshotCollector snapshots_;
  PageWatch pages_;
  MemoryWatch memory_;
  QueryServer queries_;
  record::RunOutcome outcome_;
  int timer_ = -1;
  int looks_ = 0;
  uint64_t oom_kills_before_;
  Clock::time_point started_ = Clock::now();
};

}  // namespace tenure::cli
