"""TensorFlow graphs: tensors of one graph used in another, and where a default graph was replaced.

Runs in Tenure's private namespace; `native`, `interceptors` and `tf` (the namespace of _tensorflow.py) are given.
"""

import weakref

dropped: dict = {}  # id of a graph -> (weak reference, frames of the reset that ended its time as the default)


def on_reset(stack):
    graph = getattr(stack, "_global_default_graph", None)
    if graph is None:
        return
    key = id(graph)
    dropped[key] = (weakref.ref(graph, lambda _: dropped.pop(key, None)), tf["stack_here"]())


def on_mixed(error, _traceback, args, _kwargs):
    """_assert_same_graph(original_item, item): the one that is not of the current graph is the stranger."""
    if not isinstance(error, ValueError) or len(args) < 2:
        return
    current = tf["found"]("framework.ops:get_default_graph")()
    first, second = args[0], args[1]
    stranger = second if getattr(first, "graph", None) is current else first
    tell_other_graph(stranger, current, error, "tf.other_graph.mixed")


def tell_other_graph(stranger, graph, error, what):
    """`what`: the code of what was done with it."""
    op = getattr(stranger, "op", stranger)
    own = getattr(stranger, "graph", None)
    if tf["is_traced"](own):
        return tf["tell_out_of_scope"](stranger, error)
    _, reset = dropped.get(id(own), (None, None))
    used = tf["stack_here"]()
    places = [(PlaceRole.USED, used)] + ([(PlaceRole.ENDED, reset)] if reset else [])
    places.append((PlaceRole.CREATED, tf["made_at"](op)))
    names = interceptors["names_of"](stranger, interceptors["caller"]())
    name = interceptors["shown"](names, "`%s`" % getattr(op, "name", "?"))
    which = "tf.graph_before_reset" if reset else "tf.other_graph"
    native["lifetime_error"](
        Kind.OTHER_GRAPH,
        Severity.ERROR,
        sentence(what + ".title"),
        why(which, reset, op),
        sentence(which + ".fix"),
        type(error).__name__,
        interceptors["text_of"](error),
        sentence("tf.tensor.holder", name=name, owner=sentence(which + ".owner")),
        places,
    )


def why(which, reset, op):
    born = tf["line_of"](tf["made_at"](op))
    return sentence(which + ".why", line=born, reset=tf["line_of"](reset) if reset else "")


def start():
    part = interceptors["Part"]("adapter.tensorflow.graphs")
    part.intercept(tf["found"]("framework.ops:_DefaultGraphStack"), "reset", before=on_reset)
    part.intercept(tf["module"]("framework.ops"), "_assert_same_graph", error=on_mixed)
    part.is_set()
    tf["tell_other_graph"] = tell_other_graph


start()
