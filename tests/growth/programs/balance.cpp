// One small case per name, chosen by argv[1]. `//= BYTES` is on the line whose blocks stay; all others are clean.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::atomic<unsigned long> sink;

// About 2 ms of arithmetic without a block.
__attribute__((noinline)) void work() {
  unsigned long x = sink;
  for (int n = 0; n < 700000; ++n) x = x * 6364136223846793005ul + 1442695040888963407ul;
  sink = x;
}

__attribute__((noinline)) char* touched(char* block, size_t bytes) {
  std::memset(block, 1, bytes);
  sink += reinterpret_cast<size_t>(block);
  work();
  return block;
}

static std::vector<int> numbers(int count) {
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Leaks

void lambda_in_a_thread() {
  std::thread worker([] {
    for (int n = 0; n < 100; ++n) {
      touched(new char[100000], 100000);  //= 100 * 100000
    }
  });
  worker.join();
}

void async_tasks() {
  for (int n = 0; n < 80; ++n) {
    auto task = std::async(std::launch::async, [] {
      return touched(new char[120000], 120000)[5];  //= 80 * 120000
    });
    task.get();
  }
}

struct Recorder {
  std::vector<char*>* into;
  void operator()(int) const {
    into->push_back(touched(new char[150000], 150000));  //= 90 * 150000
  }
};

void functor() {
  static std::vector<char*> kept;
  const auto all = numbers(90);
  Recorder record{&kept};
  for (int n : all) record(n);
}

void for_each_lambda() {
  static std::vector<std::unique_ptr<char[]>> kept;
  const auto all = numbers(90);
  std::for_each(all.begin(), all.end(), [](int) {
    kept.emplace_back(touched(new char[150000], 150000));  //= 90 * 150000
  });
}

void thread_per_task() {
  for (int n = 0; n < 80; ++n) {
    std::thread([n] {
      touched(static_cast<char*>(malloc(130000)), 130000)[n] = 2;  //= 80 * 130000
    }).join();
  }
}

thread_local char* scratch;

void thread_local_pointer() {
  auto task = [] {
    scratch = new char[140000];  //= 80 * 140000
    touched(scratch, 140000);
  };
  for (int n = 0; n < 40; ++n) {
    std::thread one(task), two(task);
    one.join();
    two.join();
  }
}

struct EventLoop {
  std::deque<std::function<void()>> ready;
  void post(std::function<void()> event) { ready.push_back(std::move(event)); }
  void run() {
    while (!ready.empty()) {
      auto event = std::move(ready.front());
      ready.pop_front();
      event();
    }
  }
};

struct Client {
  EventLoop& loop;
  std::map<int, std::vector<char>> answers;
  void request(int left) {
    answers[left].resize(110000);  //= 100 * 110000
    work();
    if (left > 1) loop.post([this, left] { request(left - 1); });
  }
};

void event_loop() {
  static EventLoop loop;
  static Client client{loop, {}};
  loop.post([] { client.request(100); });
  loop.run();
}

__attribute__((noinline)) int descend(int depth) {
  touched(new char[100000], 100000);  //= 100 * 100000
  return depth > 1 ? descend(depth - 1) + 1 : 0;
}

void recursion() { sink += descend(100); }

void then_sleeps() {
  static std::vector<std::string> lines;
  for (int n = 0; n < 80; ++n) {
    lines.push_back(std::string(150000, 'x'));  //= 80 * 150000
    work();
  }
  std::this_thread::sleep_for(1200ms);
}

void then_polls() {
  for (int n = 0; n < 80; ++n) touched(new char[150000], 150000);  //= 80 * 150000
  for (int n = 0; n < 60; ++n) std::this_thread::sleep_for(20ms);
}

void then_waits_for_a_condition() {
  std::mutex mutex;
  std::condition_variable changed;
  std::thread worker([&] {
    for (int n = 0; n < 80; ++n) touched(new char[150000], 150000);  //= 80 * 150000
    std::unique_lock lock(mutex);
    changed.wait_for(lock, 1200ms);
  });
  worker.join();
}

void released_at_the_end() {
  std::vector<std::unique_ptr<char[]>> kept;
  for (int n = 0; n < 80; ++n)
    kept.emplace_back(touched(new char[150000], 150000));  //= 80 * 150000
}

struct Registry {
  std::vector<char*> blocks;
  ~Registry() {
    for (char* block : blocks) delete[] block;
  }
};
static Registry registry;

void released_by_a_static() {
  for (int n = 0; n < 80; ++n) {
    registry.blocks.push_back(touched(new char[150000], 150000));  //= 80 * 150000
  }
}

void vector_push_back() {
  static std::vector<double> samples;
  for (int n = 0; n < 230; ++n) {
    for (int k = 0; k < 2000; ++k) {
      samples.push_back(k);  //= 230 * 2000 * 8
    }
    work();
  }
}

void string_append() {
  static std::string log;
  const std::string line(4096, 'x');
  for (int n = 0; n < 900; ++n) {
    log += line;  //= 900 * 4096
    if (n % 4 == 0) work();
  }
}

static char* area;
void realloc_by_half() {
  size_t held = 0, room = 0;
  for (int n = 0; n < 300; ++n) {
    held += 20000;
    if (held > room) {
      room = held + held / 8;
      area = static_cast<char*>(realloc(area, room));  //= 300 * 20000
    }
    touched(area + held - 20000, 20000);
  }
}

static char* taken(std::pmr::memory_resource& arena, size_t bytes) {
  return touched(static_cast<char*>(arena.allocate(bytes)), bytes);
}

void arena_that_is_never_released() {
  std::pmr::monotonic_buffer_resource arena;
  for (int n = 0; n < 300; ++n) {
    std::string words("made and freed in each round, and too long to be kept inside of the string");
    sink += words.size() + static_cast<size_t>(taken(arena, 30000)[7]);  //= 300 * 30000
  }
}

// Nothing else makes a block: only its own sizes show that the loop comes round.
void vector_in_a_silent_loop() {
  std::vector<double> journal;
  for (int n = 0; n < 300; ++n) {
    for (int i = 0; i < 2500; ++i) journal.push_back(n + i);  //= 300 * 2500 * 8
    work();
  }
  sink += journal.size();
}

// Clean

void arena_of_each_round() {
  for (int n = 0; n < 100; ++n) {
    std::pmr::monotonic_buffer_resource arena;
    for (int i = 0; i < 30; ++i) sink += static_cast<size_t>(taken(arena, 5000 + n)[7]);
  }
}

void arena_is_filled_then_works() {
  std::pmr::monotonic_buffer_resource arena;
  for (int n = 0; n < 100; ++n) taken(arena, 60000);
  for (int n = 0; n < 300; ++n) work();
}

void loads_then_works() {
  static std::vector<std::unique_ptr<char[]>> table;
  for (int n = 0; n < 60; ++n) table.emplace_back(touched(new char[150000], 150000));
  for (int n = 0; n < 700; ++n) work();
}

// Sampled blocks, and one more birth long after the last of them.
void loads_records_then_works() {
  std::map<int, std::string> records;
  for (int n = 0; n < 30000; ++n) records[n] = std::string(500, 'r');
  for (int n = 0; n < 700; ++n) work();
  delete[] touched(new char[5000], 5000);
}

void gives_back_then_works() {
  {
    std::vector<std::unique_ptr<char[]>> table;
    for (int n = 0; n < 60; ++n) table.emplace_back(touched(new char[150000], 150000));
  }
  for (int n = 0; n < 300; ++n) delete[] touched(new char[5000], 5000);
}

void reused_vector() {
  std::vector<double> buffer;
  for (int n = 0; n < 250; ++n) {
    buffer.clear();
    for (int k = 0; k < 300000; ++k) buffer.push_back(k);
    work();
  }
}

void ring_of_blocks() {
  std::unique_ptr<char[]> ring[32];
  for (int n = 0; n < 300; ++n) ring[n % 32].reset(touched(new char[150000], 150000));
}

void pool_of_blocks() {
  std::vector<char*> free_blocks;
  for (int n = 0; n < 250; ++n) {
    std::vector<char*> taken;
    for (int k = 0; k < 1 + n * 5 % 12; ++k) {
      if (free_blocks.empty()) free_blocks.push_back(new char[150000]);
      taken.push_back(touched(free_blocks.back(), 1500));
      free_blocks.pop_back();
    }
    free_blocks.insert(free_blocks.end(), taken.begin(), taken.end());
  }
}

void saw_tooth() {
  std::vector<std::string> batch;
  for (int n = 0; n < 320; ++n) {
    batch.push_back(std::string(100000, 'x'));
    work();
    if (batch.size() == 60) batch.clear();
  }
}

void threads_come_and_go() {
  for (int n = 0; n < 120; ++n) {
    auto task = [] { delete[] touched(new char[150000], 150000); };
    std::thread one(task), two(task);
    one.join();
    two.join();
  }
}

void least_recently_used() {
  std::map<int, std::vector<char>> items;
  std::deque<int> order;
  for (int n = 0; n < 300; ++n) {
    const int key = n * 7 % 90;
    if (items.emplace(key, std::vector<char>(100000)).second) order.push_back(key);
    work();
    if (items.size() > 25) {
      items.erase(order.front());
      order.pop_front();
    }
  }
}

struct Case {
  const char* name;
  void (*run)();
};
#define CASE(name) {#name, name}
static const Case cases[] = {CASE(lambda_in_a_thread),
                             CASE(async_tasks),
                             CASE(functor),
                             CASE(for_each_lambda),
                             CASE(thread_per_task),
                             CASE(thread_local_pointer),
                             CASE(event_loop),
                             CASE(recursion),
                             CASE(then_sleeps),
                             CASE(then_polls),
                             CASE(then_waits_for_a_condition),
                             CASE(released_at_the_end),
                             CASE(released_by_a_static),
                             CASE(vector_push_back),
                             CASE(string_append),
                             CASE(realloc_by_half),
                             CASE(arena_that_is_never_released),
                             CASE(vector_in_a_silent_loop),
                             CASE(loads_then_works),
                             CASE(arena_of_each_round),
                             CASE(arena_is_filled_then_works),
                             CASE(loads_records_then_works),
                             CASE(gives_back_then_works),
                             CASE(reused_vector),
                             CASE(ring_of_blocks),
                             CASE(pool_of_blocks),
                             CASE(saw_tooth),
                             CASE(threads_come_and_go),
                             CASE(least_recently_used)};

int main(int argc, char** argv) {
  for (const Case& one : cases)
    if (argc == 2 && !std::strcmp(argv[1], one.name)) return one.run(), 0;
  return 2;
}
