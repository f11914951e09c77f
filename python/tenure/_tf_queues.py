"""TensorFlow queues: who closed one that is still read, and why; who waits for one that nobody can fill.

Runs in Tenure's private namespace; `native`, `taps` and `tf` (the namespace of _tensorflow.py) are given.
"""

import re
import sys
import threading
import weakref

CLOSED = re.compile(r"(\w*Queue)\w* '([^']*)' is closed")


class Closing:
    """An op that closes a queue, and its first run."""

    def __init__(self, queue, made=None):
        self.queue = queue  # the name of the queue's op
        self.made = made
        self.ran = None
        self.reason = None  # the error that was on its way when it ran

    def place(self):
        """A queue runner's thread has no line of the user's: then the line that asked for the runner."""
        return self.ran if self.is_users() or not self.made else self.made

    def is_users(self):
        return taps["users"](self.ran) is not None


closings: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # close op -> Closing


def on_close_made(op, args, _kwargs):
    """QueueBase.close() made an op; whoever runs it closes the queue."""
    handle = getattr(args[0], "_queue_ref", None)
    if not tf["is_symbolic"](handle):
        return close_now(args[0])
    queue = getattr(handle.op, "name", None)
    if queue is not None:
        closings[op] = Closing(queue, tf["stack_here"]())
        tf["watch_runs"](on_run)


def on_run(session, fetches=None, *_args, **_kwargs):
    for op in fetches if isinstance(fetches, (list, tuple)) else (fetches,):
        try:
            closing = closings.get(op)
        except TypeError:  # cannot be a key
            continue
        if closing is not None and closing.ran is None:
            closing.ran = tf["stack_here"]()
            closing.reason = reason_now(session)


def reason_now(session=None):
    """(frames, words) of the error that is being handled now, or None."""
    kind, error, traceback = sys.exc_info()
    if error is None:
        return None
    frames = taps["places_in"](taps["raised_through"](traceback))
    frames = frames[-taps["MOST_FRAMES"] :]
    if session is not None and taps["users"](frames) is None:
        frames = source_of(session, error) or frames
    return frames, "%s: %s" % (kind.__name__, str(error)[:100].strip())


def source_of(session, error):
    """Where the queue was made that was empty, or the op that failed; for errors of threads without the user's lines."""
    match = CLOSED.search(taps["text_of"](error))
    if match is not None:
        return tf["made_at"](tf["operation"](session.graph, without_number(match.group(2))))
    return tf["made_at"](getattr(error, "op", None))


def without_number(queue):
    return re.sub(r"^_\d+_", "", queue)


def closing_of(queue):
    for closing in list(closings.values()):
        if closing.ran and queue.endswith(closing.queue):
            return closing
    return None


def tell_closed_queue(session, error, message):
    """A run failed: was it for a queue that is closed?"""
    match = CLOSED.search(message)
    if match is None:
        return
    kind, queue = match.groups()
    name = without_number(queue)
    born = tf["made_at"](tf["operation"](session.graph, name))
    label = tf["assigned_name"](born)
    holder = "%s `%s`%s" % (kind, name, " (`%s`)" % label if label and label != name else "")
    tell(closing_of(name), error, message, holder, born)


def tell(closing, error, message, holder, born):
    places = [("used", tf["stack_here"]())]
    if closing is not None:
        places.insert(0, ("ended", closing.place()))
        if closing.reason:
            places.append(("made at", closing.reason[0]))
    if born:
        places.append(("created", born))
    story = (
        "a queue was closed before this use",
        why(closing),
        fix(closing),
        type(error).__name__,
        message,
        holder[:160],
        places,
    )
    if closing is not None and closing.reason and "OutOfRange" not in closing.reason[1]:
        native["story"]("queue-closed", "error", *story)
    elif len(ends_of_input) < 20:
        ends_of_input.append((weakref.ref(error), story))


# --- queues outside of graphs: each call is done at once ---

born_queues: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # queue -> frames
closed_queues: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # queue -> Closing


def on_queue_made(_result, args, _kwargs):
    if not tf["is_symbolic"](getattr(args[0], "_queue_ref", None)):
        born_queues[args[0]] = tf["stack_here"]()


def close_now(queue):
    closing = Closing(None)
    closing.ran, closing.reason = tf["stack_here"](), reason_now()
    closed_queues.setdefault(queue, closing)


def on_dequeue_failed(error, _traceback, args, _kwargs):
    message = taps["text_of"](error)
    match = CLOSED.search(message)
    if match is None or args[0] not in closed_queues:
        return
    names = taps["names_of"](args[0], taps["caller"]())
    holder = "%s %s" % (match.group(1), taps["shown"](names, "without a name"))
    tell(closed_queues[args[0]], error, message, holder, born_queues.get(args[0]))


