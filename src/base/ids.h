// base/ids.h: typed indices into the ledger's tables, and the monotone clock of births.
// World: both. Plain values.
#pragma once
#include <compare>
#include <cstdint>

namespace tenure {

// An index into one table of the ledger. Index 0 of every table is "none".
template <class Tag>
struct Id {
  uint32_t value = 0;
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

using StringId = Id<struct StringTag>;  // byte offset in the string table
using CodeId = Id<struct CodeTag>;
using ModuleId = Id<struct ModuleTag>;
using FrameId = Id<struct FrameTag>;
using StackId = Id<struct StackTag>;
using SiteId = Id<struct SiteTag>;
using SeriesId = Id<struct SeriesTag>;

// A stack of one process: a child that is forked has a ledger and a generation of its own.
struct KnownStack {
  StackId id{};
  uint32_t generation = 0;
};

// Number of tracked births so far in the process. The unit in which "when" is stored.
using Tick = uint64_t;

}  // namespace tenure
