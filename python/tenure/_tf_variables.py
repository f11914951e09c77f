"""TensorFlow variables that are read before they have a value, or after they were deleted.

Runs in Tenure's private namespace; `native`, `interceptors` and `tf` (the namespace of _tensorflow.py) are given.
"""

import re
import weakref

# How TensorFlow says it, oldest first.
NAMED = re.compile(
    r"uninitialized value ([\w./-]+)|resource variable ([\w./-]+) from|Could not find variable ([\w./-]+?)\.? "
)
MISSING = re.compile(r"Resource \S+ does not exist|uninitialized|could not find variable", re.I)


class Life:
    """An eager variable's handle: the variable may be gone while a traced function still has the handle."""

    def __init__(self, frames):
        self.created = frames
        self.ended = None


lives: dict = {}  # id of a handle -> (weak reference, Life)


def on_handle(_result, args, kwargs):
    handle = args[1] if len(args) > 1 else kwargs.get("handle")
    key = id(handle)
    life = Life(tf["stack_here"]())
    lives[key] = (weakref.ref(handle, lambda _: lives.pop(key, None)), life)


def on_deleted(deleter):
    entry = lives.get(id(getattr(deleter, "_handle", None)))
    if entry is not None:
        entry[1].ended = tf["stack_here"]()


def on_execute_error(error, inputs):
    """An eager call failed: was one of its handles deleted before?"""
    if type(error).__name__ not in ("FailedPreconditionError", "NotFoundError"):
        return
    if not MISSING.search(str(error)):
        return
    for value in inputs if isinstance(inputs, (list, tuple)) else ():
        entry = lives.get(id(value))
        if entry is not None and entry[1].ended is not None:
            return tell_deleted(entry[1], error)


def tell_deleted(life, error):
    name = tf["assigned_name"](life.created)
    native["lifetime_error"](
        Kind.VARIABLE_DELETED,
        Severity.ERROR,
        sentence("tf.variable_deleted.title"),
        sentence("tf.variable_deleted.why", line=tf["line_of"](life.ended)),
        sentence("tf.variable_deleted.fix"),
        type(error).__name__,
        interceptors["text_of"](error),
        sentence("tf.variable", name=name, label="") if name else sentence("tf.variable.nameless"),
        [
            (PlaceRole.ENDED, life.ended),
            (PlaceRole.USED, tf["stack_here"]()),
            (PlaceRole.CREATED, life.created),
        ],
    )


def on_session_error(error, _traceback, args, _kwargs):
    """BaseSession._do_call(self, fn, *args) raised."""
    kind = type(error).__name__
    message = interceptors["text_of"](error)
    if kind == "FailedPreconditionError" and MISSING.search(message):
        tell_uninitialized(args[0].graph, error, message)
    elif kind in ("OutOfRangeError", "CancelledError", "AbortedError"):
        tf["tell_closed_queue"](args[0], error, message)


def tell_uninitialized(graph, error, message):
    match = NAMED.search(message)
    name = next((group for group in match.groups() if group), "") if match else ""
    born = tf["made_at"](tf["operation"](graph, name))
    places = [(PlaceRole.USED, tf["stack_here"]())]
    places += [(PlaceRole.CREATED, born)] if born else []
    native["lifetime_error"](
        Kind.VARIABLE_UNINITIALIZED,
        Severity.ERROR,
        sentence("tf.variable_uninitialized.title"),
        why_uninitialized(name, born),
        sentence("tf.variable_uninitialized.fix"),
        type(error).__name__,
        message,
        sentence("tf.variable", name=name, label=tf["label_of"](name, born)),
        places,
    )


def why_uninitialized(name, born):
    which = sentence("tf.variable.quoted", name=name) if name else sentence("tf.variable.some")
    made = tf["line_of"](born) if born else ""
    late = sentence("tf.variable_uninitialized.late", line=made) if born else ""
    return sentence("tf.variable_uninitialized.why", variable=which, late=late)


def start():
    tf["on_execute_error"] = on_execute_error
    part = interceptors["Part"]("adapter.tensorflow.variables")
    deleter = tf["found"]("ops.resource_variable_ops:EagerResourceDeleter")
    part.intercept(deleter, "__init__", after=on_handle)
    part.intercept(deleter, "__del__", before=on_deleted)
    part.is_set()
    part = interceptors["Part"]("adapter.tensorflow.session_errors")
    part.intercept(tf["found"]("client.session:BaseSession"), "_do_call", error=on_session_error)
    part.is_set()


start()
