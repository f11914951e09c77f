#include "attach/attachment.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "attach/borrowed_thread.h"
#include "attach/remote_symbols.h"
#include "attach/safe_thread.h"
#include "ledger/layout.h"
#include "ledger/protocol.h"

namespace tenure::attach {
namespace {

using Clock = std::chrono::steady_clock;
using ledger::AttachAnswer;
using ledger::AttachRequest;

constexpr double kPatience = 15;  // seconds, until a thread comes to where it can be used
constexpr double kCallPatience = 20;
constexpr char kLibraryName[] = "libtenure.so";

double milliseconds_since(Clock::time_point then) {
  return std::chrono::duration<double, std::milli>(Clock::now() - then).count();
}

const LoadedFile* find_library(const std::vector<LoadedFile>& files) {
  const LoadedFile* found = find_loaded(files, kLibraryName);
  return found ? found : find_loaded(files, std::string("memfd:") + kLibraryName);
}

// Where the library begins in the process; 0: it is not there.
uint64_t library_in(int pid) {
  const std::vector<LoadedFile> files = loaded_files(mappings_of(pid));
  const LoadedFile* found = find_library(files);
  return found ? found->start : 0;
}

Error broken_off(int pid) {
  if (mappings_of(pid).empty())
    return {fmt::format("process {} ended while it was being attached to", pid), 2};
  return {fmt::format("process {} could not be attached to: a call into it did not come back; it "
                      "goes on as before. Try again, or start it with tenure run",
                      pid),
          2};
}

// The library's bytes, in memory of the process itself: it may see none of our files.
bool copy_into(int pid, int64_t descriptor, const std::string& library) {
  const int from = open(library.c_str(), O_RDONLY | O_CLOEXEC);
  const int to = open(fmt::format("/proc/{}/fd/{}", pid, descriptor).c_str(), O_WRONLY | O_CLOEXEC);
  ssize_t n = from >= 0 && to >= 0 ? 1 : -1;
  while (n > 0) n = sendfile(to, from, nullptr, 1 << 30);
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  return n == 0;
}

// Puts the library into the process by a thread of it.
class Loading {
 public:
  Loading(const Target& target, const CodeMap& code, const TargetMemory& memory,
          BorrowedThread& thread)
      : target_(target), code_(code), memory_(memory), thread_(thread) {}

  Result<bool> load(const std::string& library) {
    if (!target_.is_in_other_files && open_library(library)) return true;
    auto descriptor =
        thread_.system_call(SYS_memfd_create, {thread_.put_text(kLibraryName), MFD_CLOEXEC});
    if (!descriptor || *descriptor < 0)
      return Error{fmt::format("process {} may make no memory for Tenure's library; start it with "
                               "tenure run",
                               target_.pid),
                   2};
    const bool is_loaded = copy_into(target_.pid, *descriptor, library) &&
                           open_library(fmt::format("/proc/self/fd/{}", *descriptor));
    thread_.system_call(SYS_close, {static_cast<uint64_t>(*descriptor)});
    if (is_loaded) return true;
    return Error{fmt::format("process {} cannot load Tenure's library ({}); start it with tenure "
                             "run",
                             target_.pid, why_.empty() ? "its loader does not answer" : why_),
                 2};
  }

 private:
  bool open_library(const std::string& path) {
    constexpr uint64_t kFromOutside = 0x80000000;  // __RTLD_DLOPEN
    const uint64_t flags = RTLD_NOW | RTLD_NODELETE;
    std::optional<uint64_t> handle;
    if (const uint64_t dlopen = code_.find("dlopen"))
      handle = thread_.call(dlopen, {thread_.put_text(path), flags}, kCallPatience);
    else if (const uint64_t inner = code_.find("__libc_dlopen_mode"))
      handle = thread_.call(inner, {thread_.put_text(path), flags | kFromOutside}, kCallPatience);
    if (handle.value_or(0) != 0) return true;
    if (handle) ask_why();
    return false;
  }

  // The words must be taken in any case: the loader keeps them for this thread.
  void ask_why() {
    const uint64_t dlerror = code_.find("dlerror");
    if (!dlerror) return;
    char words[256] = {};
    if (auto text = thread_.call(dlerror, {}, kCallPatience); text.value_or(0) != 0)
      memory_.read(*text, words, sizeof words - 1);
    why_ = words;
  }

