#include "inproc/stacks/stack_table.h"

#include <cstring>

#include "base/hash.h"
#include "inproc/stacks/users_part.h"

namespace tenure::inproc {

using ledger::TableId;

bool StackTable::start(ledger::Writer* ledger) noexcept {
  ledger_ = ledger;
  return strings_.start() && codes_.start() && modules_.start() && frames_.start() &&
         stacks_.start();
}

void StackTable::restart() noexcept {
  for (InternTable* table : {&strings_, &codes_, &modules_, &frames_, &stacks_}) table->clear();
}

StringId StackTable::string(const char* text, uint32_t length) noexcept {
  auto equal = [&](uint32_t id) {
    const char* at = ledger_->record<char>(TableId::strings, id);
    uint32_t have;
    std::memcpy(&have, at, sizeof have);
    return have == length && std::memcmp(at + sizeof have, text, length) == 0;
  };
  auto make = [&]() -> uint32_t {
    uint32_t bytes = static_cast<uint32_t>(ledger::align_up(sizeof length + length, 8));
    uint32_t first = ledger_->used(TableId::strings);
    uint32_t skip = (8 - first % 8) % 8;  // strings start at multiples of 8
    first = ledger_->claim(TableId::strings, skip + bytes);
    if (first == ledger::Writer::kNone) return 0;
    char* at = ledger_->record<char>(TableId::strings, first + skip);
    std::memcpy(at, &length, sizeof length);
    std::memcpy(at + sizeof length, text, length);
    ledger_->publish(TableId::strings, first + skip + bytes);
    return first + skip;
  };
  return {strings_.find_or_add(hash_bytes(text, length), equal, make)};
}

template <class Tag, class Record, class Equal>
Id<Tag> StackTable::intern(InternTable& table, TableId id, uint64_t hash, const Record& key,
                           Equal equal) noexcept {
  auto same = [&](uint32_t index) { return equal(*ledger_->record<Record>(id, index)); };
  auto make = [&]() -> uint32_t {
    uint32_t index = ledger_->claim(id, 1);
    if (index == ledger::Writer::kNone) return 0;
    *ledger_->record<Record>(id, index) = key;
    ledger_->publish(id, index + 1);
    return index;
  };
  return {table.find_or_add(hash, same, make)};
}

CodeId StackTable::code(ledger::Code key) noexcept {
  key.origin = static_cast<uint32_t>(origin_of_file(*ledger_, key.file));
  uint64_t hash = mix(mix(key.file.value, key.name.value), static_cast<uint64_t>(key.first_line));
  return intern<CodeTag>(codes_, TableId::codes, hash, key, [&](const ledger::Code& c) {
    return c.file == key.file && c.name == key.name && c.first_line == key.first_line;
  });
}

ModuleId StackTable::module(const ledger::Module& key) noexcept {
  return intern<ModuleTag>(
      modules_, TableId::modules, mix(key.path.value, key.base), key, [&](const ledger::Module& m) {
        return m.path == key.path && m.base == key.base && m.build_id_size == key.build_id_size &&
               std::memcmp(m.build_id, key.build_id, sizeof m.build_id) == 0;
      });
}

FrameId StackTable::frame(const ledger::Frame& key) noexcept {
  uint64_t place =
      mix(key.address, static_cast<uint64_t>(static_cast<uint32_t>(key.lasti)) << 32 | key.line);
  uint64_t hash = mix(place, static_cast<uint64_t>(key.kind) << 32 | key.owner);
  return intern<FrameTag>(frames_, TableId::frames, hash, key, [&](const ledger::Frame& f) {
    return f.kind == key.kind && f.owner == key.owner && f.line == key.line &&
           f.lasti == key.lasti && f.address == key.address;
  });
}

StackId StackTable::stack(StackId outer, FrameId frame) noexcept {
  ledger::Stack key{outer, frame, 1};
  if (outer) key.depth += ledger_->record<ledger::Stack>(TableId::stacks, outer.value)->depth;
  return intern<StackTag>(
      stacks_, TableId::stacks, mix(outer.value, frame.value), key,
      [&](const ledger::Stack& s) { return s.outer == outer && s.frame == frame; });
}

}  // namespace tenure::inproc
