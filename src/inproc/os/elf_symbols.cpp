// inproc/os/elf_symbols.cpp: see the header. The tables are those of the ELF gABI plus GNU hash and symbol versions.
#include "inproc/os/elf_symbols.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <atomic>
#include <cstddef>
#include <cstring>

namespace tenure::inproc {
namespace {

using Symbol = ElfW(Sym);
constexpr ElfW(Versym)
    kHiddenVersion = 0x8000;  // superseded: only for programs linked against it long ago

// What symbol lookup needs of one object's dynamic section.
struct SymbolTable {
  uintptr_t base = 0;
  const Symbol* symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Versym) * versions = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* sysv_hash = nullptr;
};

// glibc relocates these pointers in place when it loads an object, but not in the vDSO, whose section is read-only.
uintptr_t absolute(const link_map* map, uintptr_t pointer) {
  return pointer < map->l_addr ? map->l_addr + pointer : pointer;
}

SymbolTable table_of(const link_map* map) {
  SymbolTable table;
  table.base = map->l_addr;
  if (map->l_ld == nullptr) return table;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    const uintptr_t address = absolute(map, entry->d_un.d_ptr);
    switch (entry->d_tag) {
      case DT_SYMTAB:
        table.symbols = reinterpret_cast<const Symbol*>(address);
        break;
      case DT_STRTAB:
        table.strings = reinterpret_cast<const char*>(address);
        break;
      case DT_VERSYM:
        table.versions = reinterpret_cast<const ElfW(Versym)*>(address);
        break;
      case DT_GNU_HASH:
        table.gnu_hash = reinterpret_cast<const uint32_t*>(address);
        break;
      case DT_HASH:
        table.sysv_hash = reinterpret_cast<const uint32_t*>(address);
        break;
      default:
        break;
    }
  }
  return table;
}

bool is_exported_definition(const Symbol& symbol) {
  const int type = symbol.st_info & 0xf;
  const int binding = symbol.st_info >> 4;
  const int visibility = symbol.st_other & 3;
  if (symbol.st_shndx == SHN_UNDEF || type == STT_TLS || type == STT_SECTION || type == STT_FILE)
    return false;
  if (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE) return false;
  return visibility == STV_DEFAULT || visibility == STV_PROTECTED;
}

bool matches(const SymbolTable& table, uint32_t index, const char* name) {
  const Symbol& symbol = table.symbols[index];
  if (!is_exported_definition(symbol)) return false;
  if (table.versions != nullptr &&
      ((table.versions[index] & kHiddenVersion) != 0 || table.versions[index] == 0))
    return false;
  return std::strcmp(table.strings + symbol.st_name, name) == 0;
}

