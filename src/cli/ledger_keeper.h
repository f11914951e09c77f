// cli/ledger_keeper.h: the supervisor's end of the ledgers: takes them in, keeps them mapped, spools them to the record.
// World: beside the program. One thread.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "analyze/record.h"
#include "base/result.h"

namespace tenure::cli {

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
  void spool();    // writes those that changed since the last time
  void look();     // asks the kernel for each process's memory

  const std::vector<analyze::ProcessOutcome>& processes() const { return processes_; }
  const std::vector<std::string>& troubles() const { return troubles_; }
  uint64_t live_bytes_of(int pid) const;

 private:
  struct Kept {
    void* memory = nullptr;
    size_t bytes = 0;
    uint64_t spooled_state = ~0ull;  // tick and live bytes at the last spool, mixed
  };
  void take_one(int connection);
  void trouble(const std::string& sentence);

  std::string directory_;
  std::string name_;
  int socket_ = -1;
  std::vector<Kept> kept_;  // same order as processes_
  std::vector<analyze::ProcessOutcome> processes_;
  std::vector<std::string> troubles_;
};

}  // namespace tenure::cli
