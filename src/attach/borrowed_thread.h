// attach/borrowed_thread.h: a stopped thread with a stack of its own for our calls, and with the errno that it had.
// World: beside the program. Gives everything back when it goes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "attach/safe_thread.h"
#include "attach/tracee.h"

namespace tenure::attach {

class BorrowedThread {
 public:
  BorrowedThread(Tracee& thread, const CodeMap& code, const TargetMemory& memory);
  ~BorrowedThread() { give_back(); }
  BorrowedThread(const BorrowedThread&) = delete;
  BorrowedThread& operator=(const BorrowedThread&) = delete;

  bool is_ready() const { return errno_at_ != 0; }
  void give_back();

  // Into memory of the process that is there until the thread is given back: the address.
  uint64_t put(const void* data, size_t bytes);
  uint64_t put_text(const std::string& text) { return put(text.c_str(), text.size() + 1); }

  std::optional<int64_t> system_call(long number, const std::vector<uint64_t>& arguments) {
    return thread_.system_call(number, arguments);
  }
  std::optional<uint64_t> call(uint64_t function, const std::vector<uint64_t>& arguments,
                               double patience);

 private:
  Tracee& thread_;
  const TargetMemory& memory_;
  uint64_t room_ = 0, used_ = 0;
  uint64_t errno_at_ = 0;
  int errno_ = 0;
  bool is_given_back_ = false;
};

}  // namespace tenure::attach
