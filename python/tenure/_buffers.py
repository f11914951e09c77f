"""Where tensors keep their data, and what they keep alive: what a heap walk cannot read out of the objects themselves.

NumPy arrays and Python's own containers are read natively. Tensors of torch, jax and TensorFlow are
asked, in the running program, before the snapshot's fork. Runs in Tenure's private namespace.
"""

import sys
import time

LONGEST_ASKING = 0.15  # seconds of work the program may wait for while its gradient graph is read
layouts: list = []  # of torch's C++ objects: one, learnt once


def type_named(module, *names):
    """The type `module.name`, or None. Nothing is imported."""
    found = sys.modules.get(module)
    for name in names:
        found = getattr(found, name, None)
    return found if isinstance(found, type) else None


class Links:
    """Four lists in pairs, as the snapshot takes them. All objects in them are held until its fork, and count as nobody's."""

    def __init__(self):
        self.objects, self.addresses = [], []
        self.sources, self.targets = [], []

    def data(self, owner, address):
        if address:
            self.objects.append(owner)
            self.addresses.append(address)

    def reference(self, source, target):
        self.sources.append(source)
        self.targets.append(target)

    def lists(self):
        return self.objects, self.addresses, self.sources, self.targets


class TorchTensors:
    """Storages, gradients, and the nodes of gradient graphs with what they have saved."""

    def __init__(self, links, tensor_type):
        self.links = links
        self.tensor_type = tensor_type
        self.asked = {}  # id -> tensor; these and the nodes are held so that no other gets their id
        self.known = {}  # id -> node
        self.saved_names = {}  # type of node -> names of the tensors it saves
        self.deadline = time.thread_time() + LONGEST_ASKING

    def ask(self, tensor):
        while tensor is not None and id(tensor) not in self.asked:
            self.asked[id(tensor)] = tensor
            self.ask_one(tensor)
            tensor = self.gradient_of(tensor)

    def gradient_of(self, tensor):
        gradient = tensor.grad if tensor.is_leaf else None
        if gradient is not None:
            self.links.reference(tensor, gradient)
        return gradient

    def ask_one(self, tensor):
        self.links.data(tensor, torch_address(tensor))
        if tensor.grad_fn is not None:
            self.links.reference(tensor, tensor.grad_fn)
            self.follow(tensor.grad_fn)
        if tensor._base is not None:
            self.links.reference(tensor, tensor._base)

    def follow(self, node):
        """Graphs have a hundred thousand nodes: a few microseconds for each."""
        known, reference = self.known, self.links.reference
        waiting = [] if id(node) in known else [node]
        known[id(node)] = node
        while waiting:
            if len(known) % 64 == 0 and time.thread_time() > self.deadline:
                return
            node = waiting.pop()
            names = self.saved_names.get(type(node))
            if names is None:
                names = self.names_of(type(node))
            if names:
                for tensor in self.saved_by(node, names):
                    reference(node, tensor)
                    self.links.data(tensor, torch_address(tensor))
            for following, _ in node.next_functions:
                if following is None:
                    continue
                reference(node, following)
                if id(following) not in known:
                    known[id(following)] = following
                    waiting.append(following)

    def names_of(self, kind):
        names = [name for name in dir(kind) if name.startswith("_raw_saved_")]
        if hasattr(kind, "saved_tensors"):
            names.append("")  # a Function written in Python
        self.saved_names[kind] = names
        return names

    def saved_by(self, node, names):
        found = []
        for name in names:
            if not name:
                found += self.saved_by_python(node)
                continue
            try:
                if self.is_packed(getattr(node, name)):
                    continue  # asking would run the program's own hook
                value = getattr(node, name[4:])  # without `_raw`
            except Exception:  # freed by backward()
                continue
            items = value if type(value) in (tuple, list) else (value,)
            found += [item for item in items if isinstance(item, self.tensor_type)]
        return found

    @staticmethod
    def is_packed(raw):
        if type(raw) in (tuple, list):
            return any(getattr(item, "unpack_hook", None) is not None for item in raw)
        return getattr(raw, "unpack_hook", None) is not None

    def saved_by_python(self, node):
        try:
            return [tensor for tensor in node.saved_tensors if tensor is not None]
        except Exception:
            return []


