// cli/query_server.h: the supervisor answers queries about the running program: who holds a block, `show --now`, and where
// the record is.
// World: beside the program. One thread. A query waits here until the snapshot it needs has come.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/ledger_spooler.h"
#include "cli/snapshot_collector.h"
#include "ledger/protocol.h"

namespace tenure::cli {

class QueryServer {
 public:
  QueryServer(std::string directory, std::string program)
      : directory_(std::move(directory)), program_(std::move(program)) {}
  ~QueryServer();
  QueryServer(const QueryServer&) = delete;
  QueryServer& operator=(const QueryServer&) = delete;

  // Beside the socket for ledgers of this name.
  Result<bool> listen(const std::string& ledger_socket);
  int socket() const { return socket_; }
  bool is_waiting() const { return !waiting_.empty(); }
  bool is_record_wanted() const;  // by one that waits: then the record must have all up to now

  // New queries; those for a snapshot raise the program's flag.
  void take_in(LedgerSpooler& ledgers);
  // What can be answered by now. The record must name all snapshots that are kept: `show` reads it next.
  void answer(const SnapshotCollector& snapshots);

 private:
  struct Waiting {
    int connection;
    ledger::Query query;
    std::vector<int> asked;  // of these processes any may answer, the first rather than others
    std::chrono::steady_clock::time_point asked_at;
  };
  static int answering(const Waiting& waiting, const SnapshotCollector& snapshots);
  bool try_answer(const Waiting& waiting, const SnapshotCollector& snapshots) const;
  // What there is to answer by now; nothing: wait on.
  std::optional<std::string> answer_to(const Waiting& waiting,
                                       const SnapshotCollector& snapshots) const;
  std::string who_holds(const ledger::Query& query, const std::string& file) const;

  std::string directory_, program_;
  int socket_ = -1;
  std::vector<Waiting> waiting_;
};

// `tenure show --now`: asks the supervisor of this process for a snapshot of it or, if it is the main one and idle, of the
// processes it has started.
struct AnsweredSnapshot {
  int pid = 0;            // whose it is
  std::string directory;  // of the record
};
Result<AnsweredSnapshot> ask_for_snapshot(int pid);

// The folder of the record that this process is recorded in.
Result<std::string> ask_for_record(int pid);

}  // namespace tenure::cli
