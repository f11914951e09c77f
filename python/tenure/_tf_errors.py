"""Tensors used outside the function that was traced with them.

InaccessibleTensorError tells when it is made; the TypeError of newer versions, and of eager calls, when the call that
got the tensor raises; what Python says of float(tensor) or tensor.numpy() if the program died of it. Runs in Tenure's
private namespace; `native`, `interceptors` and `tf` are given.
"""

import itertools
import sys

last = [None, None]  # what was told last: AutoGraph makes the same error again on its way out


def on_inaccessible(_result, args, _kwargs):
    frame = interceptors["caller"]()
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
        for value in interceptors["peek"](frame).values():
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
    for at, value in enumerate(inputs if isinstance(inputs, (list, tuple)) else ()):
        op = getattr(value, "op", None) if tf["is_symbolic"](value) else None
        if op is not None and tf["is_traced"](op.graph):
            used, names = reading_line(value, at, len(inputs))
            return tell_out_of_scope(value, error, used=used, names=names)


def reading_line(tensor, at, inputs):
    """The line of the called function that reads the tensor, and what the function calls it.

    Found from the frames that hold that function. It got the tensor from outside, or as its argument.
    """
    frame, names, line = interceptors["caller"](), [], None
    for _ in range(12):
        if frame is None or (line and names):
            break
        for value in interceptors["peek"](frame).values():
            graph = getattr(value, "graph", None) if hasattr(type(value), "graph") else None
            if line is None and tf["is_traced"](graph):
                inside = stand_in(graph, tensor, at, inputs)
                line = reader_of(inside, tensor, 3) if inside is not None else None
            if not names and hasattr(type(value), "python_function"):
                names = names_inside(value.python_function, tensor)
        frame = frame.f_back
    return line, names


def stand_in(graph, tensor, at, inputs):
    for outside, inside in tf["captures_of"](graph):
        if outside is tensor:
            return inside
    given = list(getattr(graph, "inputs", None) or ())
    return given[at] if len(given) == inputs else None


# What holds the graphs of a loop or a branch.
INNER_GRAPHS = ("_cond_graph", "_body_graph", "_true_graph", "_false_graph")


def reader_of(stand_in, tensor, deepest):
    for op in stand_in.consumers():
        inner = [getattr(op, name, None) for name in INNER_GRAPHS]
        for graph in inner if deepest else ():
            for outside, inside in tf["captures_of"](graph):
                is_it = outside is stand_in or outside is tensor
                line = reader_of(inside, tensor, deepest - 1) if is_it else None
                if line:
                    return line
        line = tf["made_at"](op)
        if interceptors["users"](line):
            return line
    return None


def names_inside(function, tensor):
    """Variables of the functions around that lead to the tensor."""
    function = getattr(function, "__wrapped__", function)
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    found = []
    for name, cell in zip(getattr(code, "co_freevars", ()), cells or ()):
        try:
            way = interceptors["way_to"](cell.cell_contents, tensor)
        except ValueError:  # it has no value yet
            continue
        found += ["`%s%s`" % (name, way)] if way is not None else []
    return found


def end_of_trace(born):
    """The call that traced the function: the tensor is of no use after it."""
    for i in range(len(born) - 1, -1, -1):
        if born[i][1] == "func_graph_from_py_func":
            return born[:i]
    user = interceptors["users"](born)
    inner = born.index(user) if user else 0
    seen_library = False
    for i in range(inner - 1, -1, -1):
        if interceptors["is_library"](born[i][0]):
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
        text = interceptors["text_of"](error)
        frames = interceptors["raised_through"](error.__traceback__)[::-1]
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
        tensor = symbol_among([getattr(error, "obj", None), *interceptors["peek"](frame).values()])
        if tensor is not None:
            here = interceptors["places_in"](frames[at:])[::-1][-interceptors["MOST_FRAMES"] :]
            return tell_out_of_scope(tensor, error, used=here, frame=frame)
        if not interceptors["is_library"](frame.f_code.co_filename):
            return None
    return None


def symbol_among(values):
    """The first that is one, else the first attribute of them."""
    fields = (
        field for value in values for field in list(interceptors["fields_of"](value).values())
    )
    for value in itertools.chain(values, fields):
        if tf["is_symbolic"](value):
            op = getattr(value, "op", None)
            if tf["is_traced"](getattr(op, "graph", None)):
                return value
    return None


def tell_out_of_scope(tensor, error, used=None, frame=None, names=()):
    op = getattr(tensor, "op", tensor)
    born = tf["made_at"](op)
    ended = end_of_trace(born)
    here = used or tf["stack_here"]()
    key = (id(tensor), here[-1:] and interceptors["users"](here))
    if last == list(key):
        return
    last[:] = key
    names = list(names) or interceptors["names_of"](tensor, frame or interceptors["caller"]())
    function = getattr(op.graph, "name", None) or sentence("a-function")
    places = [(PlaceRole.USED, here), (PlaceRole.CREATED, born)]
    places += [(PlaceRole.ENDED, ended)] if ended else []
    name = interceptors["shown"](names, "`%s`" % op.name)
    native["lifetime_error"](
        Kind.OUT_OF_SCOPE,
        Severity.ERROR,
        sentence("tf.out_of_scope.title"),
        sentence("tf.out_of_scope.why", line=tf["line_of"](born), function=function),
        sentence("tf.out_of_scope.fix"),
        type(error).__name__,
        interceptors["text_of"](error),
        sentence("tf.tensor.holder", name=name, owner=function),
        places,
    )


def start():
    tf["tell_out_of_scope"] = tell_out_of_scope
    part = interceptors["Part"]("adapter.tensorflow.scope_errors")
    part.intercept(
        tf["found"]("framework.errors_impl:InaccessibleTensorError"),
        "__init__",
        after=on_inaccessible,
    )
    part.is_set()
    part = interceptors["Part"]("adapter.tensorflow.eager_errors")
    part.intercept(tf["module"]("eager.execute"), "execute", error=on_execute_error)
    part.is_set()


start()
