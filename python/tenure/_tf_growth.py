"""What makes TensorFlow's memory grow: ops added to a graph again and again, sessions left open, caches, tapes.

Each occurrence is told with native["cause"]; analysis decides, by the bytes, whether it matters. The key of a cause says
what its line is to it: "0" a line to look at, "1" a line that only suffers, "2" like "0", and what its callees make counts too.
Runs in Tenure's private namespace; `native`, `taps` and `tf` (the namespace of _tensorflow.py) are given.
"""

import re
import sys
import weakref

MOST_LINES = (
    200  # the ledger's table is bounded, and a program that generates code may have any number
)
is_library = taps["is_library"]  # type: ignore[name-defined]


class Cause:
    """One thing that grows: the same words for all its lines."""

    count = 0

    def __init__(self, kind, holder, why, fix):
        Cause.count += 1
        self.number = Cause.count
        self.kind, self.holder, self.why, self.fix = kind, holder[:160], why, fix
        self.lines = {}

    def occurred(self, frames, rank="0"):
        place = taps["users"](frames)
        if place is None:
            return
        key = "%s|%d|%s:%d" % (rank, self.number, place[0], place[2])
        if key not in self.lines:
            if len(self.lines) >= MOST_LINES:
                return
            self.lines[key] = [place]
        native["cause"](key, self.kind, self.holder, self.why, self.fix, self.lines[key])


# --- ops of graphs ---


class Filling:
    """How a graph fills: which lines add ops to it."""

    def __init__(self, graph):
        self.graph = weakref.ref(graph)
        self.sites = {}  # (code, instruction) of the user's frame -> [type and name of its first op, rounds]
        self.cause = None
        self.version = None  # at its last run
        self.ops = 0
        kind = "default graph" if is_default(graph) else "graph"
        self.scope = native["scope"]("graph", kind, tf["stack_here"]())

    def recurs(self, code, at, op):
        """Whether this line makes the op it made before, once more."""
        site = self.sites.get((code, at))
        if site is None:
            if len(self.sites) < 5000:
                self.sites[code, at] = (op.type, without_numbers(op.name))
            return False
        return op.type == site[0] and without_numbers(op.name) == site[1]


def without_numbers(name):
    """The name as asked for: a graph makes names unique by numbers, at each level."""
    return re.sub(r"_\d+(?=/|$)", "", name)


fillings: dict = {}  # id of a graph -> Filling


def filling_of(graph):
    key = id(graph)
    found = fillings.get(key)
    if found is None or found.graph() is not graph:
        found = fillings[key] = Filling(graph)
        taps["when_gone"](graph, forget, key, found)
    return found


def forget(key, filling):
    native["scope_count"](filling.scope, filling.ops, 0)
    native["scope_state"](filling.scope, "deleted", [])
    fillings.pop(key, None)


def at_end():
    """Before the interpreter takes everything apart."""
    for filling in list(fillings.values()):
        native["scope_count"](filling.scope, filling.ops, 0)


def on_op(_result, args, _kwargs):
    """Graph._create_op_helper(self, op, ...) has finished an op."""
    graph, op = args[0], args[1]
    if tf["is_traced"](graph) and graph.name != "keras_graph":
        return
    frame = sys._getframe(1)
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return
    filling = filling_of(graph)
    filling.ops += 1
    if filling.recurs(frame.f_code, frame.f_lasti, op):
        if filling.cause is None:
            filling.cause = graph_cause(graph)
            tf["watch_runs"](on_run)
        filling.cause.occurred([(frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno)])


def is_default(graph):
    stack = tf["found"]("framework.ops:_default_graph_stack")
    return getattr(stack, "_global_default_graph", None) is graph


def graph_cause(graph):
    name = "the default graph (tf.Graph)" if is_default(graph) else "a tf.Graph"
    if tf["is_traced"](graph):
        name = "the Keras graph (keras.backend)"
    return Cause(
        "graph-growth",
        "%s, which keeps every op ever made in it" % name,
        "these lines add new ops to the graph each time they run; a graph forgets no op, and closing a session does "
        "not free them",
        "make the ops once, before the loop, and feed what changes through a tf.placeholder",
    )


def on_run(session, *_args, **_kwargs):
    """A run after the graph grew makes the session take the new ops in, at this line."""
    graph = session.graph
    filling = fillings.get(id(graph))
    if filling is not None and filling.cause is not None and graph.version != filling.version:
        filling.version = graph.version
        filling.cause.occurred(tf["stack_here"](), "1")
    owner = open_causes.get(id(session))
    if owner is not None:
        owner.occurred(tf["stack_here"](), "1")


# --- sessions that stay open ---

open_lines: dict = {}  # (file, line) -> Cause, once sessions made there pile up
open_causes: dict = {}  # id of such a session -> Cause


def on_session(session, life, lives):
    """A session was made: are older ones of the same line still open?"""
    place = taps["users"](life.created)
    if place is None:
        return
    older = 0
    for reference, other in list(lives.values()):
        is_open = other is not life and other.ended is None and reference() is not None
        older += is_open and taps["users"](other.created) == place
    if older < 2:
        return
    cause = open_lines.get((place[0], place[2]))
    if cause is None:
        cause = open_lines[place[0], place[2]] = session_cause(session, place)
        tf["watch_runs"](on_run)
    cause.occurred(life.created)
    open_causes[id(session)] = cause
    taps["when_gone"](session, open_causes.pop, id(session), None)
    for line in lines_of(session.graph):
        cause.occurred([line], "1")


