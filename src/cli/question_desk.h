// cli/question_desk.h: the supervisor answers questions about the running program: who holds a block, and `show --now`.
// World: beside the program. One thread. A question waits here until the snapshot it needs has come.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/ledger_keeper.h"
#include "cli/snapshot_keeper.h"
#include "ledger/protocol.h"

namespace tenure::cli {

class QuestionDesk {
 public:
  QuestionDesk(std::string directory, std::string program)
      : directory_(std::move(directory)), program_(std::move(program)) {}
  ~QuestionDesk();
  QuestionDesk(const QuestionDesk&) = delete;
  QuestionDesk& operator=(const QuestionDesk&) = delete;

  // Beside the socket for ledgers of this name.
  Result<bool> listen(const std::string& ledger_socket);
  int socket() const { return socket_; }
  bool is_waiting() const { return !waiting_.empty(); }

  // New questions; those for a snapshot raise the program's flag.
  void take_in(LedgerKeeper& ledgers);
  // What can be answered by now. The record must name all snapshots that are kept: `show` reads it next.
  void answer(const SnapshotKeeper& snapshots);

 private:
  struct Waiting {
    int connection;
    ledger::Question question;
    std::chrono::steady_clock::time_point asked_at;
  };
  bool try_answer(const Waiting& waiting, const SnapshotKeeper& snapshots) const;
  std::string who_holds(const ledger::Question& question, const std::string& file) const;

  std::string directory_, program_;
  int socket_ = -1;
  std::vector<Waiting> waiting_;
};

// `tenure show --now`: asks the supervisor of this process for a snapshot. The record's folder.
Result<std::string> ask_for_snapshot(int pid);

}  // namespace tenure::cli
