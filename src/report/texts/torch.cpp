// report/texts/torch.cpp: what the adapters of PyTorch say (python/tenure/_torch_*.py).
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
    {"torch.a_grad", "a leaf's .grad"},
    {"torch.a_tensor", "a tensor"},
    {"torch.an_operation", "an operation"},
    {"torch.earlier_call", "an earlier call"},
    {"torch.its_argument", "its argument"},
    {"torch.parameter_of", "a parameter of `{optimizer}`"},

    {"torch.freed_graph.title", "backward() goes through a graph that was freed"},
    {"torch.freed_graph.why",
     "backward() at {line} has gone through this part of the graph and freed it, and the new one "
     "leads into it again{kept}"},
    {"torch.freed_graph.kept", ": {name} still has its grad_fn"},
    {"torch.freed_graph.fix",
     "detach what is carried from one step to the next (state = state.detach()), add the losses "
     "and call backward() once, or pass retain_graph=True to the first call if both are wanted"},
    {"torch.freed_graph.holder", "{name}, kept with its grad_fn ({node})"},
    {"torch.freed_graph.node", "node {node}"},

    {"torch.inplace_modified.title", "backward() needs a value that was changed in place"},
    {"torch.inplace_modified.why", "{node} had saved {name}{at} for backward{changed}"},
    {"torch.inplace_modified.changed", "; it was changed in place at {line} after that"},
    {"torch.inplace_modified.fix",
     "use the operation that makes a new tensor (x = x.clamp(...) for x.clamp_(...), x = x + y for "
     "x += y), or change it after backward(); parameters: call optimizer.step() after all "
     "backward() calls that use them"},
    {"torch.inplace_modified.holder", "{name}, saved by {node}"},

    {"torch.kept_graph.holder",
     "`{name}`, whose grad_fn (create_graph=True) leads back to its tensor"},
    {"torch.kept_graph.why",
     "backward(create_graph=True) gives each .grad a graph that leads back to the tensor it "
     "belongs to: a cycle inside torch that no collector sees"},
    {"torch.kept_graph.fix",
     "use torch.autograd.grad(..., create_graph=True), or set .grad = None after use"},
    {"torch.pack_hook.holder",
     "pack hook `{name}` of saved_tensors_hooks: {node} keeps its own output"},
    {"torch.pack_hook.why",
     "the pack hook returns the very tensor that {node} saves; that tensor's grad_fn is {node} "
     "again: a cycle inside torch until backward() frees it"},
    {"torch.pack_hook.fix",
     "return tensor.detach() or a copy from the pack hook, or run the forward pass under "
     "torch.no_grad()"},
    {"torch.script.holder", "TorchScript's compilation unit and type store (torch.jit._recursive)"},
    {"torch.script.why",
     "every torch.jit.trace() or script() of a module adds its types and code to a registry of the "
     "process that forgets none of them"},
    {"torch.script.fix", "trace or script once, before the loop, and call the result"},
};

}  // namespace

SentenceTexts torch_texts() { return kTexts; }

}  // namespace tenure::report
