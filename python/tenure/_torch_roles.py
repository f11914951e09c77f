"""What tensors are to a model: parameters, gradients, optimizer state, buffers.

Looked at after some calls of backward() and before snapshots. The lines that made them are known from then on, so that
also what is long gone is told by its role. Runs in Tenure's private namespace; `native` and `interceptors` are given.
"""

import sys
import time

MOST = 20000  # tensors of one role
BUDGET = 200  # looks after backward() may take 1/200 of the time

calls = [0]
next_look = [2]  # at the second call the first step of an optimizer has been made
not_before = [0.0]


def after_backward():
    calls[0] += 1
    if calls[0] < next_look[0]:
        return
    began = time.monotonic()
    if began < not_before[0]:
        return
    next_look[0] = 4 * calls[0]
    look(native["instances"](*kinds()))  # a walk over all objects: tens of milliseconds
    ended = time.monotonic()
    not_before[0] = ended + BUDGET * (ended - began)


def kinds():
    torch = sys.modules["torch"]
    return torch.nn.Module, torch.optim.Optimizer


def look(found):
    """At all modules and optimizers. A tensor that has several roles has the one that was told last."""
    module_type, optimizer_type = kinds()
    for module in [m for m in found if module_type in type(m).__mro__][:MOST]:
        fields = interceptors["fields_of"](module)
        tell(tensors_in(fields.get("_buffers")), ModelRole.BUFFER)
        tell_parameters(tensors_in(fields.get("_parameters")))
    for optimizer in [o for o in found if optimizer_type in type(o).__mro__]:
        fields = interceptors["fields_of"](optimizer)
        groups = [group.get("params", ()) for group in fields.get("param_groups", ())]
        tell_parameters([p for group in groups for p in group if is_tensor(p)])
        for kept in list(fields.get("state", {}).values()):
            tell(tensors_in(kept), ModelRole.OPTIMIZER_STATE)


def tensors_in(values):
    return [t for t in list(values.values()) if is_tensor(t)] if isinstance(values, dict) else []


def tell_parameters(parameters):
    tell(parameters, ModelRole.PARAMETER)
    tell([p.grad for p in parameters if p.is_leaf and p.grad is not None], ModelRole.GRADIENT)


def is_tensor(value):
    return sys.modules["torch"].Tensor in type(value).__mro__


def tell(tensors, role):
    addresses = [address_of(tensor) for tensor in tensors[:MOST]]
    if addresses:
        native["roles"](addresses, role)


def address_of(tensor):
    try:
        return tensor.untyped_storage().data_ptr()
    except Exception:  # on another device, sparse, fake
        return 0


def at_snapshot(found):
    try:
        look(found)
    except Exception:
        pass
