// Small programs of every style that keep so many bytes in each round, and count their rounds themselves.
// usage: rounds_native NAME; prints how often a block was kept. Every kept block has kBytes bytes.
#include <algorithm>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr size_t kBytes = 100'000;
constexpr int kRounds = 150;
std::vector<char*> g_kept;
std::mutex g_lock;
volatile unsigned g_sum;

void work() {
  for (unsigned i = 0; i < 50'000; ++i) g_sum = g_sum + i;
}

void keep() {
  char* block = static_cast<char*>(std::malloc(kBytes));
  std::memset(block, 1, kBytes);
  work();
  std::lock_guard<std::mutex> guard(g_lock);
  g_kept.push_back(block);
}

void for_loop() {
  for (int i = 0; i < kRounds; ++i) keep();
}

void while_loop() {
  int left = kRounds;
  while (left-- > 0) keep();
}

void do_loop() {
  int left = kRounds;
  do {
    keep();
  } while (--left > 0);
}

void goto_loop() {
  int left = kRounds;
again:
  keep();
  if (--left > 0) goto again;
}

void nested_loops() {
  for (int i = 0; i < kRounds / 5; ++i)
    for (int k = 0; k < 5; ++k) keep();
}

void lambda_with_loop() {
  auto fill = [](int rounds) {
    for (int i = 0; i < rounds; ++i) keep();
  };
  fill(kRounds);
}

void lambda_in_loop() {
  auto one = [](int) { keep(); };
  for (int i = 0; i < kRounds; ++i) one(i);
}

struct Keeper {
  void operator()(int) const { keep(); }
};

void functor_for_each() {
  std::vector<int> numbers(kRounds);
  std::for_each(numbers.begin(), numbers.end(), Keeper{});
}

void lambda_for_each() {
  std::vector<int> numbers(kRounds);
  std::for_each(numbers.begin(), numbers.end(), [](int) { keep(); });
}

void transformed() {
  std::vector<int> numbers(kRounds), out(kRounds);
  std::transform(numbers.begin(), numbers.end(), out.begin(), [](int n) {
    keep();
    return n;
  });
}

void accumulated() {
  std::vector<int> numbers(kRounds);
  g_sum = static_cast<unsigned>(std::accumulate(numbers.begin(), numbers.end(), 0, [](int a, int) {
    keep();
    return a;
  }));
}

void function_table() {
  std::map<std::string, std::function<void()>> handlers{{"a", keep}, {"b", [] { keep(); }}};
  for (int i = 0; i < kRounds; ++i) handlers[i % 2 ? "a" : "b"]();
}

void recursion_of(int depth) {
  keep();
  if (depth > 1) recursion_of(depth - 1);
  work();
}
void recursion() { recursion_of(kRounds); }

int compare(const void*, const void*) {
  keep();
  return 0;
}
void sort_callback() {
  int numbers[64] = {};
  std::qsort(numbers, 64, sizeof(int), compare);
}

void async_tasks() {
  for (int i = 0; i < kRounds; ++i) std::async(std::launch::async, keep).get();
}

void async_with_loop() {
  std::async(std::launch::async, [] {
    for (int i = 0; i < kRounds; ++i) keep();
  }).get();
}

void thread_per_task() {
  for (int i = 0; i < kRounds; ++i) std::thread(keep).join();
}

// ---- a pool of threads, and a loop of events

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::lock_guard<std::mutex> guard(lock_);
      is_closed_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> guard(lock_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> guard(lock_);
        changed_.wait(guard, [this] { return is_closed_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_closed_ = false;
  std::vector<std::thread> threads_;
};

void thread_pool() {
  Pool pool(3);
  for (int i = 0; i < 2 * kRounds; ++i) pool.submit([] { keep(); });
}

void event_loop() {
  std::deque<std::function<void()>> events;
  int left = kRounds;
  std::function<void()> tick = [&] {
    keep();
    if (--left > 0) events.push_back(tick);
  };
  events.push_back(tick);
  while (!events.empty()) {
    auto event = std::move(events.front());
    events.pop_front();
    event();
  }
}

// ---- coroutines

struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

Task keeps_in_turns(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    keep();
    co_await std::suspend_always{};
  }
}

void coroutine() {
  Task task = keeps_in_turns(kRounds);
  while (!task.handle.done()) task.handle.resume();
  task.handle.destroy();
}

const std::map<std::string, void (*)()> kPrograms{
    {"for_loop", for_loop},
    {"while_loop", while_loop},
    {"do_loop", do_loop},
    {"goto_loop", goto_loop},
    {"nested_loops", nested_loops},
    {"lambda_with_loop", lambda_with_loop},
    {"lambda_in_loop", lambda_in_loop},
    {"functor_for_each", functor_for_each},
    {"lambda_for_each", lambda_for_each},
    {"transformed", transformed},
    {"accumulated", accumulated},
    {"function_table", function_table},
    {"recursion", recursion},
    {"sort_callback", sort_callback},
    {"async_tasks", async_tasks},
    {"async_with_loop", async_with_loop},
    {"thread_per_task", thread_per_task},
    {"thread_pool", thread_pool},
    {"event_loop", event_loop},
    {"coroutine", coroutine},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const auto& [name, run] : kPrograms) std::puts(name.c_str());
    return 0;
  }
  kPrograms.at(argv[1])();
  std::printf("%zu\n", g_kept.size());
}
