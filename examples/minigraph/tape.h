// minigraph/tape.h: a gradient tape: writes down the ops of watched tensors and runs them backwards.
// What it writes down it keeps alive, until it goes.
#pragma once
#include <optional>
#include <vector>

#include "eager.h"

namespace minigraph {

class Tape {
 public:
  explicit Tape(Eager& eager) : eager_(eager), outer_(std::exchange(eager.tape_, this)) {}
  ~Tape() { stop(); }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  void watch(const Tensor& tensor) { watched_.push_back(tensor); }
  void stop() noexcept;

  // Nothing when `target` does not depend on `source`, or nobody watched it.
  [[nodiscard]] std::optional<Tensor> gradient(const Tensor& target, const Tensor& source,
                                               SourceLine where = SourceLine::current());

 private:
  friend class Eager;
  struct Entry {
    Op op;
    std::vector<Tensor> inputs;
    Tensor output;
  };
  using Gradients = std::vector<std::pair<Tensor, Tensor>>;  // of a tensor; few enough for a list

  void note(Op op, const std::vector<Tensor>& inputs, const Tensor& output);
  [[nodiscard]] bool is_watched(const Tensor& tensor) const;
  void add_to(Gradients& gradients, const Tensor& tensor, const Tensor& part, SourceLine where);
  [[nodiscard]] Tensor part_of(const Entry& entry, std::size_t input, const Tensor& upstream,
                               SourceLine where);

  Eager& eager_;
  Tape* outer_;
  bool is_recording_ = true;
  std::vector<Tensor> watched_;
  std::vector<Entry> entries_;
};

}  // namespace minigraph
