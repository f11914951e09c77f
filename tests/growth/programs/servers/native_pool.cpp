// A pool of threads, or one loop of events (poll), that answers HTTP on loopback: /leak keeps 64 KiB of every request, /fine
// keeps nothing. usage: native_pool pool|events
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr size_t kBytes = 65'536;
std::mutex g_lock;
std::vector<char*> g_kept;
volatile sig_atomic_t g_is_ended = 0;

void answer(int connection) {
  char request[4096] = {};
  if (read(connection, request, sizeof request - 1) > 0) {
    char* block = static_cast<char*>(std::malloc(kBytes));
    std::memset(block, 1, kBytes);
    std::lock_guard<std::mutex> guard(g_lock);
    if (std::strstr(request, "/leak"))
      g_kept.push_back(block);
    else
      std::free(block);
  }
  const char reply[] = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok";
  if (write(connection, reply, sizeof reply - 1) < 0) std::perror("write");
  close(connection);
}

int listen_anywhere() {
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 64) != 0)
    std::exit(1);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("port %d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return listener;
}

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
  }
  void submit(std::function<void()> task) {
    {
      std::lock_guard<std::mutex> guard(lock_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }
  void end() {
    {
      std::lock_guard<std::mutex> guard(lock_);
      is_closed_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock<std::mutex> guard(lock_);
      changed_.wait(guard, [this] { return is_closed_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      guard.unlock();
      task();
    }
  }

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_closed_ = false;
  std::vector<std::thread> threads_;
};

void serve_by_pool(int listener) {
  Pool pool(3);
  while (!g_is_ended) {
    int connection = accept(listener, nullptr, nullptr);
    if (connection >= 0) pool.submit([connection] { answer(connection); });
  }
  pool.end();
}

void serve_by_events(int listener) {
  std::map<int, std::function<void(int)>> handlers;
  std::vector<pollfd> watched{{listener, POLLIN, 0}};
  while (!g_is_ended) {
    if (poll(watched.data(), watched.size(), -1) < 0) continue;
    std::vector<int> ready;
    for (const pollfd& entry : watched)
      if (entry.revents) ready.push_back(entry.fd);
    for (int fd : ready) {
      if (fd == listener) {
        int connection = accept(listener, nullptr, nullptr);
        handlers[connection] = [](int n) { answer(n); };
        watched.push_back({connection, POLLIN, 0});
        continue;
      }
      handlers[fd](fd);
      handlers.erase(fd);
      std::erase_if(watched, [fd](const pollfd& entry) { return entry.fd == fd; });
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  struct sigaction action{};
  action.sa_handler = [](int) { g_is_ended = 1; };
  sigaction(SIGINT, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
  int listener = listen_anywhere();
  if (argc > 1 && std::strcmp(argv[1], "pool") == 0)
    serve_by_pool(listener);
  else
    serve_by_events(listener);
}
