// lib/ledger_link.h: the way into the ledger of `tenure run`. Without it every call does nothing.
// World: the C++ library. Any thread. Nothing here throws: telling must not disturb the program.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "base/native_calls.h"
#include "base/vocabulary.h"
#include "lib/record.h"
#include "tenure/history.h"
#include "tenure/scope.h"

namespace tenure::lib {

// How full a scope is.
struct Fill {
  std::size_t buffers = 0;  // its own
  std::size_t bytes = 0;    // with its children's
};

// A scope as the ledger is told of it. Refers to the scope's own words.
struct ToldScope {
  ScopeKind kind;
  const std::string& name;
  const Mark& born;
  std::uint32_t ledger_id;  // 0: not in the ledger
};

class LedgerLink {
 public:
  explicit LedgerLink(const NativeCalls* calls) noexcept : calls_(calls) {}

  // The id of the scope in the ledger, 0: none. Of requests and steps only the first thousand are told.
  std::uint32_t scope_born(const ToldScope& scope) noexcept;
  void scope_ended(const ToldScope& scope, const Mark& mark, Fill fill) noexcept;
  void buffer_born(const ToldScope& scope, const Record& record, Fill fill) noexcept;
  void error(Kind kind, const char* type, const History& history) noexcept;

 private:
  const NativeCalls* const calls_;  // null: the program does not run under `tenure run`
  std::atomic<std::uint32_t> told_scopes_{
      0};  // of requests and steps. Relaxed: one more or less does no harm
};

[[nodiscard]] LedgerLink& ledger_link() noexcept;

// To the ledger and to the journal.
void tell_error(Kind kind, const char* type, const History& history) noexcept;

}  // namespace tenure::lib