  const Target& target_;
  const CodeMap& code_;
  const TargetMemory& memory_;
  BorrowedThread& thread_;
  std::string why_;
};

Result<bool> meaning_of(AttachAnswer answer, int pid) {
  switch (answer) {
    case AttachAnswer::watches:
      return true;
    case AttachAnswer::other_version:
      return Error{
          fmt::format("another version of Tenure was attached to process {} before, and its "
                      "library stays there: use that version, or start the program anew",
                      pid),
          2};
    case AttachAnswer::is_preloaded:
      return Error{
          fmt::format("process {} was started by tenure run: ask that one, with tenure show "
                      "--now {} or tenure live {}",
                      pid, pid, pid),
          2};
    case AttachAnswer::is_watched:
      return Error{fmt::format("another tenure attach watches process {}: end that first", pid), 2};
    case AttachAnswer::other_heap:
      return Error{fmt::format("process {} has a malloc of its own; start it with tenure run "
                               "--observe instead",
                               pid),
                   2};
    case AttachAnswer::is_locked_in:
      return Error{
          fmt::format("process {} has locked itself in (seccomp); start it with tenure run", pid),
          2};
    case AttachAnswer::cannot_join:
      break;
  }
  return Error{fmt::format("process {} has no room for Tenure's ledger, or may not reach it: its "
                           "limits of address space and file size must leave 64 MiB",
                           pid),
               2};
}

Result<Attachment> switch_on(int pid, const std::string& socket, const TargetMemory& memory,
                             BorrowedThread& thread) {
  const uint64_t library = library_in(pid);
  const uint64_t function =
      library ? RemoteSymbols(memory, library).find(ledger::kAttachFunction) : 0;
  if (!function) return meaning_of(AttachAnswer::other_version, pid).error();
  AttachRequest request{};
  request.version = ledger::kVersion;
  std::strncpy(request.socket, socket.c_str(), sizeof request.socket - 1);
  const uint64_t at = thread.put(&request, sizeof request);
  auto answer = thread.call(function, {at}, kCallPatience);
  if (!answer || !memory.read(at, &request, sizeof request)) return broken_off(pid);
  const Result<bool> on = meaning_of(static_cast<AttachAnswer>(static_cast<int32_t>(*answer)), pid);
  if (!on) return on.error();
  return Attachment{pid, request.part_at, request.busy_at, request.slots};
}

Result<Attachment> attach_by(const Target& target, const CodeMap& code, const TargetMemory& memory,
                             Tracee& tracee, const std::string& library,
                             const std::string& socket) {
  BorrowedThread thread(tracee, code, memory);
  if (!thread.is_ready()) return broken_off(target.pid);
  if (!find_library(code.files())) {
    Result<bool> loaded = Loading(target, code, memory, thread).load(library);
    if (!loaded) return loaded.error();
  }
  return switch_on(target.pid, socket, memory, thread);
}

// All threads of the process, standing still; empty where one works for Tenure at this moment.
std::vector<std::unique_ptr<Tracee>> stop_all(const Attachment& attachment,
                                              const TargetMemory& memory) {
  std::vector<std::unique_ptr<Tracee>> stopped;
  bool is_busy = false;
  for (bool is_new = true; is_new && !is_busy;) {
    is_new = false;
    for (int thread : threads_of(attachment.pid)) {
      const bool is_known = std::any_of(stopped.begin(), stopped.end(),
                                        [&](const auto& t) { return t->thread() == thread; });
      if (is_known) continue;
      auto tracee = std::make_unique<Tracee>(thread);
      if (!tracee->stop()) continue;
      tracee->restart_interrupted_call(is_signal_pending(attachment.pid, thread));
      const uint64_t flag = tracee->registers().fs_base + static_cast<uint64_t>(attachment.busy_at);
      const uint64_t part = tracee->registers().fs_base + static_cast<uint64_t>(attachment.part_at);
      is_busy |= memory.value<uint8_t>(flag) != 0 || memory.value<uint32_t>(part) != 0;
      stopped.push_back(std::move(tracee));
      is_new = true;
    }
  }
  if (is_busy) stopped.clear();
  return stopped;
}

}  // namespace

Result<Attachment> attach_to(const Target& target, const std::string& library,
                             const std::string& socket) {
  const TargetMemory memory(target.pid);
  const CodeMap code(target.pid, memory);
  if (!code.has_gadgets()) return broken_off(target.pid);
  const std::unique_ptr<Tracee> tracee = stop_safe_thread(target.pid, code, kPatience);
  if (!tracee)
    return Error{
        fmt::format("no thread of process {} came to a place where Tenure may use it for {} "
                    "seconds; it goes on as before. Try again",
                    target.pid, kPatience),
        2};
  const auto began = Clock::now();
  tracee->restart_interrupted_call(is_signal_pending(target.pid, tracee->thread()));
  Result<Attachment> made = attach_by(target, code, memory, *tracee, library, socket);
  tracee->let_go();
  if (made) made->pause_ms = milliseconds_since(began);
  return made;
}

Result<double> detach_from(const Attachment& attachment) {
  const TargetMemory memory(attachment.pid);
  const CodeMap code(attachment.pid, memory);
  const LoadedFile* library = find_library(code.files());
  const uint64_t function =
      library ? RemoteSymbols(memory, library->start).find(ledger::kDetachFunction) : 0;
  if (!function) return Error{fmt::format("process {} has ended", attachment.pid), 2};
  const auto end = Clock::now() + std::chrono::duration<double>(kPatience);
  while (Clock::now() < end) {
    const auto began = Clock::now();
    std::vector<std::unique_ptr<Tracee>> threads = stop_all(attachment, memory);
    if (!threads.empty()) {
      BorrowedThread thread(*threads.front(), code, memory);
      if (thread.is_ready() && thread.call(function, {}, kCallPatience)) {
        thread.give_back();
        threads.clear();
        return milliseconds_since(began);
      }
    }
    threads.clear();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Error{fmt::format("Tenure could not be taken out of process {}: its threads never stood "
                           "outside of it at once. The program goes on, a little slower",
                           attachment.pid),
               2};
}

Result<bool> enter_network_of(const Target& target) {
  if (!target.is_in_other_network) return true;
  const int network =
      open(fmt::format("/proc/{}/ns/net", target.pid).c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_there = network >= 0 && setns(network, CLONE_NEWNET) == 0;
  const int failure = errno;
  if (network >= 0) close(network);
  if (is_there) return true;
  return Error{fmt::format("process {} is in another network, as in a container, and that one may "
                           "not be entered ({}): attach as root",
                           target.pid, std::strerror(failure)),
               2};
}

}  // namespace tenure::attach
