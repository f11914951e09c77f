#include "inproc/accounting/op_texts.h"

#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "inproc/accounting/accounting.h"
#include "inproc/os/sandbox.h"

namespace tenure::inproc {
namespace {

constexpr int kProofs = 256;  // names copied with care before they are trusted
constexpr int kOff = -1;
std::atomic<int> g_proofs{0};  // so many were good; kOff: one was not. Relaxed: a count

constexpr uint64_t kPageBytes = 4096;
constexpr uintptr_t kLowest = 1 << 16, kHighest = 1ull << 47;

bool is_name_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != 0 && strchr("_./>-\\:^@ ", c) != nullptr);
}

// As much of [text, text + n) as there is; in two pieces, since a page may be the last one.
uint32_t copy_with_care(const char* text, uint32_t n, char* out) noexcept {
  uint64_t in_page = kPageBytes - reinterpret_cast<uintptr_t>(text) % kPageBytes;
  uint64_t first = in_page < n ? in_page : n;
  char* from = const_cast<char*>(text);
  iovec local[2] = {{out, first}, {out + first, n - first}};
  iovec remote[2] = {{from, first}, {from + first, n - first}};
  long got = syscall(SYS_process_vm_readv, getpid(), local, 2L, remote, 2L, 0L);
  return got > 0 ? static_cast<uint32_t>(got) : 0;
}

uint32_t copy_trusting(const char* text, uint32_t n, char* out) noexcept {
  uint32_t i = 0;
  for (; i < n && text[i]; ++i) out[i] = text[i];
  return i;
}

void switch_off() noexcept {
  if (g_proofs.exchange(kOff, std::memory_order_relaxed) != kOff)
    accounting().add_fact("adapter.tensorflow.op_names",
                          "off: names of ops do not look as expected");
}

uint32_t proven(const char* text, uint32_t most, uint64_t length, char* out) noexcept {
  uint32_t got = copy_with_care(text, most, out);
  uint32_t n = 0;
  while (n < got && is_name_letter(out[n])) ++n;
  bool is_good = n > 0 && (length ? n == most : n == got || out[n] == 0);
  if (!is_good) return switch_off(), 0;
  g_proofs.fetch_add(1, std::memory_order_relaxed);
  return n;
}

}  // namespace

uint32_t copy_op_name(const char* text, uint64_t length, char* out) noexcept {
  int proofs = g_proofs.load(std::memory_order_relaxed);
  auto address = reinterpret_cast<uintptr_t>(text);
  if (proofs == kOff || address < kLowest || address >= kHighest) return 0;
  if (proofs < kProofs && is_sandboxed()) return 0;  // a system call may be one too many there
  auto most = static_cast<uint32_t>(length && length < kLongestOpName ? length : kLongestOpName);
  return proofs < kProofs ? proven(text, most, length, out) : copy_trusting(text, most, out);
}

}  // namespace tenure::inproc