def is_followed(read):
    """Whether snapshots find their own way through the tensors of this reader, whatever comes."""
    return read is torch_address and bool(layouts) and layouts[0].is_complete()


def can_follow_torch(tensors, native):
    """Whether the snapshot finds its own way through these tensors and their graphs, in C++."""
    if not layouts:
        layouts.append(load("_torch_layout")["Layout"](native))
    try:
        is_known = layouts[0].learn(tensors)
    except Exception as error:
        is_known, layouts[0].refusal = False, type(error).__name__
    if layouts[0].refusal:
        native["fact"]("adapter.torch.layout", "off: " + layouts[0].refusal)
    return is_known


def torch_address(tensor):
    return tensor.untyped_storage().data_ptr()


def jax_address(array):
    return array.unsafe_buffer_pointer()


def eager_reader(native):
    """The buffer of a tensor on a device would be a copy of it, made for the asking."""

    def address_of_eager(tensor):
        return native["buffer_address"](tensor) if "CPU" in tensor.device else 0

    return address_of_eager


class TensorFlowVariables:
    """Eager variables: their value is read by the very op the program would use, outside of tapes and graphs."""

    def __init__(self, native):
        self.native = native
        self.deadline = time.thread_time() + LONGEST_ASKING

    def address_of(self, variable):
        handle = variable._handle
        if not isinstance(handle, type_named("tensorflow.python.framework.ops", "EagerTensor")):
            return 0
        if "CPU" not in handle.device or time.thread_time() > self.deadline:
            return 0
        context = sys.modules["tensorflow.python.eager.context"].context()
        attributes = ("dtype", variable.dtype.base_dtype.as_datatype_enum)
        read = sys.modules["tensorflow.python.eager.execute"].quick_execute
        value = read("ReadVariableOp", 1, [handle], attributes, context)[0]
        return self.native["buffer_address"](value)


def readers(native):
    """[(type, function that gives an address)] of the frameworks the program has loaded."""
    known = [
        (type_named("torch", "Tensor"), torch_address),
        (type_named("jaxlib._jax", "ArrayImpl"), jax_address),
        (type_named("jaxlib.xla_extension", "ArrayImpl"), jax_address),
        (type_named("tensorflow.python.framework.ops", "EagerTensor"), eager_reader(native)),
        (
            type_named("tensorflow.python.ops.resource_variable_ops", "BaseResourceVariable"),
            TensorFlowVariables(native).address_of,
        ),
    ]
    return [(kind, read) for kind, read in known if kind is not None]


def address_of(tensor, native):
    """Where its data begins. By its framework where that is one we ask, else by the buffer protocol."""
    for kind, read in readers(native):
        if kind in type(tensor).__mro__:
            return read(tensor)
    return native["buffer_address"](tensor)


class Quiet:
    """No collection, and no override of torch's functions by the program, while tensors are asked."""

    def __enter__(self):
        import gc

        self.gc = gc if gc.isenabled() else None
        if self.gc:
            gc.disable()
        guard = type_named("torch._C", "DisableTorchFunctionSubclass")
        self.guard = guard() if guard is not None else None
        if self.guard is not None:
            self.guard.__enter__()

    def __exit__(self, *error):
        if self.guard is not None:
            self.guard.__exit__(None, None, None)
        if self.gc:
            self.gc.enable()
        return False


def known_links(native, roles):
    """The four lists of Links, filled. `roles`: who looks at other objects, which the same walk finds."""
    links = Links()
    known = [(kind, read) for kind, read in readers(native) if not is_followed(read)]
    kinds = roles["kinds"]() if roles else ()
    found = native["instances"](*[kind for kind, _ in known], *kinds)
    if roles:
        roles["at_snapshot"](found)
    for kind, read in known:
        tensors = [thing for thing in found if kind in type(thing).__mro__]
        if read is not torch_address:
            ask_all(tensors, lambda tensor, read=read: links.data(tensor, read(tensor)))
        elif not can_follow_torch(tensors, native):
            ask_all(tensors, TorchTensors(links, kind).ask)
    return links.lists()


def ask_all(tensors, ask):
    for tensor in tensors:
        try:
            ask(tensor)
        except Exception:  # deleted, on another device, not a real tensor
            continue
