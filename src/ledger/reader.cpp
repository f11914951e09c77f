#include "ledger/reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "ledger/image.h"

namespace tenure::ledger {
namespace {

constexpr uint32_t kWidestShift = 58;  // kBuckets << 58 is the most that fits into 64 bits

bool is_sane(const Site& site) {
  return site.shift <= kWidestShift && site.frozen.shift <= kWidestShift;
}

}  // namespace

Result<Reader> Reader::open(const std::string& path) {
  Result<std::vector<char>> raw = read_image(path);
  if (!raw) return raw.error();
  return from_bytes(std::move(*raw), path);
}

Result<Reader> Reader::from_bytes(std::vector<char> raw, const std::string& name) {
  auto damaged = [&](const char* what) {
    return Error{fmt::format("{} is damaged: {}", name, what), 2};
  };
  if (raw.size() < sizeof(Header)) return damaged("it is shorter than a header");
  const auto& h = *reinterpret_cast<const Header*>(raw.data());
  if (std::memcmp(h.magic, kMagic, sizeof h.magic) != 0 || h.version != kVersion)
    return damaged("its inner header does not fit");
  for (uint32_t t = 0; t < kTableCount; ++t) {
    const TableInfo& info = h.tables[t];
    uint64_t bytes = uint64_t{info.used.load()} * info.record_bytes;
    if (info.record_bytes != kRecordBytes[t] || info.used.load() == 0)
      return damaged("a table has another shape");
    if (info.offset % 8 != 0 || info.offset > raw.size() || bytes > raw.size() - info.offset) {
      return damaged("a table lies outside of it");
    }
  }
  Reader reader;
  reader.raw_ = std::move(raw);
  std::span<const Site> sites = reader.sites();
  if (!std::all_of(sites.begin(), sites.end(), is_sane)) return damaged("a site cannot be");
  return reader;
}

std::string_view Reader::string(StringId id) const {
  auto bytes = all<char>(TableId::strings);
  uint32_t length = 0;
  if (id.value == 0 || uint64_t{id.value} + sizeof length > bytes.size()) return {};
  std::memcpy(&length, bytes.data() + id.value, sizeof length);
  if (length > bytes.size() - id.value - sizeof length) return {};
  return {bytes.data() + id.value + sizeof length, length};
}

std::string_view Reader::fact(std::string_view key) const {
  std::string_view value;
  for (const Fact& fact : facts()) {
    if (string(fact.key) == key) value = string(fact.value);
  }
  return value;
}

StackId Reader::outer(StackId id) const {
  StackId outer = stack(id).outer;
  return outer.value < id.value ? outer : StackId{};
}

std::vector<StackId> Reader::nodes(StackId innermost) const {
  std::vector<StackId> result;
  for (StackId id = innermost; id; id = outer(id)) result.push_back(id);
  return result;
}

}  // namespace tenure::ledger