ends_of_input: list = []  # [(weak reference to the error, story), ...]: the usual end of a queue, if it is caught


def at_end():
    """An OutOfRangeError that the program died of was not the end of input it waited for."""
    fatal, error = [], getattr(sys, "last_value", None)
    while error is not None and len(fatal) < 20:
        fatal.append(error)
        error = error.__cause__ or error.__context__
    for reference, story in ends_of_input:
        if any(reference() is error for error in fatal):
            native["story"]("queue-closed", "error", *story)


def why(closing):
    if closing is None:
        return "it was closed, and fewer elements were left than were asked for"
    text = "%s %s, and fewer elements were left than were asked for" % (
        "it was closed at" if closing.is_users() else "it was closed by the queue runner made at",
        tf["line_of"](closing.place()),
    )
    if closing.reason:
        text += "; it was closed because of %s, %s %s" % (
            closing.reason[1],
            "raised at" if closing.is_users() else "which comes from",
            tf["line_of"](closing.reason[0]),
        )
    return text


def fix(closing):
    if closing is not None and closing.reason:
        return "handle that error where elements are put in; treat OutOfRangeError as the end of the input"
    return "treat OutOfRangeError as the end of the input, or close the queue only when all has been read"


# --- runs that wait for an element ---

has_readers = False  # some dequeue op was made
needs: dict = {}  # ops of a run, by id -> (dequeue op or None, enqueue op or None) among all they need
filled: set = set()  # names of queues into which something was put
waits: dict = {}  # the user's line -> scope
waiting: dict = {}  # thread -> (scope, needs) of its run


def on_dequeue_made(_result, _args, _kwargs):
    global has_readers
    has_readers = True


def needs_of(ops):
    key = tuple(id(op) for op in ops)
    if key not in needs:
        if len(needs) > 500:
            needs.clear()
        needs[key] = look_up(list(ops))
    return needs[key]


def look_up(todo):
    reads = fills = None
    seen = set()
    while todo and len(seen) < 20000:
        op = todo.pop()
        if id(op) in seen:
            continue
        seen.add(id(op))
        if op.type.startswith("QueueDequeue"):
            reads = op
        elif op.type.startswith("QueueEnqueue"):
            fills = op
        todo.extend(tensor.op for tensor in op.inputs)
        todo.extend(op.control_inputs)
    return reads, fills


def on_run_begins(session, _handle, targets, fetches, *_args, **_kwargs):
    """BaseSession._do_run(self, handle, target_list, fetch_list, ...)"""
    if not has_readers:
        return
    reads, fills = needs_of([getattr(wanted, "op", wanted) for wanted in targets + fetches])
    scope = 0
    if reads is not None:
        frames = tf["stack_here"]()
        place = taps["users"](frames)
        if place not in waits:
            waits[place] = native["scope"]("wait", "`%s`" % queue_name(reads), frames)
        scope = waits[place]
        native["scope_state"](scope, state_of(reads), tf["made_at"](reads))
    waiting[threading.get_ident()] = (scope, fills)


def queue_name(op):
    return op.inputs[0].op.name


def state_of(reads):
    words = "waiting for an element"
    if queue_name(reads) not in filled:
        words += ": no run has put anything into the queue yet"
    if threading.active_count() == 1:
        words += ", and no other Python thread is there that could"
    return words


def on_run_returned(_result, _args, _kwargs):
    scope, fills = waiting.pop(threading.get_ident(), (0, None))
    if fills is not None:
        filled.add(queue_name(fills))
    if scope:
        native["scope_state"](scope, "served", [])


def on_run_failed(_error, _traceback, _args, _kwargs):
    scope, _ = waiting.pop(threading.get_ident(), (0, None))
    if scope:
        native["scope_state"](scope, "gave up", [])


def start():
    waits_part = taps["Part"]("adapter.tensorflow.queue_waits")
    queue = tf["found"]("ops.data_flow_ops:QueueBase")
    for name in ("dequeue", "dequeue_many", "dequeue_up_to"):
        waits_part.tap(queue, name, after=on_dequeue_made, error=on_dequeue_failed)
    waits_part.tap(
        tf["found"]("client.session:BaseSession"),
        "_do_run",
        before=on_run_begins,
        after=on_run_returned,
        error=on_run_failed,
    )
    waits_part.is_set()
    tf["tell_closed_queue"] = tell_closed_queue
    part = taps["Part"]("adapter.tensorflow.queues")
    part.tap(queue, "__init__", after=on_queue_made)
    part.tap(queue, "close", after=on_close_made)
    part.is_set()


start()
