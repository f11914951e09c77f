#include "inproc/stacks/waiting_python.h"

#include <cstring>
#include <string_view>

#include "base/hash.h"
#include "inproc/os/memory.h"
#include "inproc/os/sandbox.h"
#include "inproc/stacks/python_strings.h"

namespace tenure::inproc {
namespace {

constexpr size_t kFrameBytes = 120;  // every field of a frame that a layout names lies in these
constexpr size_t kObjectHead = 40;   // says how long a str or a bytes object is
constexpr int kLongestChain = 1024;
constexpr int kMarkedVariables = 16;           // the last ones, as in python_iterators
constexpr uint32_t kThreadIsActive = 1u << 4;  // of the word at `thread_status`
constexpr uintptr_t kPointerTags = 3;

template <typename T>
bool read_value(uintptr_t address, T* out) noexcept {
  return read_memory(address, out, sizeof *out) == sizeof *out;
}

// Copies an object of `bytes(head)` bytes whole, and lets `field` of the copied code object lead to it.
template <size_t kRoom, typename SizeOf>
bool copy_part(char* code, int field, char (&out)[kRoom], SizeOf bytes) noexcept {
  auto address = load<uintptr_t>(code, field);
  if (!address || read_memory(address, out, kObjectHead) != kObjectHead) return false;
  const size_t whole = bytes(out);
  if (whole < kBytesData || whole > kRoom || read_memory(address, out, whole) != whole ||
      bytes(out) != whole)
    return false;
  const char* here = out;
  std::memcpy(code + field, &here, sizeof here);
  return true;
}

// 0: its characters lie elsewhere.
size_t bytes_of_str(const PythonLayout& layout, const char* str) noexcept {
  if (!(load<uint32_t>(str, kStrState) >> 5 & 1)) return 0;
  const StrView text = view_str(layout, str);
  return text.data ? size_t(text.data - str) + size_t(text.length * text.width) : 0;
}

size_t bytes_of_bytes(const char* bytes) noexcept {
  const BytesView view = view_bytes(bytes);
  return view.data ? kBytesData + size_t(view.size) : 0;
}

// Threads of Python that wait for other threads of Python, or for the network, do so in one of these.
bool is_waiting_file(std::string_view path) noexcept {
  std::string_view name = path;
  if (size_t slash = path.rfind('/'); slash != path.npos) name.remove_prefix(slash + 1);
  for (std::string_view other : {"threading.py", "queue.py", "selectors.py", "socket.py", "ssl.py",
                                 "connection.py", "subprocess.py", "socketserver.py"})
    if (name == other) return true;
  return false;
}

}  // namespace

void PythonThreads::add(const void* thread_state) noexcept {
  const void* me = __builtin_thread_pointer();
  for (Slot& slot : slots_)
    if (slot.thread.load(std::memory_order_relaxed) == me)
      return slot.state.store(thread_state, std::memory_order_release);
  for (int i = 0; i < kSlots; ++i) {
    const void* nobody = nullptr;
    if (!slots_[i].thread.compare_exchange_strong(nobody, me, std::memory_order_relaxed)) continue;
    int used = used_.load(std::memory_order_relaxed);
    while (used <= i && !used_.compare_exchange_weak(used, i + 1, std::memory_order_release)) {
    }
    return slots_[i].state.store(thread_state, std::memory_order_release);
  }
  without_slot_.fetch_add(1, std::memory_order_relaxed);
}

void PythonThreads::remove() noexcept {
  const void* me = __builtin_thread_pointer();
  for (Slot& slot : slots_) {
    if (slot.thread.load(std::memory_order_relaxed) != me) continue;
    slot.state.store(nullptr, std::memory_order_relaxed);
    slot.thread.store(nullptr, std::memory_order_release);
  }
}

void PythonThreads::clear() noexcept {
  for (Slot& slot : slots_) {
    slot.state.store(nullptr, std::memory_order_relaxed);
    slot.thread.store(nullptr, std::memory_order_relaxed);
  }
  used_.store(0, std::memory_order_relaxed);
  without_slot_.store(0, std::memory_order_relaxed);
}

int PythonThreads::list(const void** out) const noexcept {
  if (without_slot_.load(std::memory_order_relaxed) > 0) return kMost + 1;
  int count = 0, used = used_.load(std::memory_order_acquire);
  for (int i = 0; i < used; ++i) {
    const void* state = slots_[i].state.load(std::memory_order_acquire);
    if (!state) continue;
    if (count == kMost) return kMost + 1;
    out[count++] = state;
  }
  return count;
}

const void* WaitingPython::the_one(CodeCopy* room) const noexcept {
  if (reader_->state() != ReaderState::on || is_sandboxed()) return nullptr;
  const void* states[PythonThreads::kMost];
  int count = g_python_threads.list(states);
  if (count > PythonThreads::kMost) return nullptr;
  const void* found = nullptr;
  for (int i = 0; i < count; ++i) {
    if (!waits(states[i]) || (count > 1 && waits_for_python(states[i], room))) continue;
    if (found) return nullptr;
    found = states[i];
  }
  return found;
}

// Up to 3.11 one word says who runs Python code; then each thread says it of itself.
bool WaitingPython::waits(const void* thread_state) const noexcept {
  const PythonLayout& layout = reader_->layout();
  if (layout.thread_status == kNoField) return reader_->running() != thread_state;
  uint32_t status = 0;
  return read_value(reinterpret_cast<uintptr_t>(thread_state) + size_t(layout.thread_status),
                    &status) &&
         !(status & kThreadIsActive);
}

bool WaitingPython::waits_for_python(const void* thread_state, CodeCopy* room) const noexcept {
  ForeignFrame frame;
  // What runs nothing waits for nothing.
  if (!innermost(thread_state, &frame) || !copy_code(frame, room)) return true;
  char path[512];
  int length = reader_->copy_file_name(room->head, path, sizeof path);
  return is_waiting_file({path, size_t(length)});
}

bool WaitingPython::innermost(const void* thread_state, ForeignFrame* out) const noexcept {
  const PythonLayout& layout = reader_->layout();
  uintptr_t address = 0;
  if (!read_value(reinterpret_cast<uintptr_t>(thread_state) + size_t(layout.thread_frame),
                  &address))
    return false;
  if (layout.cframe_frame != kNoField &&
      (!address || !read_value(address + size_t(layout.cframe_frame), &address)))
    return false;
  if (!address || !read_frame(address, out)) return false;
  return out->runs_code || outside(*out, out);
}

bool WaitingPython::outside(const ForeignFrame& frame, ForeignFrame* out) const noexcept {
  uintptr_t next = frame.next;
  for (int i = 0; i < kLongestChain && next; ++i) {
    if (!read_frame(next, out)) return false;
    if (out->runs_code) return true;
    next = out->next;
  }
  return false;
}

bool WaitingPython::read_frame(uintptr_t address, ForeignFrame* out) const noexcept {
  const PythonLayout& layout = reader_->layout();
  char bytes[kFrameBytes];
  if (read_memory(address, bytes, sizeof bytes) != sizeof bytes) return false;
  bool is_shim =
      layout.version >= 0x30c && load<uint8_t>(bytes, layout.frame_owner) >= kFirstShimOwner;
  uintptr_t code = load<uintptr_t>(bytes, layout.frame_code) & ~kPointerTags;
  int32_t lasti = 0;
  if (layout.code_units != kNoField)
    lasti = int32_t(load<uintptr_t>(bytes, layout.frame_instruction) -
                    (code + size_t(layout.code_units)));
  else
    lasti = load<int32_t>(bytes, layout.frame_instruction) * (layout.version == 0x30a ? 2 : 1);
  *out = {address, code, lasti, load<uintptr_t>(bytes, layout.frame_back), !is_shim && code != 0};
  return true;
}

// As python_iterators does it, by copies.
uint64_t WaitingPython::variables_mark(const ForeignFrame& frame) const noexcept {
  const PythonLayout& layout = reader_->layout();
  char bytes[kFrameBytes];
  if (read_memory(frame.frame, bytes, sizeof bytes) != sizeof bytes) return 0;
  const auto globals = load<uintptr_t>(bytes, layout.frame_globals);
  if (globals && globals == load<uintptr_t>(bytes, layout.frame_locals)) {  // of a module
    uint64_t version = 0;
    if (layout.dict_version == kNoField ||
        !read_value(globals + size_t(layout.dict_version), &version))
      return 0;
    return mix(version);
  }
  int32_t count = kMarkedVariables;
  uintptr_t end = load<uintptr_t>(bytes, layout.frame_stack);
  if (layout.code_locals != kNoField) {
    if (!read_value(frame.code + size_t(layout.code_locals), &count) || count <= 0) return 0;
    end = frame.frame + size_t(layout.frame_stack) + size_t(count) * sizeof(uintptr_t);
    if (count > kMarkedVariables) count = kMarkedVariables;
  }
  uintptr_t variables[kMarkedVariables];
  const size_t wanted = size_t(count) * sizeof(uintptr_t);
  if (read_memory(end - wanted, variables, wanted) != wanted) return 0;
  uint64_t mark = 1;
  for (int32_t i = 0; i < count; ++i) mark = mix(mark, variables[i]);
  return mark;
}

bool WaitingPython::copy_code(const ForeignFrame& frame, CodeCopy* out) const noexcept {
  const PythonLayout& layout = reader_->layout();
  if (!read_code_head(frame, out)) return false;
  auto of_str = [&](const char* str) { return bytes_of_str(layout, str); };
  // Where there is no qualified name, the plain one stands in its field.
  return copy_part(out->head, layout.code_file, out->file, of_str) &&
         copy_part(out->head, layout.code_qualname, out->name, of_str) &&
         copy_part(out->head, layout.code_lines, out->lines, bytes_of_bytes);
}

bool WaitingPython::read_code_head(const ForeignFrame& frame, CodeCopy* out) const noexcept {
  const PythonLayout& layout = reader_->layout();
  if (read_memory(frame.code, out->head, sizeof out->head) != sizeof out->head ||
      load<const void*>(out->head, kObjectType) != reader_->code_type())
    return false;
  out->mark = mix(mix(load<uint64_t>(out->head, layout.code_file),
                      load<uint64_t>(out->head, layout.code_lines)),
                  load<uint32_t>(out->head, layout.code_first_line));
  out->is_interpreters_own =
      layout.version >= 0x30c &&
      load_pointer(out->head, layout.code_file) == load_pointer(out->head, layout.code_qualname);
  return true;
}

}  // namespace tenure::inproc
