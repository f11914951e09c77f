#include "attach/safe_thread.h"

#include <fmt/core.h>
#include <sys/syscall.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "attach/remote_symbols.h"

namespace tenure::attach {
namespace {

using Clock = std::chrono::steady_clock;

// Files of glibc whose code may hold the locks of its heap, its loader or its list of threads; and ours.
constexpr const char* kGuardedFiles[] = {
    "libc.so",    "libc-2.",      "ld-linux",           "ld-2.", "libdl",
    "libpthread", "libtenure.so", "memfd:libtenure.so", "librt"};
constexpr uint64_t kHeapAlignment =
    64 << 20;  // of glibc's heaps beside the main one, which begin with their lock
constexpr uint64_t kHeapHead = 4096;
constexpr size_t kScannedStack = 64 << 10;

size_t find_bytes(const std::vector<unsigned char>& code,
                  std::initializer_list<unsigned char> bytes) {
  auto at = std::search(code.begin(), code.end(), bytes.begin(), bytes.end());
  return static_cast<size_t>(at - code.begin());
}

}  // namespace

CodeMap::CodeMap(int pid, const TargetMemory& memory)
    : memory_(memory), mappings_(mappings_of(pid)), files_(loaded_files(mappings_)) {
  find_gadgets();
}

const LoadedFile* CodeMap::libc() const {
  const LoadedFile* found = find_loaded(files_, "libc.so.6");
  return found ? found : find_loaded(files_, "libc-2.");
}

void CodeMap::find_gadgets() {
  const LoadedFile* libc = this->libc();
  if (!libc) return;
  for (const Mapping& mapping : mappings_) {
    if (!mapping.is_code || !libc->holds(mapping.start)) continue;
    std::vector<unsigned char> code(mapping.end - mapping.start);
    if (!memory_.read(mapping.start, code.data(), code.size())) continue;
    auto take = [&](uint64_t* out, std::initializer_list<unsigned char> bytes) {
      const size_t at = find_bytes(code, bytes);
      if (*out == 0 && at < code.size()) *out = mapping.start + at;
    };
    take(&gadgets_.system_call, {0x0f, 0x05});
    take(&gadgets_.trap, {0xcc});
    take(&signal_return_, {0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0, 0x0f, 0x05});
  }
}

uint64_t CodeMap::find(const char* name) const {
  for (const char* file : {"libc.so.6", "libc-2.", "libdl"}) {
    const LoadedFile* loaded = find_loaded(files_, file);
    if (!loaded) continue;
    if (const uint64_t found = RemoteSymbols(memory_, loaded->start).find(name)) return found;
  }
  return 0;
}

bool CodeMap::is_guarded_code(uint64_t address) const {
  return std::any_of(std::begin(kGuardedFiles), std::end(kGuardedFiles), [&](const char* name) {
    const LoadedFile* file = find_loaded(files_, name);
    return file && file->holds(address);
  });
}

// Of libc itself, or of one of its heaps.
bool CodeMap::is_guarded_lock(uint64_t address) const {
  if (address % kHeapAlignment < kHeapHead) return true;
  for (size_t i = 1; i < mappings_.size(); ++i) {  // the zeroed rest of a file's data has no name
    const bool is_data_of_file = mappings_[i].path.empty() &&
                                 mappings_[i].start == mappings_[i - 1].end &&
                                 is_guarded_code(mappings_[i - 1].start);
    if (is_data_of_file && mappings_[i].holds(address)) return true;
  }
  return is_guarded_code(address);
}

// In a signal handler: what counts is where the handler came.
bool CodeMap::has_interrupted_guarded_code(const user_regs_struct& registers) const {
  constexpr size_t kContext = 1, kProgramCounter = 16, kSegments = 18, kHead = 5;  // in words
  constexpr uint16_t kUserCode = 0x33;
  if (!signal_return_) return false;
  std::vector<uint64_t> stack(kScannedStack / sizeof(uint64_t));
  while (!stack.empty() &&
         !memory_.read(registers.rsp, stack.data(), stack.size() * sizeof(uint64_t)))
    stack.resize(stack.size() / 2);
  for (size_t i = 0; i + kContext + kHead + kSegments < stack.size(); ++i) {
    if (stack[i] != signal_return_) continue;
    const uint64_t* saved = &stack[i + kContext + kHead];
    const bool is_frame = static_cast<uint16_t>(saved[kSegments]) == kUserCode;
    if (is_frame && is_guarded_code(saved[kProgramCounter])) return true;
  }
  return false;
}

bool CodeMap::is_safe(const Tracee& thread) const {
  const user_regs_struct& registers = thread.registers();
  const LoadedFile* loader = find_loaded(files_, "ld-");
  if (thread.waits_in_kernel()) {
    if (loader && loader->holds(registers.rip)) return false;
    if (registers.orig_rax == SYS_futex && is_guarded_lock(registers.rdi)) return false;
  } else {
    const bool is_in_kernel = static_cast<int64_t>(registers.orig_rax) >= 0;
    if (is_in_kernel || is_guarded_code(registers.rip)) return false;
  }
  return !has_interrupted_guarded_code(registers);
}

std::vector<int> threads_of(int pid) {
  std::vector<int> threads;
  std::error_code failure;
  for (std::filesystem::directory_iterator at(fmt::format("/proc/{}/task", pid), failure), end;
       !failure && at != end; at.increment(failure))
    threads.push_back(std::atoi(at->path().filename().c_str()));
  return threads;
}

namespace {

// Whether it only waits: such a thread is not disturbed by us.
bool is_asleep(int pid, int thread) {
  std::ifstream file(fmt::format("/proc/{}/task/{}/syscall", pid, thread));
  std::string word;
  file >> word;
  return !word.empty() && word != "running" && word[0] != '-';
}

std::unique_ptr<Tracee> stop_if_safe(int pid, int thread, const CodeMap& code) {
  auto tracee = std::make_unique<Tracee>(thread);
  if (!tracee->stop()) return nullptr;
  if (code.is_safe(*tracee)) return tracee;
  tracee->restart_interrupted_call(is_signal_pending(pid, thread));
  return nullptr;
}

}  // namespace

std::unique_ptr<Tracee> stop_safe_thread(int pid, const CodeMap& code, double patience) {
  using namespace std::chrono_literals;
  const auto end = Clock::now() + std::chrono::duration<double>(patience);
  auto pause = 500us;  // not a divisor of what the program may do at a steady pace
  while (Clock::now() < end) {
    std::vector<int> threads = threads_of(pid);
    std::stable_partition(threads.begin(), threads.end(),
                          [&](int thread) { return is_asleep(pid, thread); });
    for (int thread : threads) {
      if (std::unique_ptr<Tracee> found = stop_if_safe(pid, thread, code)) return found;
    }
    if (threads.empty()) return nullptr;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause + 137us, 20000us);
  }
  return nullptr;
}

bool is_signal_pending(int pid, int thread) {
  uint64_t waiting = 0, held = 0;
  std::ifstream file(fmt::format("/proc/{}/task/{}/status", pid, thread));
  for (std::string line; std::getline(file, line);) {
    const auto value = [&] {
      return std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 16);
    };
    if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:")) waiting |= value();
    if (line.starts_with("SigBlk:")) held = value();
  }
  return (waiting & ~held) != 0;
}

}  // namespace tenure::attach
