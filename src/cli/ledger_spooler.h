// cli/ledger_spooler.h: the supervisor's end of the ledgers: takes them in, keeps them mapped, spools them to the record.
// World: beside the program. One thread.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "record/record.h"

namespace tenure::cli {

// A living process whose parent joined too.
struct ForkedProcess {
  size_t position = 0;  // in processes()
  int pid = 0;
  Tick tick = 0;
};

// A living process that is not being taken apart, and what its ledger counts.
struct LivingProcess {
  size_t position = 0;  // in processes()
  int pid = 0;
  const void* ledger = nullptr;  // where it is mapped, as long as no other is taken in or spooled
  record::MemoryMoment counted;  // as far as the ledger knows
};

class LedgerSpooler {
 public:
  explicit LedgerSpooler(std::string directory) : directory_(std::move(directory)) {}
  ~LedgerSpooler();
  LedgerSpooler(const LedgerSpooler&) = delete;
  LedgerSpooler& operator=(const LedgerSpooler&) = delete;

  Result<bool> listen();
  int socket() const { return socket_; }
  const std::string& socket_name() const { return name_; }

  void take_in();  // every ledger that waits at the socket
  // Writes those that changed since the last time, and unmaps those whose process is gone.
  void spool();
  void spool_at_end();  // the same, and fill() need not read again what was written
  void look();          // asks the kernel for each process's memory

  // What there is to analyse: from memory where it can be had, so that a full disk costs no findings.
  void fill(record::Record* record);

  const std::vector<record::ProcessOutcome>& processes() const { return processes_; }
  const std::vector<std::string>& troubles() const { return troubles_; }
  void trouble(const std::string& sentence);
  uint64_t live_bytes_of(int pid) const;
  std::vector<ForkedProcess> forked() const;
  std::vector<LivingProcess> living() const;
  // Living processes that this one has started, or one of those; most live memory first.
  std::vector<int> processes_below(int pid) const;
  bool want_snapshot(int pid);  // raises the flag in its ledger; false: there is no such process

 private:
  struct Kept {
    void* memory = nullptr;  // nullptr: unmapped, the file has all there is
    size_t bytes = 0;
    uint64_t spooled_state = ~0ull;  // what changes as the process goes on, mixed
    bool is_gone = false;            // the process has ended, or has become another program
    std::vector<char> last_image;    // of a process that is gone; empty: only the file has it
  };
  void take_one(int connection);
  std::vector<char> spool_one(size_t i);
  void give_up(size_t i);
  static void unmap(Kept& kept);
  void note_gone();
  std::string file_of(size_t i) const { return directory_ + "/" + processes_[i].ledger; }

  std::string directory_;
  std::string name_;
  int socket_ = -1;
  std::vector<Kept> kept_;  // same order as processes_
  std::vector<record::ProcessOutcome> processes_;
  std::vector<std::string> troubles_;
};

// Whether a supervisor listens at that socket; else the name is a leftover.
bool is_someone_listening(const std::string& socket_name);

}  // namespace tenure::cli
