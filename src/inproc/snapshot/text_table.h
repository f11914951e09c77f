// inproc/snapshot/text_table.h: the strings of a snapshot, each once, and a small text to build them in.
// World: inside, one thread, in the snapshot's child.
#pragma once
#include <cstring>

#include "base/hash.h"
#include "inproc/snapshot/address_map.h"
#include "inproc/stacks/python_strings.h"
#include "ledger/snapshot_layout.h"

namespace tenure::inproc {

// At most kCapacity bytes; what does not fit is cut off at the end.
class ShortText {
 public:
  ShortText& add(const char* text, size_t length) noexcept {
    if (length > kCapacity - size_) length = kCapacity - size_;
    memcpy(text_ + size_, text, length);
    size_ += length;
    return *this;
  }
  ShortText& add(const char* text) noexcept { return add(text, strlen(text)); }
  ShortText& add_number(int64_t n) noexcept {
    char digits[24];
    char* at = digits + sizeof digits;
    uint64_t left = n < 0 ? -static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
    do *--at = static_cast<char>('0' + left % 10);
    while ((left /= 10) != 0);
    if (n < 0) *--at = '-';
    return add(at, static_cast<size_t>(digits + sizeof digits - at));
  }
  // A long one keeps its end.
  ShortText& add_str(const StrView& view) noexcept {
    char copy[kMostOfStr];
    int length = copy_utf8_tail(view, copy, sizeof copy);
    return add(copy, static_cast<size_t>(length));
  }

  const char* data() const noexcept { return text_; }
  size_t size() const noexcept { return size_; }
  bool is_full() const noexcept { return size_ == kCapacity; }

 private:
  static constexpr size_t kCapacity = 240;
  static constexpr int kMostOfStr = 100;
  char text_[kCapacity];
  size_t size_ = 0;
};

class TextTable {
 public:
  // Where the text stands in the section: {u32 length, bytes}, at a multiple of 8. 0 is the empty text.
  uint32_t add(const char* text, size_t length) noexcept {
    if (bytes_.size() == 0) bytes_.extend_to(ledger::kStringStep);
    if (length == 0) return 0;
    bool fresh;
    uint64_t key = hash_bytes(text, length) | 1;
    uint32_t* at = known_.find_or_add(key, &fresh);
    if (!at) return 0;
    if (!fresh) return *at;
    auto offset = static_cast<uint32_t>(bytes_.size());
    if (!append(text, length)) return 0;
    return *at = offset;
  }
  uint32_t add(const char* text) noexcept { return add(text, strlen(text)); }
  uint32_t add(const ShortText& text) noexcept { return add(text.data(), text.size()); }

  const Column<char>& bytes() const noexcept { return bytes_; }

 private:
  bool append(const char* text, size_t length) noexcept {
    auto n = static_cast<uint32_t>(length);
    const char* head = reinterpret_cast<const char*>(&n);
    for (size_t i = 0; i < sizeof n; ++i) bytes_.push(head[i]);
    for (size_t i = 0; i < length; ++i) bytes_.push(text[i]);
    while (bytes_.size() % ledger::kStringStep != 0) bytes_.push(0);
    return !g_snapshot_is_short;
  }

  Column<char> bytes_;
  AddressMap known_;  // hash of the text -> offset
};

}  // namespace tenure::inproc
