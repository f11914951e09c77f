"""jax.jit: how often each function was traced, and what asked for it: a shape, a static value, a new function.

Each trace keeps its program and what was compiled of it. Runs in Tenure's private namespace; `native`, `interceptors`, `causes`
and `jax` (the namespace of _jax.py) are given.
"""

import types
import weakref

FEWEST_TRACES = 4  # of one function, before it is said to be traced again and again
JIT_FILES = (
    "/jax/_src/pjit.py",
    "/jax/_src/api.py",
    "/jax/_src/traceback_util.py",
    "/functools.py",
)

made: dict = {}  # id of the settings of a jitted function -> the frames that asked for it, if they are the user's
functions: dict = {}  # what identifies a function, over all its copies -> Traces
of_operations: dict = {}  # (file, function) whose lines call operations of JAX -> one Cause for all of them


class Traces:
    """What is known of one function, or of one line that calls an operation of JAX."""

    def __init__(self, name, frames, is_operation):
        self.name = name
        self.is_operation = is_operation
        self.count = 0
        self.pile = causes["Pile"]()
        self.given = None  # the arguments of the last trace, in words
        self.function = lambda: None  # weak: what was traced last
        self.scope = native["scope"](ScopeType.FUNCTION, name, frames)


def on_jit_made(function, args, _kwargs):
    """_cpp_pjit(fun, jit_info): only what the user's own line asked for is of interest."""
    frame = interceptors["caller"]()
    while frame is not None and frame.f_code.co_filename.endswith(JIT_FILES):
        frame = frame.f_back
    if frame is not None and not interceptors["is_library"](frame.f_code.co_filename):
        key = id(args[1])
        made[key] = interceptors["frames_from"](frame)
        interceptors["when_gone"](function, made.pop, key, None)


def on_traced(result, args, _kwargs):
    """_trace_for_jit(fun, jit_info, mesh, debug_info, avals, args, kwargs) made a program."""
    if not jax["found"]("core:trace_state_clean")():
        return  # inside of another trace
    function, info, given, keywords = args[0], args[1], args[5], args[6]
    frames = jax["stack_here"]()
    place = interceptors["users"](frames)
    if place is None:
        return
    asked = made.get(id(info))
    code = code_of(function)
    name = getattr(function, "__qualname__", None) or type(function).__name__
    key = identity(code, asked, place, name)
    traces = functions.get(key)
    if traces is None:
        traces = functions[key] = Traces(name, frames, code is None and asked is None)
    traces.count += 1
    native["scope_count"](traces.scope, traces.count, 0)
    words = described(given, keywords, parameters_of(function), info)
    is_new = asked is not None and traces.function() is not function
    traces.pile.add(function if is_new and has_references(function) else result.params["jaxpr"])
    if traces.pile.is_higher() and traces.count >= FEWEST_TRACES:
        tell(traces, words, frames, asked, is_new)
    traces.given = words
    traces.function = weakref.ref(function) if has_references(function) else lambda: None


def tell(traces, words, frames, asked, is_new):
    if traces.pile.cause is None:
        traces.pile.blame(cause_for(traces, words, frames, asked, is_new))
    cause = traces.pile.cause
    if is_new:
        cause.occurred(asked)
        cause.occurred(frames, CauseRank.AFFECTED)
    else:
        cause.occurred(frames, CauseRank.RESPONSIBLE_WITH_CALLEES)


def cause_for(traces, words, frames, asked, is_new):
    if not traces.is_operation:
        return retrace_cause(traces, words, asked, is_new)
    key = interceptors["users"](frames)[:2]
    if key not in of_operations:
        of_operations[key] = retrace_cause(traces, words, asked, is_new)
    return of_operations[key]


def has_references(function):
    """Whether it can be referred to weakly."""
    return type(function).__weakrefoffset__ != 0


def innermost(function):
    """The function under JAX's wrappers."""
    for _ in range(10):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            break
        function = inner
    return getattr(function, "__func__", function)


def code_of(function):
    """The code of a function of the user's, or None."""
    code = getattr(innermost(function), "__code__", None)
    return None if code is None or interceptors["is_library"](code.co_filename) else code


def parameters_of(function):
    code = getattr(innermost(function), "__code__", None)
    return code.co_varnames[: code.co_argcount] if code is not None else ()


def identity(code, asked, place, name):
    """Copies of one function are one; operations of JAX itself are told by the line that calls them."""
    if code is not None:
        return code
    user = interceptors["users"](asked) if asked else None
    return ("made", *user) if user else ("called", name, *place)


# --- arguments in words ---


def described(given, keywords, names, info):
    """{name of a parameter: (sort, what was passed)}: arrays by type and shape, static ones by value."""
    words = {}
    for i, value in enumerate(given or ()):
        name = names[i] if i < len(names) else None
        is_static = i in (info.static_argnums or ()) or name in (info.static_argnames or ())
        words[quoted(name, i)] = static_words(value) if is_static else words_of(value)
    for name, value in (keywords or {}).items():
        is_static = name in (info.static_argnames or ())
        words[quoted(name)] = static_words(value) if is_static else words_of(value)
    return words


def quoted(name, number=0):
    return "`%s`" % name if name else sentence("jax.argument", number=number + 1)


def static_words(value):
    if jax["is_plain"](value):
        return "static", "%.40r" % (value,)
    if isinstance(value, (types.FunctionType, types.MethodType)):
        return "function", "%x" % id(value)
    return "object", "%s %x" % (type(value).__name__, id(value))


def words_of(value):
    """("array", its type and shape); containers by all that is in them."""
    if jax["plain_registry"] is None:
        return "array", one(value)
    leaves, tree = jax["plain_registry"].flatten(value)
    if len(leaves) == 1 and leaves[0] is value:
        return "array", one(value)
    return "container", "%s of %s" % (tree, ", ".join(one(leaf) for leaf in leaves))


def one(value):
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return type(value).__name__
    return "%s%s" % (dtype, list(shape))


# --- causes ---


def retrace_cause(traces, words, asked, is_new):
    """`asked`: the frames that call jax.jit, where each call makes a new function."""
    changed = [
        (name, (traces.given or {}).get(name), new)
        for name, new in words.items()
        if (traces.given or {}).get(name) != new
    ]
    if is_new:
        what, given = "jax.retracing.new_function", {"line": interceptors["line_of"](asked)}
    elif changed:
        what, given = reason_of(*changed[0])
    else:
        what, given = "jax.retracing.unknown", {}
    return causes["Cause"](
        Kind.RETRACING,
        sentence("jax.retracing.holder", name=traces.name),
        sentence("jax.retracing.why", name=traces.name, reason=sentence(what + ".reason", **given)),
        sentence(what + ".fix", **given),
    )


def reason_of(name, old, new):
    """(what asks for a new trace, with which parameters)"""
    sort, text = new
    if old is None or old[0] != sort:
        return "jax.retracing.other_way", {"argument": name}
    if sort == "static":
        return "jax.retracing.static", {"argument": name, "old": old[1], "new": text}
    if sort in ("function", "object"):
        return "jax.retracing.object", {"argument": name}
    is_type = old[1].partition("[")[0] != text.partition("[")[0]
    what = "jax.retracing.dtype" if is_type else "jax.retracing.shape"
    return what, {"argument": name, "old": old[1][:60], "new": text[:60]}


def start():
    part = interceptors["Part"]("adapter.jax.functions")
    part.intercept(jax["found"]("pjit"), "_cpp_pjit", after=on_jit_made)
    part.intercept(jax["found"]("pjit"), "_trace_for_jit", after=on_traced)
    part.is_set()


start()