uint32_t gnu_hash_of(const char* name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

uint32_t sysv_hash_of(const char* name) {
  uint32_t hash = 0;
  for (; *name != 0; ++name) {
    hash = (hash << 4) + static_cast<unsigned char>(*name);
    hash = (hash ^ ((hash >> 24) & 0xf0)) & 0x0fffffff;
  }
  return hash;
}

// Layout: bucket count, first hashed symbol, Bloom words, Bloom shift; then Bloom words, buckets, one hash per symbol.
const Symbol* find_by_gnu_hash(const SymbolTable& table, const char* name) {
  const uint32_t* header = table.gnu_hash;
  const uint32_t bucket_count = header[0], first_symbol = header[1], bloom_count = header[2],
                 bloom_shift = header[3];
  if (bucket_count == 0 || bloom_count == 0) return nullptr;
  constexpr uint32_t kWordBits = sizeof(ElfW(Addr)) * 8;
  const auto* bloom = reinterpret_cast<const ElfW(Addr)*>(header + 4);
  const auto* buckets = reinterpret_cast<const uint32_t*>(bloom + bloom_count);
  const uint32_t* chain = buckets + bucket_count;
  const uint32_t hash = gnu_hash_of(name);
  const ElfW(Addr) word = bloom[(hash / kWordBits) % bloom_count];
  if (((word >> (hash % kWordBits)) & (word >> ((hash >> bloom_shift) % kWordBits)) & 1) == 0)
    return nullptr;
  uint32_t index = buckets[hash % bucket_count];
  if (index < first_symbol) return nullptr;
  for (;; ++index) {
    const uint32_t stored = chain[index - first_symbol];
    if ((stored | 1) == (hash | 1) && matches(table, index, name)) return &table.symbols[index];
    if ((stored & 1) != 0) return nullptr;  // the last one of its bucket
  }
}

const Symbol* find_by_sysv_hash(const SymbolTable& table, const char* name) {
  const uint32_t bucket_count = table.sysv_hash[0];
  if (bucket_count == 0) return nullptr;
  const uint32_t* buckets = table.sysv_hash + 2;
  const uint32_t* chain = buckets + bucket_count;
  for (uint32_t index = buckets[sysv_hash_of(name) % bucket_count]; index != STN_UNDEF;
       index = chain[index]) {
    if (matches(table, index, name)) return &table.symbols[index];
  }
  return nullptr;
}

void* resolve_indirect(uintptr_t resolver) {
#if defined(__aarch64__)
  struct {
    uint64_t size, hwcap, hwcap2;
  } features = {sizeof features, getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
  constexpr uint64_t kHasSecondArgument = 1ull << 62;
  using Resolver = void* (*)(uint64_t, const void*);
  return reinterpret_cast<Resolver>(resolver)(features.hwcap | kHasSecondArgument, &features);
#else
  return reinterpret_cast<void* (*)()>(resolver)();
#endif
}

void* find_in(const link_map* map, const char* name) {
  const SymbolTable table = table_of(map);
  if (table.symbols == nullptr || table.strings == nullptr) return nullptr;
  const Symbol* symbol = nullptr;
  if (table.gnu_hash != nullptr) {
    symbol = find_by_gnu_hash(table, name);
  } else if (table.sysv_hash != nullptr) {
    symbol = find_by_sysv_hash(table, name);
  }
  if (symbol == nullptr) return nullptr;
  const uintptr_t address = symbol->st_value + (symbol->st_shndx == SHN_ABS ? 0 : table.base);
  const bool is_indirect = (symbol->st_info & 0xf) == STT_GNU_IFUNC;
  return is_indirect ? resolve_indirect(address) : reinterpret_cast<void*>(address);
}

const link_map* first_map() { return _r_debug.r_map; }

// The linker defines _DYNAMIC in every object for itself: here it is the section of the one this file was linked into.
bool is_own_object(const link_map* map) { return map->l_ld == _DYNAMIC; }

bool ends_with(const char* text, const char* suffix) {
  const size_t text_size = std::strlen(text), suffix_size = std::strlen(suffix);
  return text_size >= suffix_size &&
         std::memcmp(text + text_size - suffix_size, suffix, suffix_size) == 0;
}

}  // namespace

void* find_symbol(const char* name) noexcept {
  for (const link_map* map = first_map(); map != nullptr; map = map->l_next) {
    if (void* found = find_in(map, name)) return found;
  }
  return nullptr;
}

bool is_loaded_late() noexcept {
  for (const link_map* map = first_map(); map != nullptr; map = map->l_next) {
    if (is_own_object(map)) return false;
    if (map->l_name != nullptr && ends_with(map->l_name, "/libc.so.6")) return true;
  }
  return false;
}

void* find_next_symbol(const char* name) noexcept {
  const link_map* start = first_map();
  while (!is_loaded_late() && start != nullptr && !is_own_object(start)) start = start->l_next;
  for (const link_map* map = start; map != nullptr; map = map->l_next) {
    if (is_own_object(map)) continue;
    if (void* found = find_in(map, name)) return found;
  }
  return nullptr;
}

void* find_symbol_in(const char* object_suffix, const char* name) noexcept {
  for (const link_map* map = first_map(); map != nullptr; map = map->l_next) {
    if (map->l_name == nullptr || !ends_with(map->l_name, object_suffix)) continue;
    if (void* found = find_in(map, name)) return found;
  }
  return nullptr;
}

namespace {

// glibc's struct dl_find_object, declared here so that the library can be built against an older glibc.
struct FoundObject {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame_header;
  unsigned long long reserved[8];
};
using FindObject = int (*)(void* pc, FoundObject* out);

// Looked up by ourselves, not linked: a reference to _dl_find_object@GLIBC_2.35 would keep the library from loading elsewhere.
FindObject find_object() {
  static std::atomic<uintptr_t> known{
      0};  // 0: not asked yet, 1: this glibc has none. Relaxed: every thread finds the same
  uintptr_t function = known.load(std::memory_order_relaxed);
  if (function == 0) {
    function = reinterpret_cast<uintptr_t>(find_symbol("_dl_find_object"));
    if (function == 0) function = 1;
    known.store(function, std::memory_order_relaxed);
  }
  return function == 1 ? nullptr : reinterpret_cast<FindObject>(function);
}

// One object as its program headers describe it. The loader's view of the same thing, whatever glibc.
struct Segments {
  const char* path;
  uintptr_t base;
  const ElfW(Phdr) * headers;
  int count;
};

bool contains(const ElfW(Phdr) & segment, uintptr_t base, uintptr_t address) {
  return segment.p_type == PT_LOAD && address - (base + segment.p_vaddr) < segment.p_memsz;
}

const ElfW(Phdr) * segment_at(const Segments& object, uintptr_t address) {
  for (int i = 0; i < object.count; ++i) {
    if (contains(object.headers[i], object.base, address)) return &object.headers[i];
  }
  return nullptr;
}

void read_build_id(const ElfW(Phdr) & notes, uintptr_t base, ObjectInfo* out) {
  const auto align4 = [](size_t n) { return (n + 3) & ~size_t{3}; };
  const auto* at = reinterpret_cast<const uint8_t*>(base + notes.p_vaddr);
  const auto* end = at + notes.p_memsz;
  while (static_cast<size_t>(end - at) > sizeof(ElfW(Nhdr))) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
    const uint8_t* name = at + sizeof *note;
    const size_t size = sizeof *note + align4(note->n_namesz) + align4(note->n_descsz);
    if (size > static_cast<size_t>(end - at)) return;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0) {
      out->build_id = name + 4;
      out->build_id_size = static_cast<int>(note->n_descsz);
      return;
    }
    at += size;
  }
}

