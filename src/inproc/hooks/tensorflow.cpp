// inproc/hooks/tensorflow.cpp: functions of TensorFlow that know what libc cannot: the op that makes a block, and the
// blocks inside of pools. Every one of them only looks, and goes on to TensorFlow's own.
// World: inside, only where TensorFlow is loaded. Names and registers are all that is known of it: an argument is a word.
#include <string.h>

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/op_texts.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/os/elf_symbols.h"
#include "inproc/os/memory.h"
#include "inproc/os/thread_end.h"

#define HOOK_OF(symbol) __asm__(symbol) __attribute__((visibility("default")))
#define CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))

#define ANNOTATION "_ZN3tsl8profiler27ScopedMemoryDebugAnnotation27ThreadMemoryDebugAnnotationEv"
#define COMPUTE "_ZN10tensorflow6Device7ComputeEPNS_8OpKernelEPNS_15OpKernelContextE"
#define COMPUTE_ASYNC                                             \
  "_ZN10tensorflow6Device12ComputeAsyncEPNS_13AsyncOpKernelEPNS_" \
  "15OpKernelContextESt8functionIFvvEE"
#define KERNEL_NAME "_ZNK10tensorflow8OpKernel4nameEv"
#define OLD_POOL "_ZN10tensorflow12BFCAllocator"
#define NEW_POOL "_ZN3tsl12BFCAllocator"
#define ALLOCATE "11AllocateRawEmmRKNS_20AllocationAttributesE"
#define DEALLOCATE "13DeallocateRawEPv"

namespace {

using namespace tenure::inproc;

// TensorFlow's own function behind one of ours. Who calls ours has it loaded.
class Behind {
 public:
  constexpr explicit Behind(const char* name) noexcept : name_(name) {}
  template <class Function>
  Function* as() noexcept {
    void* found = found_.load(std::memory_order_relaxed);  // whoever finds it finds the same
    if (!found) found_.store(found = find_next_symbol(name_), std::memory_order_relaxed);
    return reinterpret_cast<Function*>(found);
  }

 private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

// ---- from 2.12 on TensorFlow notes the op of each thread itself, for its memory profiler ----

std::atomic<bool> g_is_annotated{false};

// The name comes first: as an address to 2.18, as a length and an address after. No address is that low.
uint32_t annotated_name(const void* annotation, char* out) noexcept {
  uintptr_t word[2];
  memcpy(word, annotation, sizeof word);
  constexpr uintptr_t kLongestView = 4096;
  if (word[0] == 0) return 0;
  return word[0] < kLongestView ? copy_op_name(reinterpret_cast<const char*>(word[1]), word[0], out)
                                : copy_op_name(reinterpret_cast<const char*>(word[0]), 0, out);
}

// ---- older versions: the kernel that a device computes ----

// OpKernel::name() is exported to 2.0; a std::string begins with the address of its text, in both layouts there are.
uint32_t kernel_name(const void* kernel, char* out) noexcept {
  static constinit Behind name(KERNEL_NAME);
  auto* ask = name.as<const void*(const void*)>();
  const char* text = nullptr;
  memcpy(&text, ask(kernel), sizeof text);
  return copy_op_name(text, 0, out);
}

CurrentOp op_of_kernel(const void* kernel) noexcept {
  static const bool is_told = find_next_symbol(KERNEL_NAME) != nullptr;
  return is_told && !g_is_annotated.load(std::memory_order_relaxed)
             ? CurrentOp{kernel, &kernel_name}
             : g_current_op;
}

// ---- and eagerly, where no device is asked: the op that Python made last ----

struct EagerOp {
  const void* op;
  char name[64];
};
// One op may need another before it is run; few are ever open at once.
struct EagerOps {
  static constexpr uint32_t kMost = 8;
  EagerOp ops[kMost];
  uint32_t next;
};
// Mapped by the first one of a thread. What every thread has from the start must stay small: a library that is loaded late
// finds little room for it (docs/decisions/0051).
thread_local constinit EagerOps* g_eager_ops = nullptr;

void release_eager_ops(void* ops) noexcept {
  g_eager_ops = nullptr;
  unmap_pages(ops, sizeof(EagerOps));
}
constinit ThreadEnd g_eager_ops_end(&release_eager_ops);

// nullptr: there is no memory for them.
EagerOps* eager_ops() noexcept {
  if (g_eager_ops) return g_eager_ops;
  g_eager_ops = static_cast<EagerOps*>(map_pages(sizeof(EagerOps)));
  if (g_eager_ops) g_eager_ops_end.set(g_eager_ops);
  return g_eager_ops;
}

EagerOp* known_eager(const void* op) noexcept {
  if (!g_eager_ops) return nullptr;
  for (EagerOp& known : g_eager_ops->ops) {
    if (known.op == op) return &known;
  }
  return nullptr;
}

// The memory of an op that is over is soon that of another.
void note_eager(const void* op, const char* name) noexcept {
  EagerOps* ops = eager_ops();
  if (!ops) return;
  EagerOp* slot = known_eager(op);
  if (!slot) slot = &ops->ops[ops->next++ % EagerOps::kMost];
  size_t length = strnlen(name, sizeof slot->name - 1);
  memcpy(slot->name, name, length);
  slot->name[length] = 0;
  slot->op = op;
}

uint32_t eager_name(const void* op, char* out) noexcept {
  const char* name = static_cast<const EagerOp*>(op)->name;
  auto length = static_cast<uint32_t>(strnlen(name, sizeof EagerOp::name));
  memcpy(out, name, length);
  return length;
}

CurrentOp op_of_eager(const void* op) noexcept {
  const EagerOp* known = known_eager(op);
  return known ? CurrentOp{known, &eager_name} : g_current_op;
}

// ---- pools ----

class PoolScope {
 public:
  PoolScope() noexcept : outer_(g_thread.is_in_pool) { g_thread.is_in_pool = true; }
  ~PoolScope() { g_thread.is_in_pool = outer_; }
  PoolScope(const PoolScope&) = delete;
  PoolScope& operator=(const PoolScope&) = delete;

