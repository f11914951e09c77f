#include "inproc/hooks/slots.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "inproc/hooks/real.h"
#include "inproc/os/elf_symbols.h"
#include "inproc/os/memory.h"

namespace tenure::inproc {
namespace {

constexpr uintptr_t kPage = 4096;

// One loaded object's references to functions of others.
struct Library {
  uintptr_t base = 0, start = 0, end = 0;
  const ElfW(Phdr) * segments = nullptr;
  int segment_count = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};  // of the data, and of the calls
  size_t counts[2] = {};
};

const ElfW(Dyn) * dynamic_section(const dl_phdr_info& info) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  }
  return nullptr;
}

Library describe(const dl_phdr_info& info) noexcept {
  Library library;
  library.base = info.dlpi_addr;
  library.segments = info.dlpi_phdr;
  library.segment_count = info.dlpi_phnum;
  ObjectInfo object{};
  const ElfW(Dyn)* entry = dynamic_section(info);
  if (!entry || !object_of(reinterpret_cast<uintptr_t>(entry), &object)) return library;
  library.start = object.start;
  library.end = object.end;
  for (; entry->d_tag != DT_NULL; ++entry) {
    uintptr_t value = entry->d_un.d_ptr;
    uintptr_t address = value < library.base ? library.base + value : value;
    if (entry->d_tag == DT_SYMTAB) library.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_STRTAB) library.strings = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_RELA) library.tables[0] = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_RELASZ) library.counts[0] = value / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_JMPREL) library.tables[1] = reinterpret_cast<const ElfW(Rela)*>(address);
    if (entry->d_tag == DT_PLTRELSZ) library.counts[1] = value / sizeof(ElfW(Rela));
  }
  return library;
}

bool is_reference(const ElfW(Rela) & entry) noexcept {
#if defined(__x86_64__)
  auto type = ELF64_R_TYPE(entry.r_info);
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#elif defined(__aarch64__)
  auto type = ELF64_R_TYPE(entry.r_info);
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#endif
}

// After its relocation the loader makes a part of the library read-only.
bool is_sealed(const Library& library, uintptr_t slot) noexcept {
  for (int i = 0; i < library.segment_count; ++i) {
    const ElfW(Phdr) & s = library.segments[i];
    if (s.p_type == PT_GNU_RELRO && slot - (library.base + s.p_vaddr) < s.p_memsz) return true;
  }
  return false;
}

// What was bound by `tenure attach`.
struct BoundSlot {
  uintptr_t slot;
  void *before, *ours;
};

constexpr uint32_t kMostSlots = 1 << 16;  // some ten for each library
BoundSlot* g_bound = nullptr;             // nullptr: nothing is to be given back
std::atomic<uint32_t> g_bound_count{0};   // relaxed: binding happens under the loader's lock

// False: it could not be given back.
bool note_slot(uintptr_t slot, void* before, void* ours) noexcept {
  if (!g_bound) return !is_loaded_late();
  uint32_t index = g_bound_count.load(std::memory_order_relaxed);
  if (index == kMostSlots) return false;
  g_bound[index] = {slot, before, ours};
  g_bound_count.store(index + 1, std::memory_order_relaxed);
  return true;
}

void write_slot(const Library& library, uintptr_t slot, void* function) noexcept {
  auto* target = reinterpret_cast<void**>(slot);
  if (!is_sealed(library, slot)) return __atomic_store_n(target, function, __ATOMIC_RELEASE);
  uintptr_t page = slot / kPage * kPage;
  if (syscall(SYS_mprotect, page, kPage, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(target, function, __ATOMIC_RELEASE);
  syscall(SYS_mprotect, page, kPage, PROT_READ);
}

// A slot that still points into its own library waits to be bound at the first call.
void bind(const Library& library, const ElfW(Rela) & entry) noexcept {
  if (!is_reference(entry)) return;
  const ElfW(Sym) & symbol = library.symbols[ELF64_R_SYM(entry.r_info)];
  HookPair hook;
  if (symbol.st_shndx != SHN_UNDEF || !find_hook(library.strings + symbol.st_name, &hook)) return;
  uintptr_t slot = library.base + entry.r_offset;
  void* now = __atomic_load_n(reinterpret_cast<void**>(slot), __ATOMIC_ACQUIRE);
  auto target = reinterpret_cast<uintptr_t>(now);
  bool is_lazy = target >= library.start && target < library.end;
  const bool is_ours_to_take = now == hook.behind || is_lazy;
  if (is_ours_to_take && note_slot(slot, now, hook.ours)) write_slot(library, slot, hook.ours);
}

// What is behind us must keep calling what is behind it.
bool is_behind_us(const Library& library) noexcept {
  auto is_in = [&](auto function) {
    auto address = reinterpret_cast<uintptr_t>(function);
    return address >= library.start && address < library.end;
  };
  return is_in(&bind_all_libraries) || is_in(real().malloc) || is_in(real().dlopen) ||
         is_in(real().execve);
}

int visit(dl_phdr_info* info, size_t, void*) noexcept {
  Library library = describe(*info);
  if (!library.symbols || !library.strings || is_behind_us(library)) return 0;
  for (int t = 0; t < 2; ++t) {
    for (size_t i = 0; library.tables[t] && i < library.counts[t]; ++i)
      bind(library, library.tables[t][i]);
  }
  return 0;
}

}  // namespace

void bind_all_libraries() noexcept { dl_iterate_phdr(&visit, nullptr); }

void remember_slots() noexcept {
  if (!g_bound) g_bound = static_cast<BoundSlot*>(map_pages(kMostSlots * sizeof(BoundSlot)));
  g_bound_count.store(0, std::memory_order_relaxed);
}

namespace {

// Only pages of slots that the loader made read-only refuse the first try.
void put_back(const BoundSlot& bound) noexcept {
  if (write_memory(bound.slot, &bound.before, sizeof bound.before) == sizeof bound.before) return;
  const uintptr_t page = bound.slot / kPage * kPage;
  if (syscall(SYS_mprotect, page, kPage, PROT_READ | PROT_WRITE) != 0) return;
  write_memory(bound.slot, &bound.before, sizeof bound.before);
  syscall(SYS_mprotect, page, kPage, PROT_READ);
}

}  // namespace

uint32_t bound_slots() noexcept { return g_bound_count.load(std::memory_order_relaxed); }

void give_slots_back() noexcept {
  for (uint32_t i = g_bound_count.load(std::memory_order_relaxed); i-- > 0;) {
    const BoundSlot& bound = g_bound[i];
    void* now = nullptr;
    const bool is_there = read_memory(bound.slot, &now, sizeof now) == sizeof now;
    if (is_there && now == bound.ours) put_back(bound);
  }
  g_bound_count.store(0, std::memory_order_relaxed);
  if (g_bound) zero_pages(g_bound, kMostSlots * sizeof(BoundSlot));
}

}  // namespace tenure::inproc