void describe(const Segments& object, ObjectInfo* out) {
  *out = {object.path != nullptr ? object.path : "", object.base, UINTPTR_MAX, 0, nullptr, 0};
  for (int i = 0; i < object.count; ++i) {
    const ElfW(Phdr) & segment = object.headers[i];
    const uintptr_t start = object.base + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && start < out->start) out->start = start;
    if (segment.p_type == PT_LOAD && start + segment.p_memsz > out->end)
      out->end = start + segment.p_memsz;
    const bool is_mapped_note = segment.p_type == PT_NOTE && segment_at(object, start) != nullptr;
    if (is_mapped_note && out->build_id == nullptr) read_build_id(segment, object.base, out);
  }
}

struct Search {
  uintptr_t pc;
  Segments found;
};

int visit_object(dl_phdr_info* info, size_t, void* context) {
  auto* search = static_cast<Search*>(context);
  const Segments object = {info->dlpi_name, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum};
  if (segment_at(object, search->pc) == nullptr) return 0;
  search->found = object;
  return 1;
}

bool segments_by_iteration(uintptr_t pc, Segments* out) {
  Search search = {pc, {}};
  if (dl_iterate_phdr(visit_object, &search) == 0) return false;
  *out = search.found;
  return true;
}

// The ELF header lies at the start of the mapping in everything linkers make; if not, the loader is asked the long way.
bool segments_of(const FoundObject& found, Segments* out) {
  const auto* header = static_cast<const ElfW(Ehdr)*>(found.map_start);
  if (std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_phentsize != sizeof(ElfW(Phdr)))
    return false;
  if (header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096) return false;
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(
      static_cast<const char*>(found.map_start) + header->e_phoff);
  *out = {found.map->l_name, found.map->l_addr, headers, header->e_phnum};
  return true;
}

bool segments_at(uintptr_t pc, Segments* out) {
  FindObject find = find_object();
  if (find == nullptr) return segments_by_iteration(pc, out);
  FoundObject found;
  if (find(reinterpret_cast<void*>(pc), &found) != 0) return false;
  return segments_of(found, out) || segments_by_iteration(pc, out);
}

}  // namespace

bool object_of(uintptr_t pc, ObjectInfo* out) noexcept {
  Segments object;
  if (!segments_at(pc, &object)) return false;
  describe(object, out);
  return true;
}

const uint8_t* eh_frame_header_of(uintptr_t pc) noexcept {
  if (FindObject find = find_object()) {
    FoundObject found;
    if (find(reinterpret_cast<void*>(pc), &found) != 0) return nullptr;
    return static_cast<const uint8_t*>(found.eh_frame_header);
  }
  Segments object;
  if (!segments_by_iteration(pc, &object)) return nullptr;
  for (int i = 0; i < object.count; ++i) {
    if (object.headers[i].p_type != PT_GNU_EH_FRAME) continue;
    return reinterpret_cast<const uint8_t*>(object.base + object.headers[i].p_vaddr);
  }
  return nullptr;
}

}  // namespace tenure::inproc
