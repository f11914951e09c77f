// cli/metrics_publisher.h: `--metrics`: a process of its own that reads the record of a running program, as `tenure live` does,
// and hands what it sees to Prometheus: in a file, or over HTTP on this machine.
// World: beside the program; asks nothing of it. One thread.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace tenure::cli {

// Where the text goes: a file that is replaced at once, or a port of 127.0.0.1.
class MetricsTarget {
 public:
  // `asked`: a number is a port, all else a file; "-" is standard output, once.
  static Result<MetricsTarget> open(const std::string& asked);
  MetricsTarget(MetricsTarget&& other) noexcept;
  MetricsTarget(const MetricsTarget&) = delete;
  MetricsTarget& operator=(const MetricsTarget&) = delete;
  MetricsTarget& operator=(MetricsTarget&&) = delete;
  ~MetricsTarget();

  bool is_once() const;
  int socket() const { return socket_; }  // -1: a file
  Result<bool> put(const std::string& text);
  void serve() const;  // one reader that waits at the socket

 private:
  MetricsTarget() = default;
  std::string path_;  // empty: a port
  std::string text_;
  int socket_ = -1;
};

// Until the program of the record has ended; `over` (a pipe, -1: none) closes when nobody wants it any more.
int publish_metrics(const std::string& record, MetricsTarget target, int over);

// Beside `tenure run`: begins before the program, and never shares a terminal, a process group or an open file with it.
class MetricsPublisher {
 public:
  MetricsPublisher() = default;
  ~MetricsPublisher() { finish(); }
  MetricsPublisher(const MetricsPublisher&) = delete;
  MetricsPublisher& operator=(const MetricsPublisher&) = delete;

  void start(const std::string& record, MetricsTarget target);
  void end();  // the program is over: one last look
  void finish();
  uint64_t processor_ns() const { return processor_ns_; }  // once it is finished

 private:
  pid_t pid_ = -1;
  int over_ = -1;
  uint64_t processor_ns_ = 0;
};

}  // namespace tenure::cli
