"""TensorFlow queues: who closed one that is still read, and why.

Runs in Tenure's private namespace; `native`, `taps` and `tf` (the namespace of _tensorflow.py) are given.
"""

import re
import sys
import weakref

CLOSED = re.compile(r"(\w*Queue)\w* '([^']*)' is closed")


class Closing:
    """An op that closes a queue, and its first run."""

    def __init__(self, queue):
        self.queue = queue  # the name of the queue's op
        self.ran = None
        self.reason = None  # the error that was on its way when it ran


closings: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # close op -> Closing


def on_close_made(op, args, _kwargs):
    """QueueBase.close() made an op; whoever runs it closes the queue."""
    handle = getattr(args[0], "_queue_ref", None)
    queue = getattr(getattr(handle, "op", None), "name", None)
    if queue is None:
        return
    if tf["is_symbolic"](handle):
        closings[op] = Closing(queue)
        tf["watch_runs"](on_run)


def on_run(session, fetches=None, *_args, **_kwargs):
    for op in fetches if isinstance(fetches, (list, tuple)) else (fetches,):
        try:
            closing = closings.get(op)
        except TypeError:  # cannot be a key
            continue
        if closing is not None and closing.ran is None:
            closing.ran = tf["stack_here"]()
            closing.reason = reason_now()


def reason_now():
    """(frames, words) of the error that is being handled now, or None."""
    kind, error, traceback = sys.exc_info()
    if error is None:
        return None
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames.append((code.co_filename, code.co_name, traceback.tb_lineno))
        traceback = traceback.tb_next
    return frames[-taps["MOST_FRAMES"] :], "%s: %s" % (kind.__name__, str(error)[:100])


def closing_of(queue):
    for closing in list(closings.values()):
        if closing.ran and queue.endswith(closing.queue):
            return closing
    return None


def tell_closed_queue(session, error, message):
    match = CLOSED.search(message)
    if match is None:
        return
    kind, queue = match.groups()
    name = re.sub(r"^_\d+_", "", queue)
    closing = closing_of(name)
    born = tf["made_at"](tf["operation"](session.graph, name))
    used = tf["stack_here"]()
    places = [("used", used)]
    if closing is not None:
        places.insert(0, ("ended", closing.ran))
        if closing.reason:
            places.append(("made at", closing.reason[0]))
    if born:
        places.append(("created", born))
    label = tf["assigned_name"](born)
    native["story"](
        "queue-closed",
        "error",
        "a queue was closed before this use",
        why(closing),
        fix(closing),
        type(error).__name__,
        message,
        ("%s `%s`%s" % (kind, name, " (`%s`)" % label if label and label != name else ""))[:160],
        places,
    )


def why(closing):
    if closing is None:
        return "it was closed, and fewer elements were left than were asked for"
    text = "it was closed at %s, and fewer elements were left than were asked for" % (
        tf["line_of"](closing.ran)
    )
    if closing.reason:
        text += "; it was closed because of %s, raised at %s" % (
            closing.reason[1],
            tf["line_of"](closing.reason[0]),
        )
    return text


def fix(closing):
    if closing is not None and closing.reason:
        return "handle that error where elements are put in; treat OutOfRangeError as the end of the input"
    return "treat OutOfRangeError as the end of the input, or close the queue only when all has been read"


def start():
    tf["tell_closed_queue"] = tell_closed_queue
    part = taps["Part"]("adapter.tensorflow.queues")
    part.tap(tf["found"]("ops.data_flow_ops:QueueBase"), "close", after=on_close_made)
    part.is_set()


start()
