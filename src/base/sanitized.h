// base/sanitized.h: was a program built with a sanitizer? Such a program brings its own heap and ends at once where
// another library comes before its runtime: nothing may be preloaded into it.
// World: both. Pure: the caller reads the file.
#pragma once
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tenure {

// Names that the runtimes bring, or that a program needs of them. None is longer than kLongestMark.
inline constexpr std::string_view kSanitizerMarks[] = {
    "__asan_init", "__hwasan_init", "__tsan_init", "__msan_init", "__lsan_init", "liblsan.so"};
inline constexpr size_t kLongestMark = 13;

// Whether a value of LD_PRELOAD names a sanitizer's runtime, gcc's or clang's.
constexpr bool names_sanitizer(std::string_view preload) {
  for (std::string_view library : {"libasan.so", "libhwasan.so", "libtsan.so", "liblsan.so",
                                   "libclang_rt.asan", "libclang_rt.hwasan", "libclang_rt.tsan"}) {
    if (preload.find(library) != std::string_view::npos) return true;
  }
  return false;
}

// `read(to, bytes, at)` fills `to` from the file and tells whether all of it was there.
template <class Read>
class SanitizedProgram {
 public:
  explicit SanitizedProgram(Read read) noexcept : read_(read) {}

  [[nodiscard]] bool is_sanitized() noexcept {
    if (!read_(&header_, sizeof header_, 0) || std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0 ||
        header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_phentsize != sizeof(Elf64_Phdr))
      return false;
    Elf64_Phdr dynamic{};
    uint64_t names = 0, bytes = 0;
    return segment(&dynamic, [](const Elf64_Phdr& s) { return s.p_type == PT_DYNAMIC; }) &&
           find_names(dynamic, &names, &bytes) && has_mark(names, bytes);
  }

 private:
  template <class Wanted>
  bool segment(Elf64_Phdr* found, Wanted wanted) noexcept {
    for (uint64_t i = 0; i < header_.e_phnum; ++i) {
      if (!read_(found, sizeof *found, header_.e_phoff + i * sizeof *found)) return false;
      if (wanted(*found)) return true;
    }
    return false;
  }

  // Where in the file the names of the dynamic symbols are.
  bool find_names(const Elf64_Phdr& dynamic, uint64_t* at, uint64_t* bytes) noexcept {
    uint64_t address = 0;
    for (uint64_t i = 0; i < dynamic.p_filesz / sizeof(Elf64_Dyn); ++i) {
      Elf64_Dyn entry{};
      if (!read_(&entry, sizeof entry, dynamic.p_offset + i * sizeof entry)) return false;
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) *bytes = entry.d_un.d_val;
    }
    Elf64_Phdr load{};
    if (!segment(&load, [address](const Elf64_Phdr& s) {
          return s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz;
        }))
      return false;
    *at = load.p_offset + (address - load.p_vaddr);
    return address != 0;
  }

  // Piece by piece, each with the end of the one before it.
  bool has_mark(uint64_t at, uint64_t bytes) noexcept {
    char piece[2048];
    for (uint64_t end = at + bytes; at < end;) {
      size_t n = std::min<uint64_t>(sizeof piece, end - at);
      if (!read_(piece, n, at)) return false;
      for (std::string_view mark : kSanitizerMarks) {
        if (std::string_view(piece, n).find(mark) != std::string_view::npos) return true;
      }
      if (n <= kLongestMark) break;
      at += n - kLongestMark;
    }
    return false;
  }

  Read read_;
  Elf64_Ehdr header_{};
};

}  // namespace tenure
