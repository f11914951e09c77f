// base/result.h: a value, or a sentence that says why there is none and what to do.
// World: offline. Values.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace tenure {

struct Error {
  std::string message;  // one sentence for the user: what, where, what to do
  int exit_code = 2;    // what the command line ends with
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace tenure
