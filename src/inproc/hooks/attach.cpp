// inproc/hooks/attach.cpp: the two functions that `tenure attach` calls in a program into which it has loaded this library.
// World: inside, in a thread of the program that was stopped and made to call: it may hold any lock of the program's own, and
// none of libc's heap or loader. Nothing is changed but slots of loaded libraries and memory of our own.
#include "inproc/accounting/accounting.h"
#include "inproc/accounting/metered_part.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/boot/start.h"
#include "inproc/hooks/deep_bind.h"
#include "inproc/hooks/real.h"
#include "inproc/hooks/slots.h"
#include "inproc/os/elf_symbols.h"
#include "inproc/os/memory.h"
#include "inproc/os/sandbox.h"
#include "ledger/layout.h"
#include "ledger/protocol.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

using namespace tenure::inproc;
using tenure::ledger::AttachAnswer;
using tenure::ledger::AttachRequest;

namespace {

// Whether watching may begin; `watches`: yes.
AttachAnswer why_not(const AttachRequest& request) noexcept {
  if (request.version != tenure::ledger::kVersion) return AttachAnswer::other_version;
  if (!is_loaded_late()) return AttachAnswer::is_preloaded;
  if (accounting().is_started()) return AttachAnswer::is_watched;
  if (real().size_of_block != SizeOfBlock::in_chunk_header) return AttachAnswer::other_heap;
  return is_sandboxed() ? AttachAnswer::is_locked_in : AttachAnswer::watches;
}

}  // namespace

EXPORTED AttachAnswer tenure_attach(AttachRequest* request) noexcept {
  ErrnoKeeper keep;
  MeteredPart metered;
  const AttachAnswer answer = why_not(*request);
  if (answer != AttachAnswer::watches) return answer;
  if (!start_attached(request->socket)) return AttachAnswer::cannot_join;
  begin_binding();
  auto* thread = static_cast<char*>(__builtin_thread_pointer());
  request->busy_at = reinterpret_cast<char*>(&g_thread.is_busy) - thread;
  request->part_at = reinterpret_cast<char*>(&g_thread.cost.depth) - thread;
  request->slots = bound_slots();
  return AttachAnswer::watches;
}

EXPORTED void tenure_detach() noexcept {
  ErrnoKeeper keep;
  end_binding();
  accounting().stop();
}
