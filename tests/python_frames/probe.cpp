// tests/python_frames/probe.cpp: a preloaded library that reads the Python stack inside malloc, as
// the real hooks do, and shows it through ctypes.
// World: inside the tested interpreter. A request of kMagic..kMagic + 64 bytes records the stack of
// its thread; one test thread asks at a time.
#include <dlfcn.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <ctime>

#include "inproc/stacks/python_frames.h"
#include "remembered_stack.h"

using tenure::inproc::LoopRange;
using tenure::inproc::PythonReader;
using tenure::inproc::RawPythonFrame;

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);

struct ProbeFrame {  // mirrored by driver.py
  uint64_t code;
  uint64_t fingerprint;
  int32_t lasti, line, first_line;
  char file[512], qualname[512], name[512];
};
}

namespace {

constexpr size_t kMagic = 7777777;
constexpr size_t kSlack = 64;  // what the interpreter adds for its own object head
constexpr int kMaxFrames = 64;

PythonReader g_reader;
ProbeFrame g_frames[kMaxFrames];
int g_count = 0;
bool g_truncated = false;
__thread bool t_recording = false;

// Kept from one request to the next, whichever thread asks: a stack of another thread is just a very different one.
tenure::inproc::RememberedStack<kMaxFrames> g_remembered;
constexpr int kDisagrees = -99;

void record() {
  RawPythonFrame raw[kMaxFrames];
  g_count = g_reader.capture(raw, kMaxFrames, &g_truncated);
  g_remembered.update(g_reader);
  if (!g_remembered.is(raw, g_count, g_truncated)) g_count = kDisagrees;
  for (int i = 0; i < g_count; i++) {
    ProbeFrame& frame = g_frames[i];
    const void* code = raw[i].code;
    frame.code = reinterpret_cast<uintptr_t>(code);
    frame.fingerprint = raw[i].fingerprint;
    frame.lasti = raw[i].lasti;
    frame.line = g_reader.line(code, raw[i].lasti);
    frame.first_line = g_reader.first_line(code);
    g_reader.copy_file_name(code, frame.file, sizeof frame.file);
    g_reader.copy_function_name(code, frame.qualname, sizeof frame.qualname);
    g_reader.copy_plain_name(code, frame.name, sizeof frame.name);
  }
}

void notice(size_t size) {
  if (size - kMagic > kSlack || t_recording) return;
  t_recording = true;
  record();
  t_recording = false;
}

void* capture_in_this_thread(void*) {
  RawPythonFrame raw[kMaxFrames];
  bool truncated;
  return reinterpret_cast<void*>(intptr_t(g_reader.capture(raw, kMaxFrames, &truncated)));
}

void* find_symbol(const char* name) { return dlsym(RTLD_DEFAULT, name); }

}  // namespace

extern "C" {
#define EXPORT __attribute__((visibility("default")))

EXPORT void* malloc(size_t size) {
  void* block = __libc_malloc(size);
  notice(size);
  return block;
}
EXPORT void* calloc(size_t count, size_t size) {
  void* block = __libc_calloc(count, size);
  notice(count * size);
  return block;
}

EXPORT int probe_start() { return int(g_reader.start(find_symbol)); }
EXPORT int probe_notice_interpreters() { return int(g_reader.notice_interpreters()); }
EXPORT int probe_version() { return g_reader.version(); }
EXPORT int probe_count() { return g_count; }
EXPORT int probe_truncated() { return g_truncated; }
EXPORT const ProbeFrame* probe_frame(int index) { return &g_frames[index]; }
EXPORT void probe_forget() { g_count = -1; }

EXPORT int probe_line(const void* code, int lasti) { return g_reader.line(code, lasti); }
EXPORT int probe_loops(const void* code, LoopRange* out, int max) {
  return g_reader.loops(code, out, max);
}
EXPORT int probe_copy_file_name(const void* code, char* out, int capacity) {
  return g_reader.copy_file_name(code, out, capacity);
}

// Frames of a thread that Python does not know: must be none.
EXPORT int probe_capture_in_foreign_thread() {
  pthread_t thread;
  void* count = nullptr;
  if (pthread_create(&thread, nullptr, capture_in_this_thread, nullptr) != 0) return -1;
  pthread_join(thread, &count);
  return int(reinterpret_cast<intptr_t>(count));
}

EXPORT int probe_self_test(const char* file, const char* function, int line) {
  RawPythonFrame raw[1];
  bool truncated;
  const int count = g_reader.capture(raw, 1, &truncated);
  const tenure::inproc::ExpectedPythonFrame expected[] = {{file, function, line}};
  return g_reader.self_test(raw, count, expected, 1);
}

// Nanoseconds for one capture of at most `max` frames.
EXPORT double probe_bench(long rounds, int max, int* depth) {
  RawPythonFrame raw[kMaxFrames];
  bool truncated;
  timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long i = 0; i < rounds; i++) {
    *depth = g_reader.capture(raw, max, &truncated);
    asm volatile("" ::"r"(raw) : "memory");
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double(end.tv_sec - begin.tv_sec) * 1e9 + double(end.tv_nsec - begin.tv_nsec)) /
         double(rounds);
}
}
