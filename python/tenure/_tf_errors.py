"""Tensors used outside the function that was traced with them.

InaccessibleTensorError tells when it is made; the TypeError of newer versions, and of eager calls, when the call that
got the tensor raises; what Python says of float(tensor) or tensor.numpy() if the program died of it. Runs in Tenure's
private namespace; `native`, `taps` and `tf` are given.
"""

import itertools
import sys

last = [None, None]  # what was told last: AutoGraph makes the same error again on its way out


def on_inaccessible(_result, args, _kwargs):
    frame = taps["caller"]()
    if isinstance(sys.exc_info()[1], type(args[0])):
        return  # made again from one that was told
    tensor = tensor_in(frame)
    if tensor is not None:
        tell_out_of_scope(tensor, args[0])


def tensor_in(frame):
    """The tensor that the raising function was given: a local of it, or of its callers."""
    for _ in range(4):
        if frame is None:
            return None
        for value in taps["peek"](frame).values():
            op = getattr(value, "op", None) if hasattr(type(value), "op") else None
            graph = getattr(op, "graph", None)
            if op is not None and tf["is_traced"](graph) and not is_being_built(graph):
                return value
        frame = frame.f_back
    return None


def is_being_built(graph):
    current = tf["found"]("framework.ops:get_default_graph")()
    while current is not None:
        if current is graph:
            return True
        current = getattr(current, "outer_graph", None)
    return False


def on_execute_error(error, _traceback, args, kwargs):
    """quick_execute(op_name, num_outputs, inputs, attrs, ctx, name)"""
    inputs = args[2] if len(args) > 2 else kwargs.get("inputs")
    if not isinstance(error, TypeError):
        return tf["on_execute_error"](error, inputs)
    for value in inputs if isinstance(inputs, (list, tuple)) else ():
        op = getattr(value, "op", None) if tf["is_symbolic"](value) else None
        if op is not None and tf["is_traced"](op.graph):
            return tell_out_of_scope(value, error, used=capturing_line(value))


def capturing_line(tensor):
    """The line of the called function that reads the tensor, found from the frames that hold that function."""
    frame = taps["caller"]()
    for _ in range(8):
        if frame is None:
            return None
        for value in taps["peek"](frame).values():
            graph = getattr(value, "graph", None) if hasattr(type(value), "graph") else None
            if tf["is_traced"](graph):
                line = line_in_graph(graph, tensor)
                if line:
                    return line
        frame = frame.f_back
    return None


def line_in_graph(graph, tensor):
    for outside, inside in tf["captures_of"](graph):
        if outside is tensor:
            for reader in inside.consumers():
                line = tf["made_at"](reader)
                if taps["users"](line):
                    return line
    return None


def end_of_trace(born):
    """The call that traced the function: the tensor is of no use after it."""
    for i in range(len(born) - 1, -1, -1):
        if born[i][1] == "func_graph_from_py_func":
            return born[:i]
    user = taps["users"](born)
    inner = born.index(user) if user else 0
    seen_library = False
    for i in range(inner - 1, -1, -1):
        if taps["is_library"](born[i][0]):
            seen_library = True
        elif seen_library:
            return born[: i + 1]
    return None


SAID = (
    "SymbolicTensor'",
    "not 'Tensor'",
    "'Tensor' object has no",
    "symbolic Tensor",
    "symbolic tf.Tensor",
)


def at_end():
    """Whether the program died of asking a symbol for its value, outside of the function that was traced with it."""
    error = getattr(sys, "last_value", None)
    if isinstance(error, (TypeError, AttributeError, NotImplementedError)):
        text = taps["text_of"](error)
        frames = taps["raised_through"](error.__traceback__)[::-1]
        if any(word in text for word in SAID) and not is_tracing(frames):
            tell_value_asked(error, frames)


def is_tracing(frames):
    """TensorFlow takes its own frames out of tracebacks; they are still the callers."""
    frame = frames[0][0] if frames else None
    while frame is not None and frame.f_code.co_name != "func_graph_from_py_func":
        frame = frame.f_back
    return frame is not None


def tell_value_asked(error, frames):
    for at, (frame, _) in enumerate(frames):
        tensor = symbol_among([getattr(error, "obj", None), *taps["peek"](frame).values()])
        if tensor is not None:
            here = taps["places_in"](frames[at:])[::-1][-taps["MOST_FRAMES"] :]
            return tell_out_of_scope(tensor, error, used=here, frame=frame)
        if not taps["is_library"](frame.f_code.co_filename):
            return None
    return None


def symbol_among(values):
    """The first that is one, else the first attribute of them."""
    fields = (field for value in values for field in list(taps["fields_of"](value).values()))
    for value in itertools.chain(values, fields):
        if tf["is_symbolic"](value):
            op = getattr(value, "op", None)
            if tf["is_traced"](getattr(op, "graph", None)):
                return value
    return None


def tell_out_of_scope(tensor, error, used=None, frame=None):
    op = getattr(tensor, "op", tensor)
    born = tf["made_at"](op)
    ended = end_of_trace(born)
    here = used or tf["stack_here"]()
    key = (id(tensor), here[-1:] and taps["users"](here))
    if last == list(key):
        return
    last[:] = key
    names = taps["names_of"](tensor, frame or taps["caller"]())
    function = getattr(op.graph, "name", "a function")
    places = [("used", here), ("created", born)] + ([("ended", ended)] if ended else [])
    native["story"](
        "out-of-scope",
        "error",
        "a tensor of a traced function is used outside of it",
        "it was made at %s while %s was traced; it stands for a value of that one graph only and has none of its own"
        % (tf["line_of"](born), function),
        "return the tensor from the function and pass it on, or compute it again where it is used; keep values in "
        "tf.Variable",
        type(error).__name__,
        taps["text_of"](error),
        ("%s, a tensor of %s" % (taps["shown"](names, "`%s`" % op.name), function))[:160],
        places,
    )


def start():
    tf["tell_out_of_scope"] = tell_out_of_scope
    part = taps["Part"]("adapter.tensorflow.scope_errors")
    part.tap(
        tf["found"]("framework.errors_impl:InaccessibleTensorError"),
        "__init__",
        after=on_inaccessible,
    )
    part.is_set()
    part = taps["Part"]("adapter.tensorflow.eager_errors")
    part.tap(tf["module"]("eager.execute"), "execute", error=on_execute_error)
    part.is_set()


start()
