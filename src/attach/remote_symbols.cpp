#include "attach/remote_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tenure::attach {
namespace {

constexpr size_t kMostHeaders = 64;
constexpr size_t kMostEntries = 512;

uint32_t gnu_hash_of(const std::string& name) {
  uint32_t hash = 5381;
  for (char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

}  // namespace

RemoteSymbols::RemoteSymbols(const TargetMemory& memory, uint64_t start) : memory_(memory) {
  const auto header = memory.value<Elf64_Ehdr>(start);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  std::vector<Elf64_Phdr> segments(std::min<size_t>(header.e_phnum, kMostHeaders));
  if (!memory.read(start + header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr)))
    return;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && segment.p_offset == 0) base_ = start - segment.p_vaddr;
  }
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_DYNAMIC) read_dynamic(base_ + segment.p_vaddr, segment.p_memsz);
  }
}

void RemoteSymbols::read_dynamic(uint64_t address, uint64_t bytes) {
  std::vector<Elf64_Dyn> entries(std::min<size_t>(bytes / sizeof(Elf64_Dyn), kMostEntries));
  if (!memory_.read(address, entries.data(), entries.size() * sizeof(Elf64_Dyn))) return;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_SYMTAB) symbols_ = absolute(entry.d_un.d_ptr);
    if (entry.d_tag == DT_STRTAB) strings_ = absolute(entry.d_un.d_ptr);
    if (entry.d_tag == DT_GNU_HASH) hash_ = absolute(entry.d_un.d_ptr);
  }
}

uint64_t RemoteSymbols::matching(uint32_t index, const std::string& name) const {
  const auto symbol = memory_.value<Elf64_Sym>(symbols_ + index * sizeof(Elf64_Sym));
  if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return 0;
  std::string there(name.size() + 1, '\1');
  if (!memory_.read(strings_ + symbol.st_name, there.data(), there.size())) return 0;
  return std::strcmp(there.c_str(), name.c_str()) == 0 ? base_ + symbol.st_value : 0;
}

// Layout: bucket count, first hashed symbol, Bloom words, Bloom shift; then Bloom words, buckets, one hash per symbol.
uint64_t RemoteSymbols::find(const std::string& name) const {
  if (!symbols_ || !strings_ || !hash_) return 0;
  struct Head {
    uint32_t buckets, first, bloom, shift;
  };
  const auto head = memory_.value<Head>(hash_);
  if (head.buckets == 0) return 0;
  const uint64_t buckets = hash_ + sizeof head + head.bloom * uint64_t{8};
  const uint64_t chain = buckets + head.buckets * uint64_t{4};
  const uint32_t hash = gnu_hash_of(name);
  uint32_t index = memory_.value<uint32_t>(buckets + hash % head.buckets * uint64_t{4});
  if (index < head.first) return 0;
  constexpr int kLongestChain = 4096;  // memory that is no hash table must not keep us
  for (int i = 0; i < kLongestChain; ++i, ++index) {
    const auto stored = memory_.value<uint32_t>(chain + (index - head.first) * uint64_t{4});
    if ((stored | 1) == (hash | 1)) {
      if (const uint64_t found = matching(index, name)) return found;
    }
    if (stored & 1) return 0;
  }
  return 0;
}

}  // namespace tenure::attach
