"""JAX: starts the parts of the adapter and knows what all of them need.

Runs in Tenure's private namespace after JAX was imported; `native`, `load` and `interceptors` are given. Where versions differ,
the difference is in this file; a part that does not find what it needs switches itself off, alone.
"""

import types

PARTS = (
    *("_jax_lines", "_jax_arrays", "_jax_donation", "_jax_aliases", "_jax_tracers"),
    "_jax_functions",
)
ROOT = "jax._src."
MOST_LOOKED_AT = 4000  # objects, when the name of one is searched
MOST_ITEMS = 200  # of one container


def found(path):
    return interceptors["found"](ROOT + path)


def array_type():
    return found("array:ArrayImpl")


def address_of(array):
    """0: it is not there yet, or not any more, or in several places. Nobody waits for it here."""
    try:
        if array.is_deleted() or not array.is_ready():
            return 0
        return array.unsafe_buffer_pointer()
    except Exception:
        return 0


def places_in(traceback):
    """A stack as JAX keeps it, innermost first, as [(file, function, line), ...], outermost first."""
    try:
        frames = list(traceback.frames)[: interceptors["MOST_FRAMES"]]
    except Exception:
        return []
    places = [(f.file_name, f.function_name, int(f.line_num)) for f in reversed(frames)]
    return [place for place in places if not place[0].startswith(interceptors["OWN_FILE"])]


def stack_here():
    return interceptors["frames_from"](interceptors["caller"]())


def type_in_words(value):
    """ "float32[64,16]", as JAX writes it."""
    try:
        return value.aval.str_short()
    except Exception:
        return type(value).__name__


def qualified(frame):
    """The name of the function that runs in a frame, with its class where Python tells it."""
    code = frame.f_code
    return getattr(code, "co_qualname", code.co_name)


# --- arrays in containers ---


registry = interceptors["found"]("jaxlib._jax:pytree.PyTreeRegistry")  # type: ignore[name-defined]
plain_registry = registry() if registry is not None else None  # knows Python's own containers only


def leaves_of(tree):
    """The arrays in nested containers. No code of the program runs: its own containers are looked into by their fields."""
    kind, flatten = array_type(), plain_registry.flatten
    arrays, waiting, seen = [], [tree], set()
    while waiting and len(seen) < MOST_LOOKED_AT:
        for leaf in flatten(waiting.pop())[0]:
            if type(leaf) is kind:
                arrays.append(leaf)
            elif not is_plain(leaf) and id(leaf) not in seen:
                seen.add(id(leaf))
                waiting += [item for _, item in fields_of(leaf)]
    return arrays


# --- what the user calls an object, also inside of containers ---


def inside_of(value):
    """[(how it is written after the name, what it is), ...] of a container or an object of the user's."""
    if isinstance(value, dict):
        pairs = list(dict.items(value))[:MOST_ITEMS]
        return [("[%s]" % (repr(k)[:30] if is_plain(k) else "..."), item) for k, item in pairs]
    if isinstance(value, (list, tuple)):
        names = getattr(type(value), "_fields", None)
        items = list((list if isinstance(value, list) else tuple).__iter__(value))[:MOST_ITEMS]
        if names and len(names) == len(items):
            return [("." + name, item) for name, item in zip(names, items)]
        return [("[%d]" % i, item) for i, item in enumerate(items)]
    return [("." + name, item) for name, item in fields_of(value)]


def fields_of(value):
    if isinstance(value, (types.ModuleType, types.FunctionType, array_type() or type)):
        return []
    try:
        fields = type.__getattribute__(value, "__dict__") if isinstance(value, type) else None
        fields = fields or object.__getattribute__(value, "__dict__")
        return [
            pair for pair in list(dict(fields).items())[:MOST_ITEMS] if isinstance(pair[0], str)
        ]
    except Exception:
        return []


def paths_to(wanted, variables, most):
    """How to write `wanted`, from these variables: nearest first, at most three steps away."""
    names: list = []
    seen: set = set()
    waiting = [(name, value, 0) for name, value in variables if isinstance(name, str)]
    for looked_at, (name, value, depth) in enumerate(waiting):  # it grows meanwhile
        if value is wanted:
            names.append(name)
        if len(names) == most or looked_at == MOST_LOOKED_AT:
            break
        if depth < 3 and id(value) not in seen and not is_plain(value):
            seen.add(id(value))
            waiting += [(name + step, item, depth + 1) for step, item in inside_of(value)]
    return names


def is_plain(value):
    return value is None or isinstance(value, (str, bytes, int, float, complex))


def names_of(wanted, frame, most=2):
    """As names_of of _interceptors.py: ["`answer['features']`", ...], innermost frame first, then globals."""
    names: list = []
    modules = {}
    for user in list(interceptors["user_frames"](frame))[:20]:
        names += paths_to(wanted, list(interceptors["peek"](user).items()), most)
        modules[id(user.f_globals)] = user.f_globals
    for variables in modules.values():
        if len(names) < most:
            names += paths_to(wanted, list(variables.items()), most)
    return ["`%s`" % name for name in list(dict.fromkeys(names))[:most]]


def start():
    causes = load("_causes")
    for name in PARTS:
        try:
            load(name, jax=globals(), causes=causes)
        except Exception as error:
            native["fact"]("adapter.jax." + name[5:], "off: %s" % type(error).__name__)


start()
