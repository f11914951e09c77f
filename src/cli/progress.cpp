#include "cli/progress.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "cli/stderr_output.h"

namespace tenure::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kUntilTold{1};
constexpr std::chrono::milliseconds kUntilToldAgain{500};
constexpr char kTakenBack[] = "\r\x1b[K";

bool is_possible() {
  const char* term = getenv("TERM");
  return isatty(STDERR_FILENO) && term && *term && std::strcmp(term, "dumb") != 0;
}

}  // namespace

struct Progress::Shared {
  void tell_until_over();

  std::mutex lock;
  std::condition_variable changed;
  std::string what;
  bool is_over = false;
  Clock::time_point began = Clock::now();
  std::thread teller;
};

void Progress::Shared::tell_until_over() {
  std::unique_lock guard(lock);
  bool is_told = false;
  const auto is_ended = [&] { return is_over; };
  while (
      !changed.wait_for(guard, is_told ? Clock::duration(kUntilToldAgain) : kUntilTold, is_ended)) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began);
    say(fmt::format("{}tenure: {} ... {} s", kTakenBack, what, seconds.count()));
    is_told = true;
  }
  if (is_told) say(kTakenBack);
}

// A system that gives no thread does without.
Progress::Progress(std::string what) {
  if (!is_possible()) return;
  shared_ = std::make_unique<Shared>();
  shared_->what = std::move(what);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the main thread's
  try {
    shared_->teller = std::thread([shared = shared_.get()] { shared->tell_until_over(); });
  } catch (const std::exception&) {
    shared_.reset();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() { end(); }

void Progress::next(std::string what) {
  if (!shared_) return;
  std::lock_guard guard(shared_->lock);
  shared_->what = std::move(what);
}

void Progress::end() {
  if (!shared_) return;
  {
    std::lock_guard guard(shared_->lock);
    shared_->is_over = true;
    shared_->changed.notify_all();
  }
  shared_->teller.join();
  shared_.reset();
}

}  // namespace tenure::cli
