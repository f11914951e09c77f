#include "analyze/run/allocating_op.h"

#include <algorithm>

#include "base/sentence_writer.h"

namespace tenure::analyze {
namespace {

using ledger::Role;

constexpr std::string_view kOps = "at::_ops::";

// Called from native code: the innermost Python frame is torch's own call of its engine.
bool is_in_engine(Frames& frames, StackId stack) {
  const std::vector<ReadableFrame>& all = frames.of(stack);
  return !all.empty() && (all.front().file.ends_with("/torch/autograd/graph.py") ||
                          all.front().file.ends_with("/torch/autograd/__init__.py"));
}

// "at::_ops::mul_Tensor::call" is the way from Python into the operation mul_Tensor.
std::string op_in(const std::string& function) {
  if (function.rfind(kOps, 0) != 0) return "";
  return function.substr(kOps.size(), function.find("::", kOps.size()) - kOps.size());
}

bool is_in_module_call(Frames& frames, StackId stack) {
  const std::vector<ReadableFrame>& all = frames.of(stack);
  return std::any_of(all.begin(), all.end(), [](const ReadableFrame& frame) {
    return frame.file.ends_with("/torch/nn/modules/module.py") &&
           frame.function.ends_with("_call_impl");
  });
}

}  // namespace

std::string op_of(Frames& frames, const ledger::Site& site) {
  const ledger::Reader& ledger = frames.ledger();
  if (site.op) return sentence("op.backward", {{"node", ledger.string(site.op)}});
  if (!site.entered) return "";
  const ledger::Frame& frame = ledger.frame(site.entered);
  return op_in(frames.symbols().function_name(frames.address_of(frame, frame.address - 1)));
}

StackId told_stack(Frames& frames, const ledger::Site& site) {
  return site.forward && is_in_engine(frames, site.stack) ? site.forward : site.stack;
}

ModelRole role_of(Frames& frames, const ledger::Site& site) {
  if (site.role != 0 && site.role < kModelRoleCount) return static_cast<ModelRole>(site.role);
  if (!site.is_tensor) return ModelRole::unknown;
  if (site.op) return ModelRole::passing_gradient;
  return is_in_module_call(frames, site.stack) ? ModelRole::activation : ModelRole::unknown;
}

}  // namespace tenure::analyze
