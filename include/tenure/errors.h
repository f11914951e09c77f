// tenure/errors.h: what the library throws. A lifetime error carries the whole history of the thing that was used.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "tenure/history.h"

namespace tenure {

// Something was used after its end. Copying never throws: the history is shared.
class LifetimeError : public std::logic_error {
 public:
  explicit LifetimeError(History history)
      : std::logic_error(history.text()),
        history_(std::make_shared<const History>(std::move(history))) {}

  [[nodiscard]] const History& history() const noexcept { return *history_; }

 private:
  std::shared_ptr<const History> history_;
};

// A Buffer was used whose memory was given back or went to another owner.
class DetachedBuffer : public LifetimeError {
 public:
  using LifetimeError::LifetimeError;
};

// A TensorView was used whose buffer is no longer live.
class InaccessibleTensor : public LifetimeError {
 public:
  using LifetimeError::LifetimeError;
};

// Something was to be made in a scope that is closed.
class ClosedScope : public LifetimeError {
 public:
  using LifetimeError::LifetimeError;
};

// A scope was to be closed, or a buffer detached, while leases were out. Nothing has changed.
class BufferInUse : public std::runtime_error {
 public:
  BufferInUse(const std::string& what, std::vector<History> in_use)
      : std::runtime_error(what),
        in_use_(std::make_shared<const std::vector<History>>(std::move(in_use))) {}

  // The buffers that are leased; `used` of each is its latest lease.
  [[nodiscard]] const std::vector<History>& in_use() const noexcept { return *in_use_; }

 private:
  std::shared_ptr<const std::vector<History>> in_use_;
};

// Buffers of one name, made at one line in one scope.
struct Owner {
  std::string name;
  std::string scope;  // path
  Event born;         // of the first of them
  std::size_t count = 0;
  std::size_t bytes = 0;
};

// An allocation would have broken a scope's budget. It was not made.
class OverBudget : public std::bad_alloc {
 public:
  struct Facts {
    std::string scope;  // whose budget it is
    std::size_t budget_bytes = 0;
    std::size_t live_bytes = 0;
    std::size_t wanted_bytes = 0;
    std::vector<Owner> biggest;  // at most five, biggest first
  };
  explicit OverBudget(Facts facts);

  [[nodiscard]] const char* what() const noexcept override { return said_->text.c_str(); }
  [[nodiscard]] const Facts& facts() const noexcept { return said_->facts; }

 private:
  struct Said {
    Facts facts;
    std::string text;
  };
  std::shared_ptr<const Said> said_;
};

}  // namespace tenure
