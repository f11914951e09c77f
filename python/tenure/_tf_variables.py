"""TensorFlow variables that are read before they have a value, or after they were deleted.

Runs in Tenure's private namespace; `native`, `taps` and `tf` (the namespace of _tensorflow.py) are given.
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
    native["story"](
        "variable-deleted",
        "error",
        "a variable was deleted before this use",
        "the last reference to the variable went at %s; a traced function does not keep the variables it uses alive"
        % tf["line_of"](life.ended),
        "keep the tf.Variable as long as the function; change its value with assign() instead of binding its name "
        "to something else",
        type(error).__name__,
        taps["text_of"](error),
        ("variable `%s`" % name if name else "a variable without a name")[:160],
        [
            ("ended", life.ended),
            ("used", tf["stack_here"]()),
            ("created", life.created),
        ],
    )


def on_session_error(error, _traceback, args, _kwargs):
    """BaseSession._do_call(self, fn, *args) raised."""
    kind = type(error).__name__
    message = taps["text_of"](error)
    if kind == "FailedPreconditionError" and MISSING.search(message):
        tell_uninitialized(args[0].graph, error, message)
    elif kind in ("OutOfRangeError", "CancelledError", "AbortedError"):
        tf["tell_closed_queue"](args[0], error, message)


def tell_uninitialized(graph, error, message):
    match = NAMED.search(message)
    name = next((group for group in match.groups() if group), "") if match else ""
    born = tf["made_at"](tf["operation"](graph, name))
    places = [("used", tf["stack_here"]())] + ([("created", born)] if born else [])
    label = tf["assigned_name"](born) if born else None
    native["story"](
        "variable-uninitialized",
        "error",
        "a variable is read that never got a value in this session",
        "%s was not initialised in this session%s"
        % (
            "`%s`" % name if name else "a variable",
            ": an initialiser sets only the variables that exist when it is made; this one is made at %s"
            % tf["line_of"](born)
            if born
            else "",
        ),
        "make all variables first, then run tf.global_variables_initializer() once, before this line",
        type(error).__name__,
        message,
        ("variable `%s`%s" % (name, " (`%s`)" % label if label and label != name else ""))[:160],
        places,
    )


def start():
    tf["on_execute_error"] = on_execute_error
    part = taps["Part"]("adapter.tensorflow.variables")
    deleter = tf["found"]("ops.resource_variable_ops:EagerResourceDeleter")
    part.tap(deleter, "__init__", after=on_handle)
    part.tap(deleter, "__del__", before=on_deleted)
    part.is_set()
    part = taps["Part"]("adapter.tensorflow.session_errors")
    part.tap(tf["found"]("client.session:BaseSession"), "_do_call", error=on_session_error)
    part.is_set()


start()
