#include "lib/ledger_link.h"

#include <dlfcn.h>

#include <exception>
#include <string>

#include "base/sentence.h"
#include "lib/journal.h"
#include "lib/words.h"

namespace tenure::lib {

namespace {

constexpr std::uint32_t kMostShortScopes = 1000;
constexpr std::size_t kToldOneByOne = 256;  // births in a scope
constexpr std::uint32_t kThenOneIn = 16;    // at random, so that no line is always missed

using Words = EncodedSentence<2000>;  // as much as a ledger takes of one text

NativePlace place_of(const Event& event) noexcept {
  return {event.file.c_str(), event.function.c_str(), event.line, event.code};
}

// emplace_back() and its like make a buffer deep inside the standard library: its line says nothing, the stack does.
bool is_of_standard_library(const Event& event) noexcept {
  return event.file.find("/include/c++/") != std::string::npos;
}

// What the error itself does not say. Its title and its fix are the exception's own words, and stay those.
Words why_of(const History& history) noexcept {
  if (!history.ended) return Words("library.closing.why");
  bool is_detached = history.state == State::detached;
  return Words(is_detached ? "library.detached.why" : "library.ended.why")
      .with("by", history.ended->by);
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

std::uint32_t LedgerLink::scope_born(const ToldScope& scope) noexcept try {
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

void LedgerLink::scope_ended(const ToldScope& scope, const Mark& mark, Fill fill) noexcept try {
  if (!calls_ || scope.ledger_id == 0) return;
  Event ended = to_event(mark, "");
  calls_->scope_filled(scope.ledger_id, fill.buffers, fill.bytes);
  calls_->scope_ended(scope.ledger_id, code(ScopeState::closed), place_of(ended));
} catch (const std::exception&) {
  count_untold();
}

void LedgerLink::buffer_born(const ToldScope& scope, const Record& record, Fill fill) noexcept try {
  if (!calls_ || (fill.buffers > kToldOneByOne && !is_drawn())) return;
  if (scope.ledger_id != 0) calls_->scope_filled(scope.ledger_id, fill.buffers, fill.bytes);
  Event born = to_event(record.born, "");
  NativePlace made = is_of_standard_library(born) ? NativePlace{} : place_of(born);
  Kind kind = scope.kind == ScopeKind::graph ? Kind::graph_growth : Kind::native_growth;
  Words holder("library.scope"), why("library.pile.why"), fix("library.pile.fix");
  holder.with("type", to_text(scope.kind)).with("name", scope.name);
  why.with("buffer", record.name).with("scope", holder);
  Words key(code(CauseRank::responsible_with_callees));  // as python/tenure/_causes.py has it
  key.with("cause", scope_title(scope.kind, scope.name))
      .with("line", born.file + ":" + std::to_string(born.line));
  calls_->cause({key.text(), code(kind), holder.text(), why.text(), fix.text(), made});
} catch (const std::exception&) {
  count_untold();
}

void LedgerLink::error(Kind kind, const char* type, const History& history) noexcept try {
  if (!calls_) return;
  std::string title = history.title();
  Words why = why_of(history);
  Event ended = history.ended.value_or(Event{}), used = history.used.value_or(Event{});
  calls_->lifetime_error({code(kind), title.c_str(), why.text(), history.fix.c_str(), type,
                          title.c_str(), history.scope.c_str(), place_of(history.born),
                          place_of(ended), place_of(used)});
} catch (const std::exception&) {
  count_untold();
}

LedgerLink& ledger_link() noexcept {
  static LedgerLink link(find_calls());
  return link;
}

void tell_error(Kind kind, const char* type, const History& history) noexcept {
  ledger_link().error(kind, type, history);
  journal().error(type, history);
}

}  // namespace tenure::lib
