// tests/unit/inproc/elf_symbols_test.cpp: symbol lookup without dlsym, checked against dlsym, dladdr and the tools.
#include "inproc/os/elf_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// Code of the test program itself, in the same object as the functions under test.
extern "C" __attribute__((visibility("default"), noinline)) long tenure_test_probe(long x) {
  return x + 1;
}

namespace tenure::inproc {
namespace {

std::string hex_of(const uint8_t* bytes, int count) {
  std::string text;
  char digits[3];
  for (int i = 0; i < count; ++i) {
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[512];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
  pclose(pipe);
  return text;
}

TEST(ElfSymbols, FindsInLibcWhatDlsymFinds) {
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(libc, nullptr);
  for (const char* name :
       {"malloc",        "free",     "calloc",         "realloc",      "posix_memalign",
        "aligned_alloc", "memalign", "mmap",           "munmap",       "mremap",
        "fork",          "vfork",    "pthread_create", "dlsym",        "dlopen",
        "dlclose",       "environ",  "stdout",         "qsort",        "printf",
        "_exit",         "exit",     "getenv",         "reallocarray", "malloc_usable_size",
        "pvalloc"}) {
    EXPECT_EQ(find_symbol_in("/libc.so.6", name), dlsym(libc, name)) << name;
  }
  dlclose(libc);
}

TEST(ElfSymbols, ResolvesIndirectFunctionsAsTheLoaderDoes) {
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  for (const char* name : {"memset", "strlen", "memchr", "strchr", "memmove", "strcpy", "time"}) {
    EXPECT_EQ(find_symbol_in("/libc.so.6", name), dlsym(libc, name)) << name;
  }
  dlclose(libc);
}

TEST(ElfSymbols, TakesTheDefaultVersionOfAVersionedName) {
#if defined(__x86_64__)
  void* libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  void* current = find_symbol_in("/libc.so.6", "memcpy");
  EXPECT_EQ(current, dlvsym(libc, "memcpy", "GLIBC_2.14"));
  EXPECT_NE(current, dlvsym(libc, "memcpy", "GLIBC_2.2.5"));
  dlclose(libc);
#else
  GTEST_SKIP() << "memcpy has two versions on x86-64 only";
#endif
}

TEST(ElfSymbols, IgnoresThreadLocalsAndUnknownNames) {
  EXPECT_EQ(find_symbol_in("/libc.so.6", "errno"), nullptr);
  EXPECT_EQ(find_symbol("tenure_no_such_symbol_anywhere"), nullptr);
  EXPECT_EQ(find_symbol_in("/no_such_object.so", "malloc"), nullptr);
  EXPECT_EQ(find_symbol(""), nullptr);
}

TEST(ElfSymbols, SeesObjectsOpenedWithRtldLocal) {
  void* local = dlopen("libnss_compat.so.2", RTLD_NOW | RTLD_LOCAL);
  if (local == nullptr) GTEST_SKIP() << "libnss_compat.so.2 cannot be loaded here";
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "_nss_compat_setpwent"), nullptr);
  EXPECT_EQ(find_symbol("_nss_compat_setpwent"), dlsym(local, "_nss_compat_setpwent"));
  dlclose(local);
}

TEST(ElfSymbols, NextSkipsTheObjectThatContainsUs) {
  void* next = find_next_symbol("malloc");
  ASSERT_NE(next, nullptr);
  Dl_info where{};
  ASSERT_NE(dladdr(next, &where), 0);
  ObjectInfo own{};
  ASSERT_TRUE(object_of(reinterpret_cast<uintptr_t>(&find_next_symbol), &own));
  EXPECT_NE(reinterpret_cast<uintptr_t>(where.dli_fbase), own.start & ~uintptr_t{4095});
  EXPECT_EQ(find_next_symbol("tenure_test_probe"), nullptr) << "only this program defines it";
}

TEST(ElfSymbols, NextAgreesWithRtldNextOfTheMainProgram) {
  for (const char* name : {"malloc", "dlopen", "munmap", "_ZNSt6thread4joinEv"}) {
    EXPECT_EQ(find_next_symbol(name), dlsym(RTLD_NEXT, name)) << name;
  }
}

TEST(ElfSymbols, LooksInTheVdsoWithoutHarm) {
  void* inside = find_symbol_in("linux-vdso.so.1", "__vdso_clock_gettime");
  if (inside == nullptr) GTEST_SKIP() << "no vDSO symbol here";
  ObjectInfo info{};
  ASSERT_TRUE(object_of(reinterpret_cast<uintptr_t>(inside), &info));
  EXPECT_NE(std::string(info.path).find("vdso"), std::string::npos);
}

TEST(ElfObjects, NameTheObjectOfAnAddressAsDladdrDoes) {
  for (void* address : {dlsym(RTLD_DEFAULT, "qsort"), dlsym(RTLD_DEFAULT, "_ZNSt6thread4joinEv")}) {
    Dl_info expected{};
    ASSERT_NE(dladdr(address, &expected), 0);
    ObjectInfo info{};
    ASSERT_TRUE(object_of(reinterpret_cast<uintptr_t>(address), &info));
    EXPECT_STREQ(info.path, expected.dli_fname);
    EXPECT_EQ(info.base, reinterpret_cast<uintptr_t>(expected.dli_fbase));
    EXPECT_LE(info.start, reinterpret_cast<uintptr_t>(address));
    EXPECT_GT(info.end, reinterpret_cast<uintptr_t>(address));
  }
}

TEST(ElfObjects, LeaveThePathOfTheMainProgramEmpty) {
  ObjectInfo info{};
  ASSERT_TRUE(object_of(reinterpret_cast<uintptr_t>(&tenure_test_probe), &info));
  EXPECT_STREQ(info.path, "");
}

TEST(ElfObjects, KnowNothingOfHeapStackAndNull) {
  int on_stack = 0;
  void* on_heap = std::malloc(64);
  ObjectInfo info{};
  EXPECT_FALSE(object_of(reinterpret_cast<uintptr_t>(&on_stack), &info));
  EXPECT_FALSE(object_of(reinterpret_cast<uintptr_t>(on_heap), &info));
  EXPECT_FALSE(object_of(0, &info));
  std::free(on_heap);
}

TEST(ElfObjects, CarryTheBuildIdReadelfPrints) {
  ObjectInfo info{};
  ASSERT_TRUE(object_of(reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, "qsort")), &info));
  if (info.build_id == nullptr) GTEST_SKIP() << "this libc has no build id";
  const std::string printed = output_of("readelf -n '" + std::string(info.path) + "' 2>/dev/null");
  if (printed.empty()) GTEST_SKIP() << "readelf (binutils) is missing";
  EXPECT_NE(printed.find(hex_of(info.build_id, info.build_id_size)), std::string::npos) << printed;
}

TEST(ElfObjects, FindTheUnwindTableOfAFunction) {
  const uint8_t* header = eh_frame_header_of(reinterpret_cast<uintptr_t>(&tenure_test_probe));
  ASSERT_NE(header, nullptr);
  EXPECT_EQ(header[0], 1) << "version of .eh_frame_hdr";
  EXPECT_EQ(eh_frame_header_of(0x10), nullptr);
}

}  // namespace
}  // namespace tenure::inproc
