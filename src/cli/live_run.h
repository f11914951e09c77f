// cli/live_run.h: `tenure run --live`: the live view of a program in the terminal that it runs in. A process of its own draws it;
// what the program would print there goes to a file of the record.
// World: beside the program. The program waits for nothing of it, and goes on when it fails.
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>

namespace tenure::cli {

class LiveRun {
 public:
  // Nothing where standard input and output are no terminal that can show it.
  static std::unique_ptr<LiveRun> start(const std::string& record);

  ~LiveRun() { end(); }
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  int output() const { return output_; }  // where the program prints to
  const std::string& file() const { return file_; }
  void end();  // gives the terminal back, with the end of what the program printed

 private:
  LiveRun(std::string file, int output) : file_(std::move(file)), output_(output) {}

  std::string file_;
  int output_ = -1;
  int end_ = -1;  // written to when the view is to end
  pid_t viewer_ = -1;
};

}  // namespace tenure::cli
