"""Where tensors keep their data: what a heap walk cannot read out of the objects themselves.

NumPy arrays and Python's own containers are read natively. Tensors of torch, jax and TensorFlow are
asked, in the running program, before the snapshot's fork. Runs in Tenure's private namespace.
"""

import sys


def type_named(module, *names):
    """The type `module.name`, or None. Nothing is imported."""
    found = sys.modules.get(module)
    for name in names:
        found = getattr(found, name, None)
    return found if isinstance(found, type) else None


def torch_address(tensor):
    return tensor.untyped_storage().data_ptr()


def jax_address(array):
    return array.unsafe_buffer_pointer()


def readers(native):
    """[(type, function that gives an address)] of the frameworks the program has loaded."""
    known = [
        (type_named("torch", "Tensor"), torch_address),
        (type_named("jaxlib._jax", "ArrayImpl"), jax_address),
        (type_named("jaxlib.xla_extension", "ArrayImpl"), jax_address),
        (type_named("tensorflow.python.framework.ops", "EagerTensor"), native["buffer_address"]),
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


def known_buffers(native):
    """([object, ...], [address, ...]): both are held until the snapshot's fork, and count as nobody's."""
    objects, addresses = [], []
    for kind, read in readers(native):
        for found in native["instances"](kind):
            try:
                address = read(found)
            except Exception:  # deleted, on another device, not a real tensor
                continue
            if address:
                objects.append(found)
                addresses.append(address)
    return objects, addresses
