// inproc/accounting/fact_store.h: versions and results of self-tests, kept so that a forked child can repeat them.
// World: inside. One writer at a time: facts are told at start-up and at imports, under Python's lock.
#pragma once
#include <string.h>

namespace tenure::inproc {

class FactStore {
 public:
  void set(const char* key, const char* value) noexcept {
    int at = 0;
    while (at < used_ && strcmp(facts_[at].key, key) != 0) ++at;
    if (at == kFacts) return;
    copy(facts_[at].key, key, sizeof facts_[at].key);
    copy(facts_[at].value, value, sizeof facts_[at].value);
    if (at == used_) ++used_;
  }
  int size() const noexcept { return used_; }
  const char* key(int i) const noexcept { return facts_[i].key; }
  const char* value(int i) const noexcept { return facts_[i].value; }

 private:
  static void copy(char* to, const char* from, size_t capacity) noexcept {
    size_t n = strnlen(from, capacity - 1);
    memcpy(to, from, n);
    to[n] = 0;
  }

  static constexpr int kFacts = 48;
  struct {
    char key[40];
    char value[120];
  } facts_[kFacts] = {};
  int used_ = 0;
};

}  // namespace tenure::inproc
