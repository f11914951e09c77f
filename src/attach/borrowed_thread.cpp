#include "attach/borrowed_thread.h"

#include <sys/mman.h>
#include <sys/syscall.h>

namespace tenure::attach {
namespace {

constexpr uint64_t kRoom = 512 << 10;  // the stack comes down towards what was put
constexpr double kPatience = 5;        // seconds

}  // namespace

BorrowedThread::BorrowedThread(Tracee& thread, const CodeMap& code, const TargetMemory& memory)
    : thread_(thread), memory_(memory) {
  const uint64_t where_errno_is = code.find("__errno_location");
  if (!where_errno_is || !thread_.borrow(code.gadgets())) return;
  const auto room = thread_.system_call(
      SYS_mmap, {0, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0});
  if (!room || (*room < 0 && *room > -4096)) return;
  room_ = static_cast<uint64_t>(*room);
  errno_at_ = call(where_errno_is, {}, kPatience).value_or(0);
  if (errno_at_ && !memory_.read(errno_at_, &errno_, sizeof errno_)) errno_at_ = 0;
}

void BorrowedThread::give_back() {
  if (is_given_back_) return;  // the thread may be gone by now
  is_given_back_ = true;
  if (errno_at_) memory_.write(errno_at_, &errno_, sizeof errno_);
  if (room_) thread_.system_call(SYS_munmap, {room_, kRoom});
  errno_at_ = room_ = 0;
  thread_.give_back();
}

uint64_t BorrowedThread::put(const void* data, size_t bytes) {
  const uint64_t at = room_ + used_;
  used_ += (bytes + 15) / 16 * 16;
  return memory_.write(at, data, bytes) ? at : 0;
}

std::optional<uint64_t> BorrowedThread::call(uint64_t function,
                                             const std::vector<uint64_t>& arguments,
                                             double patience) {
  return thread_.call(function, arguments, room_ + kRoom, patience);
}

}  // namespace tenure::attach
