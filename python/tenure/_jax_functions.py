"""jax.jit: how often each function was traced, and what asked for it: a shape, a static value, a new function.

Each trace keeps its program and what was compiled of it. Runs in Tenure's private namespace; `native`, `taps`, `causes`
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
        self.scope = native["scope"]("function", name, frames)


def on_jit_made(function, args, _kwargs):
    """_cpp_pjit(fun, jit_info): only what the user's own line asked for is of interest."""
    frame = taps["caller"]()
    while frame is not None and frame.f_code.co_filename.endswith(JIT_FILES):
        frame = frame.f_back
    if frame is not None and not taps["is_library"](frame.f_code.co_filename):
        key = id(args[1])
        made[key] = taps["frames_from"](frame)
        taps["when_gone"](function, made.pop, key, None)


def on_traced(result, args, _kwargs):
    """_trace_for_jit(fun, jit_info, mesh, debug_info, avals, args, kwargs) made a program."""
    if not jax["found"]("core:trace_state_clean")():
        return  # inside of another trace
    function, info, given, keywords = args[0], args[1], args[5], args[6]
    frames = jax["stack_here"]()
    place = taps["users"](frames)
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
        cause.occurred(frames, "1")
    else:
        cause.occurred(frames, "2")


def cause_for(traces, words, frames, asked, is_new):
    if not traces.is_operation:
        return retrace_cause(traces, words, asked, is_new)
    key = taps["users"](frames)[:2]
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
    return None if code is None or taps["is_library"](code.co_filename) else code


def parameters_of(function):
    code = getattr(innermost(function), "__code__", None)
    return code.co_varnames[: code.co_argcount] if code is not None else ()


def identity(code, asked, place, name):
    """Copies of one function are one; operations of JAX itself are told by the line that calls them."""
    if code is not None:
        return code
    user = taps["users"](asked) if asked else None
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
    return "`%s`" % name if name else "argument %d" % (number + 1)


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
        reason = (
            "jax.jit is given a new function each time at %s, and each is traced and compiled anew"
            % taps["line_of"](asked)
        )
        fix = "call jax.jit once, outside the loop, on one function, and pass what changes as arguments"
    elif changed:
        reason, fix = reason_of(*changed[0])
    else:
        reason = "what it is called with changes from call to call"
        fix = "call it with arrays of a few types and shapes only"
    return causes["Cause"](
        "retracing",
        "the jit cache of `%s`, a compiled executable for each trace" % traces.name,
        "`%s` is traced again and again: %s; each trace keeps a compiled program"
        % (traces.name, reason),
        fix,
    )


def reason_of(name, old, new):
    sort, text = new
    if old is None or old[0] != sort:
        return (
            "%s is passed in another way than before" % name,
            "pass the same arguments in each call",
        )
    if sort == "static":
        return (
            "the static argument %s has a new value (%s, then %s)" % (name, old[1], text),
            "make %s an ordinary argument, so that one program serves all values" % name,
        )
    if sort in ("function", "object"):
        return (
            "the static argument %s is another object in each call" % name,
            "pass the same object each time, or one with __eq__ and __hash__ by value",
        )
    return reason_of_array(name, old[1], text)


def reason_of_array(name, old, new):
    if old.partition("[")[0] != new.partition("[")[0]:
        return (
            "the type of %s changes (%.60s, then %.60s)" % (name, old, new),
            "convert %s to one dtype before the call" % name,
        )
    return (
        "the shape of %s changes (%.60s, then %.60s)" % (name, old, new),
        "pad %s to a few sizes, so that a few compiled programs serve all calls" % name,
    )


def start():
    part = taps["Part"]("adapter.jax.functions")
    part.tap(jax["found"]("pjit"), "_cpp_pjit", after=on_jit_made)
    part.tap(jax["found"]("pjit"), "_trace_for_jit", after=on_traced)
    part.is_set()


start()