def lines_of(graph):
    """The user's lines that made the ops of a graph of its own."""
    if is_default(graph):
        return []
    try:
        made = [taps["users"](tf["made_at"](op)) for op in graph.get_operations()[:500]]
    except Exception:
        return []
    return list(dict.fromkeys(place for place in made if place))[:40]


def session_cause(session, place):
    interactive = type(session).__name__ == "InteractiveSession"
    holder = "sessions made at %s:%d that were never closed" % (tf["base_name"](place[0]), place[2])
    if interactive:
        holder = "the default session stack: an InteractiveSession stays on it until close()"
    return Cause(
        "session-unclosed",
        holder,
        "each session keeps its variables and its copy of the graph until it is closed; these are never closed",
        "close each session, or use `with tf.Session() as sess:`"
        if not interactive
        else "call close() on each InteractiveSession, or use `with tf.Session() as sess:` instead",
    )


# --- caches ---

cache_causes: dict = {}
cache_sizes: dict = {}


def on_py_function(_result, _args, _kwargs):
    """An eager call of py_function leaves an entry in one of these."""
    if not tf["found"]("eager.context:executing_eagerly")():
        return
    graph = tf["found"]("framework.ops:get_default_graph")()
    kept = {
        "script_ops.tape_cache": tf["found"]("ops.script_ops:tape_cache"),
        "_py_funcs_used_in_graph of the default graph": getattr(
            graph, "_py_funcs_used_in_graph", None
        ),
    }
    for name, cache in kept.items():
        size = len(cache) if cache is not None else 0
        has_grown = size > cache_sizes.get(name, 0)
        cache_sizes[name] = size
        if has_grown and size > 2:
            if name not in cache_causes:
                cache_causes[name] = cache_cause(name)
            return cache_causes[name].occurred(tf["stack_here"](), "2")


def cache_cause(name):
    return Cause(
        "cache-growth",
        "TensorFlow's cache %s" % name,
        "each call of tf.py_function outside a tf.function leaves an entry with its function and tensors there, for good",
        "call the Python function directly while executing eagerly, or wrap the call in a tf.function made once",
    )


# --- tapes ---

tape_causes: dict = {}  # id of a tape -> [entries, Cause or None]


def on_tape_entered(_result, args, _kwargs):
    tape = args[0]
    if not getattr(tape, "_persistent", False):
        return
    known = tape_causes.get(id(tape))
    if known is None:
        known = tape_causes[id(tape)] = [0, None]
        taps["when_gone"](tape, tape_causes.pop, id(tape), None)
    known[0] += 1
    if known[0] >= 3:
        if known[1] is None:
            names = taps["names_of"](tape, taps["caller"]())
            known[1] = tape_cause(taps["shown"](names, "without a name"))
        known[1].occurred(tf["stack_here"]())


def on_tape_left(tape, *_error):
    """All lines of the block record into the tape."""
    known = tape_causes.get(id(tape))
    if known is None or known[1] is None:
        return
    last = taps["users"](tf["stack_here"]())
    for key, (place,) in list(known[1].lines.items()):
        if last and key[0] == "0" and place[:2] == last[:2]:
            for line in range(place[2] + 1, min(block_end(place, last), place[2] + 60) + 1):
                known[1].occurred([(place[0], place[1], line)], "1")


block_ends: dict = {}  # place of a `with` -> its last line


def block_end(place, last):
    """From Python 3.8 on a block is left at the line of its `with`: the source knows where it ends."""
    if last[2] != place[2]:
        return last[2]
    if place not in block_ends:
        block_ends[place] = place[2]
        import ast
        import linecache

        for node in ast.walk(ast.parse("".join(linecache.getlines(place[0])))):
            if isinstance(node, ast.With) and node.lineno == place[2]:
                block_ends[place] = getattr(node, "end_lineno", None) or place[2]
    return block_ends[place]


def tape_cause(name):
    return Cause(
        "retained-autograd",
        "the persistent GradientTape %s" % name,
        "a persistent tape keeps every tensor it recorded as long as it lives, and this one is entered again and again",
        "make a new tf.GradientTape for each step, and drop it when its gradients are taken",
    )


def start():
    graphs = taps["Part"]("adapter.tensorflow.ops")
    graphs.tap(tf["found"]("framework.ops:Graph"), "_create_op_helper", after=on_op)
    graphs.is_set()
    caches = taps["Part"]("adapter.tensorflow.py_function")
    caches.tap(tf["module"]("ops.script_ops"), "_internal_py_func", after=on_py_function)
    caches.is_set()
    tapes = taps["Part"]("adapter.tensorflow.tapes")
    tape = tf["found"]("eager.backprop:GradientTape")
    tapes.tap(tape, "__enter__", after=on_tape_entered)
    tapes.tap(tape, "__exit__", before=on_tape_left)
    tapes.is_set()
    tf["on_session"] = on_session
    tf["Cause"] = Cause


start()
