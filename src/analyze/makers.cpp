#include "analyze/makers.h"

#include <algorithm>

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
  if (site.op) return "backward of " + std::string(ledger.string(site.op));
  if (!site.entered) return "";
  const ledger::Frame& frame = ledger.frame(site.entered);
  return op_in(frames.symbolizer().function_name(frames.address_of(frame, frame.address - 1)));
}

StackId told_stack(Frames& frames, const ledger::Site& site) {
  return site.forward && is_in_engine(frames, site.stack) ? site.forward : site.stack;
}

std::string role_of(Frames& frames, const ledger::Site& site) {
  switch (static_cast<Role>(site.role)) {
    case Role::parameter:
      return "parameter";
    case Role::gradient:
      return "gradient";
    case Role::optimizer_state:
      return "optimizer state";
    case Role::buffer:
      return "buffer";
    case Role::unknown:
      break;
  }
  if (!site.is_tensor) return "";
  if (site.op) return "passing gradient";
  return is_in_module_call(frames, site.stack) ? "activation" : "";
}

}  // namespace tenure::analyze
