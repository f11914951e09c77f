// cli/live_watch.h: looks at a record again and again, in a thread of its own, and seldom enough to cost little.
// World: beside the program; asks nothing of it but, when told to, a snapshot.
#pragma once
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/result.h"
#include "record/record.h"
#include "report/live_state.h"

namespace tenure::cli {

// Until the next look, after one that took so much processor time: a second, and at most 5 % of a processor.
constexpr std::chrono::nanoseconds pause_after(std::chrono::nanoseconds cost) {
  constexpr int kRest = 19;  // times what the look took
  return std::max<std::chrono::nanoseconds>(std::chrono::seconds(1), cost * kRest);
}

// One look after the other, each judged as `tenure show` judges. Names of native code are looked up once, not at each look.
class Looker {
 public:
  explicit Looker(std::string directory) : directory_(std::move(directory)) {}
  Result<report::LiveState> look();
  // Whether another look would see something else.
  bool has_news() const;

  const std::string& directory() const { return directory_; }
  std::chrono::nanoseconds cost() const { return cost_; }  // of the last look, processor time

 private:
  using FileState = std::tuple<uint64_t, int64_t, int64_t>;  // another one means another content

  Result<report::LiveState> judged();
  std::optional<FileState> file_state() const;

  std::string directory_;
  std::shared_ptr<record::Symbols> symbols_;
  std::chrono::nanoseconds cost_{};
  std::optional<FileState> seen_;
  record::RunOutcome outcome_;  // that was seen
};

// What happened since one asked: each is told once.
struct LiveNews {
  std::optional<report::LiveState> state;
  std::string notice;   // what became of the snapshot or page that was asked for
  std::string trouble;  // why there will be no more looks; the last state stays
};

class LiveWatch {
 public:
  // `first`: what `looker` saw.
  LiveWatch(Looker looker, const report::LiveState& first);
  // A look or a snapshot that is under way is not waited for: the process must end with std::_Exit.
  ~LiveWatch();
  LiveWatch(const LiveWatch&) = delete;
  LiveWatch& operator=(const LiveWatch&) = delete;

  int news() const;  // readable when there is some
  LiveNews take();
  // False: one is asked for already.
  bool ask_snapshot(int pid);
  // The report page of the record; opened where the session has a browser. False: it is being made already.
  bool ask_page();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace tenure::cli
