"""TensorFlow graphs: tensors of one graph used in another, and where a default graph was replaced.

Runs in Tenure's private namespace; `native`, `taps` and `tf` (the namespace of _tensorflow.py) are given.
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
    tell_other_graph(stranger, current, error, "is mixed with tensors of another")


def tell_other_graph(stranger, graph, error, what):
    op = getattr(stranger, "op", stranger)
    own = getattr(stranger, "graph", None)
    if tf["is_traced"](own):
        return tf["tell_out_of_scope"](stranger, error)
    _, reset = dropped.get(id(own), (None, None))
    used = tf["stack_here"]()
    places = [("used", used)] + ([("ended", reset)] if reset else [])
    places.append(("created", tf["made_at"](op)))
    names = taps["names_of"](stranger, taps["caller"]())
    name = taps["shown"](names, "`%s`" % getattr(op, "name", "?"))
    graph_name = "the default graph before reset_default_graph" if reset else "another graph"
    native["story"](
        "other-graph",
        "error",
        "a tensor of one graph %s" % what,
        why(reset, op),
        "make the tensor again after the reset, or keep one graph for both"
        if reset
        else "make both in the same graph, or run the tensor in a session of its own graph",
        type(error).__name__,
        taps["text_of"](error),
        ("%s, a tensor of %s" % (name, graph_name))[:160],
        places,
    )


def why(reset, op):
    born = tf["line_of"](tf["made_at"](op))
    if reset:
        return (
            "it was made at %s in the default graph that reset_default_graph() replaced at %s; tensors do not move "
            "to the new one" % (born, tf["line_of"](reset))
        )
    return "it was made at %s while another graph was the default" % born


def start():
    part = taps["Part"]("adapter.tensorflow.graphs")
    part.tap(tf["found"]("framework.ops:_DefaultGraphStack"), "reset", before=on_reset)
    part.tap(tf["module"]("framework.ops"), "_assert_same_graph", error=on_mixed)
    part.is_set()
    tf["tell_other_graph"] = tell_other_graph


start()
