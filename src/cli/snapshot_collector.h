// cli/snapshot_collector.h: the supervisor's end of the snapshots: waits for those under way, keeps the last of each process.
// World: beside the program. One thread. Who takes a snapshot never waits for us: the socket holds it until we look.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/record.h"

namespace tenure::cli {

class SnapshotCollector {
 public:
  explicit SnapshotCollector(std::string directory) : directory_(std::move(directory)) {}
  ~SnapshotCollector();
  SnapshotCollector(const SnapshotCollector&) = delete;
  SnapshotCollector& operator=(const SnapshotCollector&) = delete;

  // Beside the socket for ledgers of this name.
  Result<bool> listen(const std::string& ledger_socket);

  bool take_in();          // everything that has come; whether there was a new one
  void wait(int seconds);  // for those under way; gives up on what takes longer

  // Names the files in the processes they show.
  void list_in(std::vector<record::ProcessOutcome>* processes) const;
  // Reads them back for the processes that name them.
  void fill(record::Record* record) const;
  // File of the newest one of that process, if it was taken at this time of CLOCK_MONOTONIC or later; else empty.
  std::string newest(int pid, uint64_t since_ns) const;
  const std::vector<std::string>& troubles() const { return troubles_; }

 private:
  enum class Answer { none_yet, done };
  struct UnderWay {
    int connection;
    int number;  // in the order in which they were begun
  };
  Answer receive(const UnderWay& snapshot);
  void keep(int pid, int number, int memfd);
  void trouble(const std::string& sentence);

  std::string directory_;
  int socket_ = -1;
  int begun_ = 0;
  size_t keeps_ = 0;
  std::vector<UnderWay> under_way_;
  struct Kept {
    std::string name;  // of its file
    bool is_asked_for;
  };
  void drop_one(std::map<int, Kept>& kept);

  std::map<int, std::map<int, Kept>> kept_;  // pid -> number
  std::map<int, uint64_t> newest_ns_;        // pid -> when its newest was taken
  std::vector<std::string> troubles_;
};

}  // namespace tenure::cli
