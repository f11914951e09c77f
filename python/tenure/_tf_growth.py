"""Graphs that grow: lines that add ops to one again and again, models that are built anew in it, graphs that pile up.

Runs in Tenure's private namespace; `native`, `interceptors`, `causes` and `tf` (the namespace of _tensorflow.py) are given.
"""

import re
import sys
import weakref

is_library = interceptors["is_library"]  # type: ignore[name-defined]


class Site:
    """An instruction of the user's that adds ops to a graph, known by the first of them."""

    def __init__(self, op):
        self.type, self.name = op.type, without_numbers(op.name)
        self.rounds = 0
        self.builds_model = False  # some op of it is made by a layer that is being built

    def comes_round(self, op):
        """Whether it makes the op it began with, once more."""
        if op.type != self.type or without_numbers(op.name) != self.name:
            return False
        self.rounds += 1
        return self.rounds > 1


class Filling:
    """How a graph fills: which lines add ops to it."""

    def __init__(self, graph):
        self.graph = weakref.ref(graph)
        self.sites = {}  # (code, instruction) of the user's frame -> Site
        self.cause = None
        self.is_of_models = False
        self.version = None  # at its last run
        self.ops = 0
        name = "tf.default_graph.scope" if is_default(graph) else "tf.graph.scope"
        self.scope = native["scope"](ScopeType.GRAPH, sentence(name), tf["stack_here"]())

    def site_of(self, code, at, op):
        """The user's instruction that makes the op; None when there are too many."""
        site = self.sites.get((code, at))
        if site is None and len(self.sites) < 5000:
            site = self.sites[code, at] = Site(op)
        return site

    def blame(self, graph, builds_model):
        """The cause of what this graph gets anew. That its models are made again is the better word, once it is seen."""
        if self.cause is None or (builds_model and not self.is_of_models):
            self.cause = model_cause(graph) if builds_model else graph_cause(graph)
            self.is_of_models = builds_model
            tf["watch_runs"](on_run)
        return self.cause


def without_numbers(name):
    """The name as asked for: a graph makes names unique by numbers, at each level."""
    return re.sub(r"_\d+(?=/|$)", "", name)


fillings: dict = {}  # id of a graph -> Filling


def filling_of(graph):
    key = id(graph)
    found = fillings.get(key)
    if found is None or found.graph() is not graph:
        found = fillings[key] = Filling(graph)
        interceptors["when_gone"](graph, forget, key, found)
        add_to_pile(graph)
    return found


def forget(key, filling):
    native["scope_count"](filling.scope, filling.ops, 0)
    native["scope_state"](filling.scope, ScopeState.DELETED, [])
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
    first = frame = sys._getframe(1)
    while frame is not None and is_library(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None:
        return
    filling = filling_of(graph)
    filling.ops += 1
    site = filling.site_of(frame.f_code, frame.f_lasti, op)
    if site is None:
        return
    site.builds_model = site.builds_model or builds_model(first, frame)
    if site.comes_round(op):
        cause = filling.blame(graph, site.builds_model)
        place = (frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno)
        cause.occurred([place], CauseRank.RESPONSIBLE_FOR_GOOD)


def builds_model(frame, user):
    """Whether the op is made by a Keras layer that is being built. tf.layers builds such layers too, but no models."""
    builds = False
    while frame is not user:
        file = frame.f_code.co_filename
        if "/python/layers/" in file:
            return False
        builds = builds or (frame.f_code.co_name == "build" and "/keras/" in file)
        frame = frame.f_back
    return builds


def is_default(graph):
    stack = tf["found"]("framework.ops:_default_graph_stack")
    return getattr(stack, "_global_default_graph", None) is graph


def name_of(graph):
    if tf["is_traced"](graph):
        return sentence("tf.keras_graph")
    return sentence("tf.default_graph" if is_default(graph) else "tf.graph")


def graph_cause(graph):
    return causes["Cause"](
        Kind.GRAPH_GROWTH,
        sentence("tf.graph_growth.holder", graph=name_of(graph)),
        sentence("tf.graph_growth.why"),
        sentence("tf.graph_growth.fix"),
    )


def model_cause(graph):
    return causes["Cause"](
        Kind.MODEL_REBUILT,
        sentence("tf.model_rebuilt.holder", graph=name_of(graph)),
        sentence("tf.model_rebuilt.why"),
        sentence("tf.model_rebuilt.fix"),
    )


def on_run(session, *_args, **_kwargs):
    """A run after the graph grew makes the session take the new ops in, at this line."""
    graph = session.graph
    filling = fillings.get(id(graph))
    if filling is not None and filling.cause is not None and graph.version != filling.version:
        filling.version = graph.version
        filling.cause.occurred(tf["stack_here"](), CauseRank.AFFECTED)


# --- graphs that pile up ---

piles: dict = {}  # (file, line) of the user's that made the first op -> Pile


def add_to_pile(graph):
    """A new graph has its first op: are older ones of the same line still there, and not for an open session?"""
    place = interceptors["users"](tf["stack_here"]())
    if place is None:
        return
    pile = piles.setdefault((place[0], place[2]), causes["Pile"]())
    older = pile.alive()
    pile.add(graph)
    in_use = tf["open_graphs"]() or ()
    idle = [other for other in older if id(other) not in in_use]
    if not pile.is_higher(len(idle)):
        return
    if pile.cause is None:
        pile.blame(pile_cause())
    for line in lines_of(idle[-1]):
        pile.cause.occurred([line])


births: dict = {}  # id of a graph -> the user's line that made it


def on_graph(_result, args, _kwargs):
    """Graph.__init__(self)"""
    if tf["is_traced"](args[0]):
        return tf["on_function_graph"](args[0])
    place = interceptors["users"](tf["stack_here"]())
    if place is not None:
        births[id(args[0])] = place
        interceptors["when_gone"](args[0], births.pop, id(args[0]), None)


def lines_of(graph):
    """The user's lines that made a graph of its own, and its ops."""
    if is_default(graph):
        return []
    born = births.get(id(graph))
    try:
        made = [interceptors["users"](tf["made_at"](op)) for op in graph.get_operations()[:500]]
    except Exception:
        return []
    return list(dict.fromkeys(place for place in [born, *made] if place))[:40]


def pile_cause():
    return causes["Cause"](
        Kind.RETAINED_PYTHON,
        sentence("tf.graph_pile.holder"),
        sentence("tf.graph_pile.why"),
        sentence("tf.graph_pile.fix"),
    )


def start():
    part = interceptors["Part"]("adapter.tensorflow.ops")
    part.intercept(tf["found"]("framework.ops:Graph"), "_create_op_helper", after=on_op)
    part.is_set()
    tf["lines_of"] = lines_of
    part = interceptors["Part"]("adapter.tensorflow.graph_births")
    part.intercept(tf["found"]("framework.ops:Graph"), "__init__", after=on_graph)
    part.is_set()


start()
