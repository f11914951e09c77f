// usage: pool_of_objects leak|clean. Objects come from a pool and go back to it; the leak forgets to bring them back.
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace {

struct Object {
  char data[8192];
};

class Pool {
 public:
  Object* get() {
    if (idle_.empty()) {
      all_.push_back(std::make_unique<Object>());
      return all_.back().get();
    }
    Object* object = idle_.back();
    idle_.pop_back();
    return object;
  }
  void put(Object* object) { idle_.push_back(object); }
  size_t size() const { return all_.size(); }

 private:
  std::vector<std::unique_ptr<Object>> all_;
  std::vector<Object*> idle_;
};

}  // namespace

int main(int, char** words) {
  bool is_leak = strcmp(words[1], "leak") == 0;
  Pool pool;
  long sum = 0;
  for (int i = 0; i < (is_leak ? 500 : 20000); ++i) {
    Object* used[100];
    int wanted = is_leak ? 1 : 100;
    for (int k = 0; k < wanted; ++k) {
      used[k] = pool.get();
      memset(used[k]->data, k, 100);
      sum += used[k]->data[7];
    }
    for (int k = 0; k < wanted && !is_leak; ++k) pool.put(used[k]);
  }
  printf("%ld %zu\n", sum, pool.size());
}
