"""tf.function: how often each was traced, and which argument asked for it.

Runs in Tenure's private namespace; `native`, `interceptors`, `causes` and `tf` (the namespace of _tensorflow.py) are given.
"""

import itertools
import types
import weakref

MOST_WRAPPERS = 10000
fresh = itertools.count()


class Traces:
    """What is known of one function, by name and place of definition."""

    def __init__(self, name, frames):
        self.name = name
        self.count = 0
        self.pile = causes["Pile"]()  # of graphs: a function that is dropped takes its traces along
        self.given = None  # the arguments of the last trace, in words
        self.function = None  # weak: the function that was traced last
        self.scope = native["scope"](ScopeType.FUNCTION, name, frames)


functions: dict = {}  # code of the Python function -> Traces


def on_traced(graph, args, kwargs):
    """func_graph_from_py_func(name, python_func, args, kwargs, ...) made a graph."""
    if tf["is_traced"](getattr(graph, "outer_graph", None)):
        return  # a branch or a loop inside a function
    python_func = args[1] if len(args) > 1 else kwargs.get("python_func")
    function = original_of(python_func)
    code = getattr(function, "__code__", None)
    if code is None or interceptors["is_library"](code.co_filename):
        return
    frames = tf["stack_here"]()
    traces = functions.get(code)
    if traces is None:
        traces = functions[code] = Traces(getattr(function, "__qualname__", code.co_name), frames)
    traces.count += 1
    native["scope_count"](traces.scope, traces.count, 0)
    given = described(args[2] if len(args) > 2 else kwargs.get("args"), code)
    traces.pile.add(graph)
    if traces.pile.is_higher() and traces.count >= 4:
        if traces.pile.cause is None:
            is_new = traces.function is not None and traces.function() is not function
            traces.pile.blame(retrace_cause(traces, given, is_new))
        traces.pile.cause.occurred(frames, CauseRank.RESPONSIBLE_WITH_CALLEES)
    traces.given = given
    traces.function = weakref.ref(function)


def original_of(function):
    """The user's function under TensorFlow's wrappers. TensorFlow 2.0 adds another one with each trace."""
    for _ in range(MOST_WRAPPERS):
        inner = getattr(function, "__wrapped__", None) or getattr(
            function, "__original_wrapped__", None
        )
        if inner is None:
            return getattr(function, "__func__", function)
        function = inner
    return function


def described(given, code):
    """[(name of a parameter, what was passed), ...]: tensors by type and shape, all else by value."""
    names = code.co_varnames[: code.co_argcount]
    words = []
    for i, value in enumerate(given or ()):
        words.append((names[i] if i < len(names) else "argument %d" % i, one(value)))
    return words


TENSOR, VALUE, OBJECT = range(3)  # sorts of arguments


def one(value):
    """(its sort, its type, what tells it from another one)"""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return TENSOR, str(getattr(dtype, "name", dtype)), str(shape)
    if isinstance(value, (int, float, str, bool, bytes, type(None))):
        return VALUE, type(value).__name__, "%.40r" % (value,)
    spec = getattr(value, "_type_spec", None)
    if spec is not None:  # made anew from its specification for each trace
        return TENSOR, str(spec), ""
    if isinstance(
        value, types.MethodType
    ):  # `learner.step` is a new object each time it is written
        return OBJECT, "method", next(fresh)
    return OBJECT, type(value).__name__, id(value)


def retrace_cause(traces, given, is_new):
    changed = [new for old, new in zip(traces.given or (), given or ()) if old != new]
    if is_new:
        what, given = "tf.retracing.new_function", {}
    elif changed:
        what, given = reason_of(*changed[0])
    else:
        what, given = "tf.retracing.unknown", {}
    return causes["Cause"](
        Kind.RETRACING,
        sentence("tf.retracing.holder", name=traces.name),
        sentence("tf.retracing.why", name=traces.name, reason=sentence(what + ".reason", **given)),
        sentence(what + ".fix", **given),
    )


def reason_of(name, value):
    """(what asks for a new trace, with which parameters)"""
    sort, type_name, _ = value
    if sort == TENSOR:
        return "tf.retracing.tensor", {"argument": name}
    if sort == OBJECT:
        return "tf.retracing.object", {"argument": name, "type": type_name}
    return "tf.retracing.value", {"argument": name}


def start():
    part = interceptors["Part"]("adapter.tensorflow.functions")
    part.intercept(tf["module"]("framework.func_graph"), "func_graph_from_py_func", after=on_traced)
    part.is_set()


start()
