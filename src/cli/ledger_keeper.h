// cli/ledger_keeper.h: the supervisor's end of the ledgers: takes them in, keeps them mapped, spools them to the record.
// World: beside the program. One thread.
#pragma once
#include <string>
#include <vector>

#include "analyze/record.h"
#include "base/result.h"

namespace tenure::cli {

// A living process whose parent joined too.
struct ForkedProcess {
  size_t position = 0;  // in processes()
  int pid = 0;
  Tick tick = 0;
};

class LedgerKeeper {
 public:
  explicit LedgerKeeper(std::string directory) : directory_(std::move(directory)) {}
  ~LedgerKeeper();
  LedgerKeeper(const LedgerKeeper&) = delete;
  LedgerKeeper& operator=(const LedgerKeeper&) = delete;

  Result<bool> listen();
  int socket() const { return socket_; }
  const std::string& socket_name() const { return name_; }

  void take_in();  // every ledger that waits at the socket
  void
  spool();  // writes those that changed since the last time, and lets go of those whose process is gone
  void look();  // asks the kernel for each process's memory

  // What there is to analyse: from memory where it can be had, so that a full disk costs no findings.
  void fill(analyze::Record* record) const;

  const std::vector<analyze::ProcessOutcome>& processes() const { return processes_; }
  const std::vector<std::string>& troubles() const { return troubles_; }
  void trouble(const std::string& sentence);
  uint64_t live_bytes_of(int pid) const;
  std::vector<ForkedProcess> forked() const;
  bool want_snapshot(int pid);  // raises the flag in its ledger; false: there is no such process

 private:
  struct Kept {
    void* memory = nullptr;  // nullptr: let go, the file has all there is
    size_t bytes = 0;
    uint64_t spooled_state = ~0ull;  // what changes as the process goes on, mixed
    bool is_gone = false;            // the process has ended, or has become another program
  };
  void take_one(int connection);
  void spool_one(size_t i);
  void give_up(size_t i);
  static void let_go(Kept& kept);
  void note_gone();
  std::string file_of(size_t i) const { return directory_ + "/" + processes_[i].ledger; }

  std::string directory_;
  std::string name_;
  int socket_ = -1;
  std::vector<Kept> kept_;  // same order as processes_
  std::vector<analyze::ProcessOutcome> processes_;
  std::vector<std::string> troubles_;
};

// Whether a supervisor listens at that socket; else the name is a leftover.
bool is_someone_listening(const std::string& socket_name);

}  // namespace tenure::cli
