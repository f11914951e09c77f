#include "lib/ledger_link.h"

#include <dlfcn.h>

#include <exception>
#include <string>

#include "lib/journal.h"
#include "lib/scope_node.h"

namespace tenure::lib {

using detail::ScopeNode;

namespace {

constexpr std::uint32_t kMostShortScopes = 1000;
constexpr std::size_t kToldOneByOne = 256;  // births in a scope
constexpr std::uint32_t kThenOneIn = 16;    // at random, so that no line is always missed

NativePlace place_of(const Event& event) noexcept {
  return {event.file.c_str(), event.function.c_str(), event.line, event.code};
}

// emplace_back() and its like make a buffer deep inside the standard library: its line says nothing, the stack does.
bool is_of_standard_library(const Event& event) noexcept {
  return event.file.find("/include/c++/") != std::string::npos;
}

bool is_short(ScopeKind kind) noexcept {
  return kind == ScopeKind::request || kind == ScopeKind::step;
}

bool is_drawn() noexcept {
  thread_local std::uint32_t random = 2463534242U;  // xorshift
  random ^= random << 13U;
  random ^= random >> 17U;
  random ^= random << 5U;
  return random % kThenOneIn == 0;
}

// The preload is in the process from its start, or never.
const NativeCalls* find_calls() noexcept {
  auto find = reinterpret_cast<FindNativeCalls>(dlsym(RTLD_DEFAULT, kNativeCallsName));
  return find ? find(kNativeCallsVersion) : nullptr;
}

}  // namespace

std::uint32_t LedgerLink::scope_born(const ScopeNode& scope) noexcept try {
  if (!calls_) return 0;
  if (scope.kind == ScopeKind::step) calls_->step(scope.name.c_str());
  if (is_short(scope.kind) &&
      told_scopes_.fetch_add(1, std::memory_order_relaxed) >= kMostShortScopes)
    return 0;
  Event born = to_event(scope.born, "");
  return calls_->scope_born(to_text(scope.kind), scope.name.c_str(), place_of(born));
} catch (const std::exception&) {
  count_untold();
  return 0;
}

void LedgerLink::scope_ended(const ScopeNode& scope, const Mark& mark, Fill fill) noexcept try {
  if (!calls_ || scope.ledger_id == 0) return;
  Event ended = to_event(mark, "");
  calls_->scope_filled(scope.ledger_id, fill.buffers, fill.bytes);
  calls_->scope_ended(scope.ledger_id, "closed", place_of(ended));
} catch (const std::exception&) {
  count_untold();
}

void LedgerLink::buffer_born(const ScopeNode& scope, const Record& record, Fill fill) noexcept try {
  if (!calls_ || (fill.buffers > kToldOneByOne && !is_drawn())) return;
  if (scope.ledger_id != 0) calls_->scope_filled(scope.ledger_id, fill.buffers, fill.bytes);
  Event born = to_event(record.born, "");
  NativePlace made = is_of_standard_library(born) ? NativePlace{} : place_of(born);
  std::string holder = scope.title();
  // As adapters write keys: rank 2 (callees count too), the holder, the line.
  std::string key = "2|" + holder + "|" + born.file + ":" + std::to_string(born.line);
  std::string why = "buffers made here, such as `" + record.name + "`, pile up in " + holder +
                    ": their owners do not end them";
  std::string fix =
      "make what repeats in a scope that is closed every time, or end each buffer after its last "
      "use";
  const char* kind = scope.kind == ScopeKind::graph ? "graph-growth" : "native-growth";
  calls_->cause({key.c_str(), kind, holder.c_str(), why.c_str(), fix.c_str(), made});
} catch (const std::exception&) {
  count_untold();
}

void LedgerLink::error(const char* kind, const char* type, const History& history) noexcept try {
  if (!calls_) return;
  std::string title = history.title();
  std::string why =
      history.ended ? "it was " + std::string(to_text(history.state)) + " by " + history.ended->by
                    : "its scope is closing";
  Event ended = history.ended.value_or(Event{}), used = history.used.value_or(Event{});
  calls_->story({kind, title.c_str(), why.c_str(), history.fix.c_str(), type, title.c_str(),
                 history.scope.c_str(), place_of(history.born), place_of(ended), place_of(used)});
} catch (const std::exception&) {
  count_untold();
}

LedgerLink& ledger_link() noexcept {
  static LedgerLink link(find_calls());
  return link;
}

void tell_error(const char* kind, const char* type, const History& history) noexcept {
  ledger_link().error(kind, type, history);
  journal().error(type, history);
}

}  // namespace tenure::lib
