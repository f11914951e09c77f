#include "inproc/boot/guard_errors.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/sentence.h"
#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/boot/history_calls.h"

namespace tenure::inproc {
namespace {

constexpr size_t kTitleRoom = 240;
using Title = EncodedSentence<kTitleRoom>;
using Size = EncodedSentence<64>;

Size size_of(const GuardedBlock& block) noexcept {
  return Size(block.bytes == 1 ? "bytes.one" : "bytes.many").with("count", block.bytes);
}

Title title_of_access(const char* code, const GuardedBlock& block, const Fault& fault) noexcept {
  return Title(code).with("byte", fault.address - block.address).with("size", size_of(block));
}

class GuardError {
 public:
  explicit GuardError(Kind kind) noexcept {
    error_.kind = intern_text(code(kind));
    error_.severity = intern_text(code(Severity::error));
  }
  GuardError& place(PlaceRole role, KnownStack where) noexcept {
    bool is_of_this_ledger = where.generation == accounting().stacks().generation();
    if (where.id && is_of_this_ledger)
      error_.places[error_.place_count++] = {intern_text(code(role)), where.id};
    return *this;
  }
  void tell(const Title& title, const char* why, const char* fix) noexcept {
    error_.title = intern_text(title.text());
    error_.why = intern_text(EncodedSentence<64>(why).text());
    error_.fix = intern_text(EncodedSentence<64>(fix).text());
    accounting().history().add_lifetime_error(error_);
  }

 private:
  ledger::LifetimeError error_{};
};

void tell_use(const GuardedBlock& block, const Fault& fault, KnownStack used) noexcept {
  const char* title = fault.is_write ? "guarded.wrote_freed.title" : "guarded.read_freed.title";
  GuardError(Kind::use_after_free)
      .place(PlaceRole::created, block.born)
      .place(PlaceRole::ended, block.ended)
      .place(PlaceRole::used, used)
      .tell(title_of_access(title, block, fault), "guarded.use_after_free.why",
            "guarded.use_after_free.fix");
}

void tell_outside(const GuardedBlock& block, const Fault& fault, KnownStack used) noexcept {
  const char* title = fault.is_write ? "guarded.wrote_outside.title" : "guarded.read_outside.title";
  GuardError(Kind::out_of_bounds)
      .place(PlaceRole::created, block.born)
      .place(PlaceRole::used, used)
      .tell(title_of_access(title, block, fault), "guarded.outside.why", "guarded.outside.fix");
}

std::atomic_flag g_is_telling;  // the room below belongs to one fault at a time

// Another thread met a fault as well: who goes on now would end the program before that one is told.
void wait_for_other_error() noexcept {
  constexpr int kMostLooks = 1000;
  const timespec millisecond{0, 1'000'000};
  for (int i = 0; i < kMostLooks && g_is_telling.test(); ++i)
    syscall(SYS_nanosleep, &millisecond, nullptr);
}

KnownStack where_interrupted(const NativeRegisters& registers) noexcept {
  static StackTracker::Room room;
  StackTracker& stacks = accounting().stacks();
  return {stacks.interrupted_at(registers, room), stacks.generation()};
}

}  // namespace

bool tell_fault(const Fault& fault) noexcept {
  GuardedBlock block;
  if (!guarded_heap().find(fault.address, &block)) return false;
  // Inside a live block it is the program that protects its pages.
  if (block.is_live && fault.address < block.address + block.bytes) return false;
  BusyGuard busy;
  if (!busy || !accounting().ensure_on()) return false;
  if (g_is_telling.test_and_set()) return wait_for_other_error(), false;
  KnownStack used = where_interrupted(fault.registers);
  if (block.is_live)
    tell_outside(block, fault, used);
  else
    tell_use(block, fault, used);
  g_is_telling.clear();
  return true;
}

void tell_double_free(const GuardedBlock& block, KnownStack second) noexcept {
  BusyGuard busy;
  if (!busy || !accounting().ensure_on()) return;
  GuardError(Kind::double_free)
      .place(PlaceRole::created, block.born)
      .place(PlaceRole::ended, block.ended)
      .place(PlaceRole::used, second)
      .tell(Title("guarded.double_free.title").with("size", size_of(block)),
            "guarded.double_free.why", "guarded.double_free.fix");
}

void tell_second_free(size_t bytes, KnownStack second) noexcept {
  BusyGuard busy;
  if (!busy || !accounting().ensure_on()) return;
  GuardError(Kind::double_free)
      .place(PlaceRole::used, second)
      .tell(Title("guarded.double_free.title").with("size", size_of({.bytes = bytes})),
            "guarded.double_free.why", "freed_again.fix");
}

void tell_overrun(const GuardedBlock& block, KnownStack freed) noexcept {
  BusyGuard busy;
  if (!busy || !accounting().ensure_on()) return;
  GuardError(Kind::out_of_bounds)
      .place(PlaceRole::created, block.born)
      .place(PlaceRole::ended, freed)
      .tell(Title("guarded.overrun.title").with("size", size_of(block)), "guarded.overrun.why",
            "guarded.overrun.fix");
}

}  // namespace tenure::inproc
