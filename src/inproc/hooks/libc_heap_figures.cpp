// inproc/hooks/libc_heap_figures.cpp: what the program is told of its heap when it asks libc. Blocks of the territory count as
// libc counts its own big blocks: as mappings.
// World: inside, any thread; never on the hot path. malloc_info() uses stdio and the heap, as libc's own does.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inproc/hooks/real.h"
#include "inproc/territory/territory.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;

namespace {

uint64_t territory_bytes() noexcept {
  const uint64_t mapped = territory().mapped_bytes(), waiting = territory().waiting_bytes();
  return mapped > waiting ? mapped - waiting : 0;
}

// libc's report, with the size of its mappings raised by `bytes`. As it is where it has another form than is known.
void write_raised(const char* report, uint64_t bytes, FILE* out) noexcept {
  const char* mappings = nullptr;
  for (const char* at = report; (at = strstr(at, "<total type=\"mmap\"")) != nullptr; ++at)
    mappings = at;  // the last one is that of the process
  const char* size = mappings ? strstr(mappings, "size=\"") : nullptr;
  if (!size) {
    fputs(report, out);
    return;
  }
  size += strlen("size=\"");
  char* behind = nullptr;
  const uint64_t was = strtoull(size, &behind, 10);
  fprintf(out, "%.*s%llu%s", static_cast<int>(size - report), report,
          static_cast<unsigned long long>(was + bytes), behind);
}

}  // namespace

EXPORTED struct mallinfo2 mallinfo2() noexcept {
  struct mallinfo2 info{};
  if (real().mallinfo2) info = real().mallinfo2();
  info.hblkhd += territory_bytes();
  return info;
}

EXPORTED int malloc_info(int options, FILE* out) noexcept {
  const uint64_t bytes = territory_bytes();  // before the copy below, which is ours
  char* report = nullptr;
  size_t size = 0;
  FILE* copy = bytes ? open_memstream(&report, &size) : nullptr;
  if (!copy) return real().malloc_info(options, out);
  const int result = real().malloc_info(options, copy);
  fclose(copy);
  if (result == 0) write_raised(report, bytes, out);
  free(report);
  return result;
}
