"""Caches of TensorFlow that keep an entry for each call: py_function's.

Runs in Tenure's private namespace; `native`, `interceptors`, `causes` and `tf` (the namespace of _tensorflow.py) are given.
"""

cache_causes: dict = {}
cache_sizes: dict = {}


def on_py_function(_result, _args, _kwargs):
    """An eager call of py_function leaves an entry in one of these."""
    if not tf["found"]("eager.context:executing_eagerly")():
        return
    graph = tf["found"]("framework.ops:get_default_graph")()
    kept = {
        "tape_cache": tf["found"]("ops.script_ops:tape_cache"),
        "_py_funcs_used_in_graph": getattr(graph, "_py_funcs_used_in_graph", None),
    }
    for name, cache in kept.items():
        size = len(cache) if cache is not None else 0
        has_grown = size > cache_sizes.get(name, 0)
        cache_sizes[name] = size
        if has_grown and size > 2:
            if name not in cache_causes:
                cache_causes[name] = cache_cause(name)
            return cache_causes[name].occurred(
                tf["stack_here"](), CauseRank.RESPONSIBLE_WITH_CALLEES
            )


def cache_cause(name):
    return causes["Cause"](
        Kind.CACHE_GROWTH,
        sentence("tf.py_function.%s.holder" % name.strip("_")),
        sentence("tf.py_function.why"),
        sentence("tf.py_function.fix"),
        variable=name,
    )


def start():
    part = interceptors["Part"]("adapter.tensorflow.py_function")
    part.intercept(tf["module"]("ops.script_ops"), "_internal_py_func", after=on_py_function)
    part.is_set()


start()
