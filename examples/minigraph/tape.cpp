#include "tape.h"

#include <algorithm>
#include <stdexcept>

namespace minigraph {
namespace {

std::vector<float> ones(const Extents& shape) {
  return std::vector<float>(static_cast<std::size_t>(shape.product()), 1.0F);
}

}  // namespace

void Tape::stop() noexcept {
  if (is_recording_) eager_.tape_ = outer_;
  is_recording_ = false;
}

bool Tape::is_watched(const Tensor& tensor) const {
  return std::find(watched_.begin(), watched_.end(), tensor) != watched_.end();
}

// What comes of a watched tensor is watched too.
void Tape::note(Op op, const std::vector<Tensor>& inputs, const Tensor& output) {
  if (std::none_of(inputs.begin(), inputs.end(), [&](const Tensor& t) { return is_watched(t); }))
    return;
  entries_.push_back({op, inputs, output});
  watched_.push_back(output);
}

void Tape::add_to(Gradients& gradients, const Tensor& tensor, const Tensor& part,
                  SourceLine where) {
  for (auto& [known, sum] : gradients) {
    if (known == tensor) {
      sum = eager_.add(sum, part, where);
      return;
    }
  }
  gradients.emplace_back(tensor, part);
}

Tensor Tape::part_of(const Entry& entry, std::size_t input, const Tensor& upstream,
                     SourceLine where) {
  const Tensor& other = entry.inputs[entry.inputs.size() == 2 ? 1 - input : 0];
  switch (entry.op) {
    case Op::add:
      return upstream;
    case Op::subtract:
      return input == 0 ? upstream : eager_.multiply(upstream, eager_.scalar(-1, where), where);
    case Op::multiply:
      return eager_.multiply(upstream, other, where);
    case Op::divide:
      if (input == 0) return eager_.run(Op::divide, {upstream, other}, where);
      throw std::invalid_argument("a tape divides only by what it does not watch");
    case Op::matmul: {
      Tensor turned = eager_.run(Op::transpose, {other}, where);
      return input == 0 ? eager_.matmul(upstream, turned, where)
                        : eager_.matmul(turned, upstream, where);
    }
    case Op::sum:
      return eager_.multiply(
          eager_.constant(ones(entry.inputs[0].shape()), entry.inputs[0].shape(), where), upstream,
          where);
    default:
      throw std::invalid_argument("no gradient is known of " + std::string(name_of(entry.op)));
  }
}

std::optional<Tensor> Tape::gradient(const Tensor& target, const Tensor& source, SourceLine where) {
  stop();
  Gradients gradients;
  if (is_watched(target))
    gradients.emplace_back(target, eager_.constant(ones(target.shape()), target.shape(), where));
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    auto upstream = std::find_if(gradients.begin(), gradients.end(),
                                 [&](const auto& known) { return known.first == entry->output; });
    if (upstream == gradients.end()) continue;
    Tensor arrived = upstream->second;
    for (std::size_t i = 0; i < entry->inputs.size(); ++i) {
      if (is_watched(entry->inputs[i]))
        add_to(gradients, entry->inputs[i], part_of(*entry, i, arrived, where), where);
    }
  }
  for (const auto& [tensor, sum] : gradients) {
    if (tensor == source) return sum;
  }
  return std::nullopt;
}

}  // namespace minigraph
