#include "inproc/boot/native_calls.h"

#include "inproc/accounting/accounting.h"
#include "inproc/accounting/thread_state.h"
#include "inproc/boot/history_calls.h"

namespace tenure::inproc {
namespace {

// The innermost frame alone: the library was told the user's own line.
StackId stack_of(const NativePlace& place) noexcept {
  StackTracker& stacks = accounting().stacks();
  ledger::Frame frame{};
  if (place.line) {
    frame.kind = static_cast<uint32_t>(ledger::FrameKind::named);
    frame.owner =
        stacks.table().code({intern_text(place.file), intern_text(place.function), 0, 0}).value;
    frame.line = place.line;
    frame.lasti = -1;
  } else if (place.code) {
    uintptr_t base = 0;
    auto pc = reinterpret_cast<uintptr_t>(place.code);
    frame.kind = static_cast<uint32_t>(ledger::FrameKind::native);
    frame.owner = stacks.module_of(pc, &base).value;
    frame.address = pc - base;
  } else {
    return {};
  }
  return stacks.table().stack({}, stacks.table().frame(frame));
}

void add_place(PlaceRole role, const NativePlace& place, ledger::LifetimeError& error) noexcept {
  StackId stack = stack_of(place);
  if (!stack) return;
  error.places[error.place_count++] = {intern_text(code(role)), stack};
}

uint32_t scope_born(const char* kind, const char* name, const NativePlace& born) noexcept {
  if (!accounting().ensure_on()) return 0;
  BusyGuard busy;
  return accounting().history().add_scope(intern_text(kind), intern_text(name), stack_of(born));
}

void scope_ended(uint32_t scope, const char* state, const NativePlace& ended) noexcept {
  if (!accounting().ensure_on()) return;
  BusyGuard busy;
  accounting().history().set_state(scope, intern_text(state), stack_of(ended));
}

void scope_filled(uint32_t scope, uint64_t items, uint64_t bytes) noexcept {
  if (!accounting().ensure_on()) return;
  BusyGuard busy;
  accounting().history().set_fill(scope, items, bytes);
}

void tell_lifetime_error(const NativeLifetimeError& told) noexcept {
  if (!accounting().ensure_on()) return;
  BusyGuard busy;
  ledger::LifetimeError error{};
  error.kind = intern_text(told.kind);
  error.severity = intern_text(code(Severity::error));
  error.title = intern_text(told.title);
  error.why = intern_text(told.why);
  error.fix = intern_text(told.fix);
  error.error_type = intern_text(told.error_type);
  error.error_message = intern_text(told.error_message);
  error.holder = intern_text(told.holder);
  add_place(PlaceRole::created, told.created, error);
  add_place(PlaceRole::ended, told.ended, error);
  add_place(PlaceRole::used, told.used, error);
  accounting().history().add_lifetime_error(error);
}

void count_cause(const NativeCause& told) noexcept {
  const KnownStack here = accounting().stack_here();
  if (!accounting().is_on()) return;
  BusyGuard busy;
  ledger::Cause cause{};
  cause.kind = intern_text(told.kind);
  cause.holder = intern_text(told.holder);
  cause.why = intern_text(told.why);
  cause.fix = intern_text(told.fix);
  cause.stack = stack_of(told.made);
  if (!cause.stack) cause.stack = here.id;
  accounting().history().count_cause(intern_text(told.key), cause);
}

void count_step(const char* name) noexcept { accounting().count_step(name); }

constexpr NativeCalls kCalls = {&scope_born,          &scope_ended, &scope_filled,
                                &tell_lifetime_error, &count_cause, &count_step};

}  // namespace

const NativeCalls& native_calls() noexcept { return kCalls; }

}  // namespace tenure::inproc
