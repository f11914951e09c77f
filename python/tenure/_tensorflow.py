"""TensorFlow, 1.15 to today: starts the parts of the adapter and knows what all of them need.

Runs in Tenure's private namespace after TensorFlow was imported; `native`, `load` and `interceptors` are given. Where versions
differ, the difference is in this file; a part that does not find what it needs switches itself off, alone.
"""

import sys

PARTS = (
    "_tf_sessions",
    "_tf_graphs",
    "_tf_errors",
    "_tf_variables",
    "_tf_queues",
    "_tf_growth",
    "_tf_open_sessions",
    "_tf_functions",
    "_tf_caches",
    "_tf_loads",
    "_tf_tapes",
    "_tf_work",
)
ROOT = "tensorflow.python."

frames_from, caller = interceptors["frames_from"], interceptors["caller"]  # type: ignore[name-defined]
base_name, line_of = interceptors["base_name"], interceptors["line_of"]  # type: ignore[name-defined]
assigned_name = interceptors["assigned_name"]  # type: ignore[name-defined]


def nothing(*_args, **_kwargs):
    """What one part asks of another that is off."""


# Set by the part that has it.
on_session = on_session_closed = watch_runs = on_execute_error = nothing
open_graphs = lines_of = on_function_graph = on_function_call = nothing
tell_closed_queue = tell_other_graph = tell_out_of_scope = nothing


def module(name):
    return sys.modules.get(ROOT + name)


def found(path):
    return interceptors["found"](ROOT + path)


def home_of(name, *modules):
    """The first of these modules that has something of that name, or None."""
    return next((module(m) for m in modules if hasattr(module(m), name)), None)


def concrete_function():
    """The class of traced functions, where this version has it."""
    return found("eager.polymorphic_function.concrete_function:ConcreteFunction") or found(
        "eager.function:ConcreteFunction"
    )


def places_in(stack):
    """A stack as TensorFlow keeps it (tuples to 2.3, objects after), as [(file, function, line), ...]."""
    places = []
    for entry in stack or ():
        if isinstance(entry, tuple):
            file, line, function = entry[:3]
        else:
            file, line, function = entry.filename, entry.lineno, entry.name
        if not file.startswith("<tenure>"):
            places.append((file, function, int(line)))
    return places[-interceptors["MOST_FRAMES"] :]


def made_at(op):
    """Where an op of a graph was made, as far as its graph remembers."""
    try:
        stack = getattr(op, "_traceback", None)  # unlike op.traceback it reads no source files
        return places_in(stack if stack else op.traceback)
    except Exception:
        return []


def operation(graph, name):
    """The op of that name, or None."""
    try:
        return graph.get_operation_by_name(name)
    except Exception:
        return None


def stack_here():
    """The stack of the program, with the user's lines where AutoGraph runs a rewritten copy of them."""
    frames = frames_from(caller())
    if any(name.startswith("tf__") for _, name, _ in frames):
        try:
            return places_in(module("util.tf_stack").extract_stack()) or frames
        except Exception:
            return frames
    return frames


def is_traced(graph):
    """A graph that a function is traced into."""
    kind = found("framework.func_graph:FuncGraph")
    return kind is not None and isinstance(graph, kind)


def is_symbolic(value):
    """A tensor of a graph, not one with a value of its own."""
    kind = found("framework.ops:Tensor") or found("framework.tensor:Tensor")
    eager = found("framework.ops:EagerTensor")
    return kind is not None and isinstance(value, kind) and not isinstance(value, eager)


def label_of(name, born):
    """What the user calls a thing that TensorFlow calls `name`; "" where that is the same, or not known."""
    label = assigned_name(born) if born else None
    return sentence("tf.label", label=label) if label and label != name else ""


def captures_of(graph):
    """[(tensor outside, its stand-in inside), ...] of a traced graph."""
    try:
        return [(pair[0], pair[1]) for pair in graph.captures]
    except Exception:
        return []


# What src/inproc/hooks/tensorflow.cpp stands in front of, and what is not known without it.
BLOCKS = {
    "op_names": (
        "_ZN3tsl8profiler27ScopedMemoryDebugAnnotation27ThreadMemoryDebugAnnotationEv",
        "_ZNK10tensorflow8OpKernel4nameEv",
    ),
    "pools": (
        "_ZN3tsl12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE",
        "_ZN10tensorflow12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE",
    ),
}


def tell_blocks():
    """Whether this version has what tells the op of a block, and the blocks inside of pools."""
    for part, symbols in BLOCKS.items():
        is_there = any(native["has_symbol"](symbol) for symbol in symbols)
        off = "off: this version does not tell"
        native["fact"]("adapter.tensorflow." + part, "on" if is_there else off)


def start():
    tell_blocks()
    causes = load("_causes")
    for name in PARTS:
        try:
            load(name, tf=globals(), causes=causes)
        except Exception as error:
            native["fact"]("adapter.tensorflow." + name[4:], "off: %s" % type(error).__name__)


start()
