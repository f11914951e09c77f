"""Models that are loaded again and again while the older ones are kept.

Runs in Tenure's private namespace; `native`, `interceptors`, `causes` and `tf` (the namespace of _tensorflow.py) are given.
"""

piles: dict = {}  # (file, line) of the user's that loads -> Pile
loaded: dict = {}  # id of a graph of a function that was loaded and not yet called -> Pile of its model
making: list = []  # one list of graphs for each load() that is running


def on_load(*_args, **_kwargs):
    making.append([])


def on_loaded(root, _args, _kwargs):
    graphs = making.pop()
    root = root.get("root") if isinstance(root, dict) else root  # from 2.4 on, of several parts
    place = interceptors["users"](tf["stack_here"]())
    if place is None or root is None or making:
        return
    pile = piles.setdefault((place[0], place[2]), causes["Pile"]())
    pile.add(root)
    if pile.is_higher():
        if pile.cause is None:
            pile.blame(load_cause())
        pile.cause.occurred([place], CauseRank.RESPONSIBLE_WITH_CALLEES)
    for graph in graphs:
        loaded[id(graph)] = pile
        interceptors["when_gone"](graph, loaded.pop, id(graph), None)


def on_error(*_args):
    making.pop()


def on_graph(graph):
    """A graph of a function was made: while a model is loaded, it is the model's."""
    if making:
        making[-1].append(graph)


def on_call(function):
    """The first call of a function makes the native state that it then keeps, at this line."""
    pile = loaded.pop(id(getattr(function, "graph", None)), None)
    if pile is not None and pile.cause is not None:
        pile.cause.occurred(tf["stack_here"](), CauseRank.AFFECTED)


def load_cause():
    return causes["Cause"](
        Kind.RETAINED_PYTHON,
        sentence("tf.model_pile.holder"),
        sentence("tf.model_pile.why"),
        sentence("tf.model_pile.fix"),
    )


def start():
    part = interceptors["Part"]("adapter.tensorflow.loads")
    home = tf["module"]("saved_model.load")
    name = "load_partial" if hasattr(home, "load_partial") else "load_internal"
    part.intercept(home, name, before=on_load, after=on_loaded, error=on_error)
    if part.is_set():
        tf["on_function_graph"], tf["on_function_call"] = on_graph, on_call


start()
