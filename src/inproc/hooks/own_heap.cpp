#include "inproc/hooks/own_heap.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "inproc/accounting/accounting.h"
#include "inproc/hooks/real.h"
#include "inproc/territory/territory.h"

namespace tenure::inproc {
namespace {

constexpr int kTrimThreshold = 16 << 20;

// Whoever set glibc's own thresholds knows why.
bool has_own_settings() noexcept {
  const char* tunables = getenv("GLIBC_TUNABLES");
  return (tunables && strstr(tunables, "glibc.malloc")) || getenv("MALLOC_TRIM_THRESHOLD_") ||
         getenv("MALLOC_MMAP_THRESHOLD_") || getenv("MALLOC_TOP_PAD_");
}

const char* why_not() noexcept {
  if (!is_first_malloc()) return "off: the program brings its own malloc; all blocks stay there";
  if (real().size_of_block != SizeOfBlock::in_chunk_header)
    return "off: another heap than glibc's is preloaded; all blocks stay there";
  return territory().start() ? nullptr
                             : "off: its addresses are not free here; all blocks stay with glibc";
}

}  // namespace

// glibc learns from freed mappings how much of its heap to keep. It will see none any more, and would give the top of the
// heap back at every free.
void start_own_heap() noexcept {
  const char* reason = why_not();
  accounting().add_fact("territory", reason ? reason : "on");
  if (!reason && !has_own_settings()) mallopt(M_TRIM_THRESHOLD, kTrimThreshold);
}

}  // namespace tenure::inproc
