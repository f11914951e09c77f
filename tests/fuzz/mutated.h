// tests/fuzz/mutated.h: mutations that know the layout: a fuzzer that has to find it by itself only tests the first check.
// World: fuzzing.
#pragma once
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace tenure::fuzz {

// Records of equal size, one behind the other; their fields are words of 4 or 8 bytes.
struct Table {
  uint64_t at;
  uint64_t record_bytes;
  uint64_t count;
};

class Mutator {
 public:
  Mutator(const std::vector<char>& whole, std::vector<Table> tables)
      : whole_(whole), tables_(std::move(tables)) {}

  // Mostly one field of one record; else any bytes. From `whole` again if the layout is lost, and now and then all the same.
  size_t mutate(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    dice_.seed(seed);
    if ((size < whole_.size() || throws(64)) && whole_.size() <= max_size) {
      std::memcpy(data, whole_.data(), whole_.size());
      size = whole_.size();
    }
    if (size < whole_.size() || throws(8)) return LLVMFuzzerMutate(data, size, max_size);
    for (int changes = 1 + pick(4); changes > 0; --changes) change_field(data, size);
    return size;
  }

 private:
  bool throws(unsigned one_in) { return dice_() % one_in == 0; }
  int pick(uint64_t below) { return static_cast<int>(dice_() % below); }

  void change_field(uint8_t* data, size_t size) {
    const Table& table = tables_[dice_() % tables_.size()];
    if (table.count == 0 || table.record_bytes < 4) return;
    const uint64_t record = table.at + dice_() % table.count * table.record_bytes;
    const uint64_t other = table.at + dice_() % table.count * table.record_bytes;
    const uint64_t field = dice_() % (table.record_bytes / 4) * 4;
    const size_t bytes = throws(2) && field + 8 <= table.record_bytes ? 8 : 4;
    if (record + field + bytes > size || other + field + bytes > size) return;
    const uint64_t now = interesting(table);
    const void* from = throws(4) ? static_cast<const void*>(data + other + field) : &now;
    std::memmove(data + record + field, from, bytes);
  }

  uint64_t interesting(const Table& table) {
    switch (pick(8)) {
      case 0:
        return 0;
      case 1:
        return ~uint64_t{0};
      case 2:
        return table.count;
      case 3:
        return table.count - 1;
      case 4:
        return uint64_t{1} << pick(64);
      case 5:
        return dice_() % (table.count + 3);
      default:
        return dice_();
    }
  }

  const std::vector<char>& whole_;
  std::vector<Table> tables_;
  std::mt19937_64 dice_;
};

}  // namespace tenure::fuzz