 private:
  bool outer_;
};

void* allocate_in_pool(Behind& behind, void* pool, size_t alignment, size_t bytes,
                       const void* attributes, uintptr_t caller) noexcept {
  void* p = nullptr;
  {
    PoolScope scope;
    p = behind.as<void*(void*, size_t, size_t, const void*)>()(pool, alignment, bytes, attributes);
  }
  if (p) accounting().born_in_pool(p, bytes, caller);
  return p;
}

void deallocate_in_pool(Behind& behind, void* pool, void* p) noexcept {
  if (p) accounting().ended_in_pool(p);
  behind.as<void(void*, void*)>()(pool, p);
}

}  // namespace

extern "C" {

void* tf_annotation() HOOK_OF(ANNOTATION);
void* tf_annotation() {
  static constinit Behind behind(ANNOTATION);
  void* annotation = behind.as<void*()>()();
  g_current_op = {annotation, &annotated_name};
  g_is_annotated.store(true, std::memory_order_relaxed);
  return annotation;
}

void tf_compute(void* device, void* kernel, void* context) HOOK_OF(COMPUTE);
void tf_compute(void* device, void* kernel, void* context) {
  static constinit Behind behind(COMPUTE);
  OpScope scope(op_of_kernel(kernel));
  behind.as<void(void*, void*, void*)>()(device, kernel, context);
}

void tf_compute_async(void* device, void* kernel, void* context, void* done) HOOK_OF(COMPUTE_ASYNC);
void tf_compute_async(void* device, void* kernel, void* context, void* done) {
  static constinit Behind behind(COMPUTE_ASYNC);
  OpScope scope(op_of_kernel(kernel));
  behind.as<void(void*, void*, void*, void*)>()(device, kernel, context, done);
}

void* tf_new_op(void* context, const char* name, void* status) HOOK_OF("TFE_NewOp");
void* tf_new_op(void* context, const char* name, void* status) {
  static constinit Behind behind("TFE_NewOp");
  void* op = behind.as<void*(void*, const char*, void*)>()(context, name, status);
  if (op && !g_is_annotated.load(std::memory_order_relaxed)) note_eager(op, name);
  return op;
}

void tf_execute(void* op, void* results, int* count, void* status) HOOK_OF("TFE_Execute");
void tf_execute(void* op, void* results, int* count, void* status) {
  static constinit Behind behind("TFE_Execute");
  OpScope scope(g_is_annotated.load(std::memory_order_relaxed) ? g_current_op : op_of_eager(op));
  behind.as<void(void*, void*, int*, void*)>()(op, results, count, status);
}

void* tf_old_allocate(void* pool, size_t alignment, size_t bytes, const void* attributes)
    HOOK_OF(OLD_POOL ALLOCATE);
void* tf_old_allocate(void* pool, size_t alignment, size_t bytes, const void* attributes) {
  static constinit Behind behind(OLD_POOL ALLOCATE);
  return allocate_in_pool(behind, pool, alignment, bytes, attributes, CALLER);
}

void tf_old_deallocate(void* pool, void* p) HOOK_OF(OLD_POOL DEALLOCATE);
void tf_old_deallocate(void* pool, void* p) {
  static constinit Behind behind(OLD_POOL DEALLOCATE);
  deallocate_in_pool(behind, pool, p);
}

void* tf_new_allocate(void* pool, size_t alignment, size_t bytes, const void* attributes)
    HOOK_OF(NEW_POOL ALLOCATE);
void* tf_new_allocate(void* pool, size_t alignment, size_t bytes, const void* attributes) {
  static constinit Behind behind(NEW_POOL ALLOCATE);
  return allocate_in_pool(behind, pool, alignment, bytes, attributes, CALLER);
}

void tf_new_deallocate(void* pool, void* p) HOOK_OF(NEW_POOL DEALLOCATE);
void tf_new_deallocate(void* pool, void* p) {
  static constinit Behind behind(NEW_POOL DEALLOCATE);
  deallocate_in_pool(behind, pool, p);
}

}  // extern "C"
