// inproc/snapshot/column.h: a growing array in its own mapping. It moves by remapping pages, so nothing is copied and
// no heap is touched: the walk runs in a forked child where the program's heap may be locked for ever.
// World: inside, one thread. Mostly never freed: the process that fills it ends right after.
#pragma once
#include "inproc/snapshot/own_maps.h"

namespace tenure::inproc {

template <class T>
class Column {
 public:
  // False: no memory; the item is lost and g_snapshot_is_short is set.
  bool push(const T& item) noexcept {
    if (size_ == capacity_ && !grow(capacity_ ? capacity_ * 2 : kFirstItems)) return false;
    items_[size_++] = item;
    return true;
  }

  // `n` zeroed items, unless there are more already.
  bool extend_to(size_t n) noexcept {
    if (n > capacity_ && !grow(n)) return false;
    if (n > size_) size_ = n;
    return true;
  }

  T& operator[](size_t i) noexcept { return items_[i]; }
  const T& operator[](size_t i) const noexcept { return items_[i]; }
  size_t size() const noexcept { return size_; }
  size_t bytes() const noexcept { return size_ * sizeof(T); }
  T* data() noexcept { return items_; }
  const T* data() const noexcept { return items_; }
  T* begin() noexcept { return items_; }
  T* end() noexcept { return items_ + size_; }
  const T* begin() const noexcept { return items_; }
  const T* end() const noexcept { return items_ + size_; }
  void release() noexcept {
    if (items_) g_own_maps.unmap(items_, capacity_ * sizeof(T));
    *this = Column();
  }
  void clear_last() noexcept { --size_; }
  void clear() noexcept {
    size_ = 0;
  }  // what is pushed later is written anew; extend_to() is not for a cleared one

 private:
  static constexpr size_t kFirstItems = 4096;

  bool grow(size_t items) noexcept {
    void* moved = items_ ? g_own_maps.move(items_, capacity_ * sizeof(T), items * sizeof(T))
                         : g_own_maps.map(items * sizeof(T));
    if (!moved) return false;
    items_ = static_cast<T*>(moved);
    capacity_ = items;
    return true;
  }

  T* items_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace tenure::inproc
