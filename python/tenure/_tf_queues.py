"""TensorFlow queues: who closed one that is still read, and why; who waits for one that nobody can fill.

Runs in Tenure's private namespace; `native`, `interceptors` and `tf` (the namespace of _tensorflow.py) are given.
"""

import re
import sys
import threading
import weakref

CLOSED = re.compile(r"(\w*Queue)\w* '([^']*)' is closed")


class Reason:
    """The error that was on its way when a queue was closed."""

    def __init__(self, frames, error_type, error):
        self.frames = frames
        self.error = "%s: %s" % (error_type, str(error)[:100].strip())
        self.is_end_of_input = "OutOfRange" in self.error  # the type, or what another quotes of it


class Closing:
    """An op that closes a queue, and its first run."""

    def __init__(self, queue, made=None):
        self.queue = queue  # the name of the queue's op
        self.made = made
        self.ran = None
        self.reason = None  # the Reason for which it ran, if that is known

    def place(self):
        """A queue runner's thread has no line of the user's: then the line that asked for the runner."""
        return self.ran if self.is_users() or not self.made else self.made

    def is_users(self):
        return interceptors["users"](self.ran) is not None


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
    """The Reason that the error is which is being handled now, or None."""
    kind, error, traceback = sys.exc_info()
    if error is None:
        return None
    frames = interceptors["places_in"](interceptors["raised_through"](traceback))
    frames = frames[-interceptors["MOST_FRAMES"] :]
    if session is not None and interceptors["users"](frames) is None:
        frames = source_of(session, error) or frames
    return Reason(frames, kind.__name__, error)


def source_of(session, error):
    """Where the queue was made that was empty, or the op that failed; for errors of threads without the user's lines."""
    match = CLOSED.search(interceptors["text_of"](error))
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
    holder = sentence("tf.queue", type=kind, name=name, label=tf["label_of"](name, born))
    tell(closing_of(name), error, message, holder, born)


def tell(closing, error, message, holder, born):
    places = [(PlaceRole.USED, tf["stack_here"]())]
    if closing is not None:
        places.insert(0, (PlaceRole.ENDED, closing.place()))
        if closing.reason:
            places.append((PlaceRole.MADE_AT, closing.reason.frames))
    if born:
        places.append((PlaceRole.CREATED, born))
    has_reason = closing is not None and closing.reason is not None
    told = (
        sentence("tf.queue_closed.title"),
        why(closing),
        sentence("tf.queue_closed.fix_reason" if has_reason else "tf.queue_closed.fix"),
        type(error).__name__,
        message,
        holder,
        places,
    )
    if has_reason and not closing.reason.is_end_of_input:
        native["lifetime_error"](Kind.QUEUE_CLOSED, Severity.ERROR, *told)
    elif len(ends_of_input) < 20:
        ends_of_input.append((weakref.ref(error), told))


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
    message = interceptors["text_of"](error)
    match = CLOSED.search(message)
    if match is None or args[0] not in closed_queues:
        return
    names = interceptors["names_of"](args[0], interceptors["caller"]())
    name = interceptors["shown"](names, sentence("nameless"))
    holder = sentence("tf.eager_queue", type=match.group(1), name=name)
    tell(closed_queues[args[0]], error, message, holder, born_queues.get(args[0]))


ends_of_input: list = []  # [(weak reference to the error, what to tell), ...]: the usual end of a queue, if it is caught


def at_end():
    """An OutOfRangeError that the program died of was not the end of input it waited for."""
    fatal, error = [], getattr(sys, "last_value", None)
    while error is not None and len(fatal) < 20:
        fatal.append(error)
        error = error.__cause__ or error.__context__
    for reference, told in ends_of_input:
        if any(reference() is error for error in fatal):
            native["lifetime_error"](Kind.QUEUE_CLOSED, Severity.ERROR, *told)


def why(closing):
    if closing is None:
        return sentence("tf.queue_closed.unseen")
    who = "by_user" if closing.is_users() else "by_runner"
    reason = closing.reason
    because = reason and sentence(
        "tf.queue_closed.%s.because" % who, error=reason.error, line=tf["line_of"](reason.frames)
    )
    line = tf["line_of"](closing.place())
    return sentence("tf.queue_closed.%s.why" % who, line=line, because=because or "")


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
        place = interceptors["users"](frames)
        if place not in waits:
            waits[place] = native["scope"](ScopeType.WAIT, "`%s`" % queue_name(reads), frames)
        scope = waits[place]
        native["scope_state"](scope, state_of(reads), tf["made_at"](reads))
    waiting[threading.get_ident()] = (scope, fills)


def queue_name(op):
    return op.inputs[0].op.name


def state_of(reads):
    """A sentence whose code is that of the state."""
    is_unfilled = queue_name(reads) not in filled
    is_alone = threading.active_count() == 1
    return sentence(
        ScopeState.WAITING,
        unfilled=sentence("tf.wait.unfilled") if is_unfilled else "",
        alone=sentence("tf.wait.alone") if is_alone else "",
    )


def on_run_returned(_result, _args, _kwargs):
    scope, fills = waiting.pop(threading.get_ident(), (0, None))
    if fills is not None:
        filled.add(queue_name(fills))
    if scope:
        native["scope_state"](scope, ScopeState.SERVED, [])


def on_run_failed(_error, _traceback, _args, _kwargs):
    scope, _ = waiting.pop(threading.get_ident(), (0, None))
    if scope:
        native["scope_state"](scope, ScopeState.GAVE_UP, [])


def start():
    waits_part = interceptors["Part"]("adapter.tensorflow.queue_waits")
    queue = tf["found"]("ops.data_flow_ops:QueueBase")
    for name in ("dequeue", "dequeue_many", "dequeue_up_to"):
        waits_part.intercept(queue, name, after=on_dequeue_made, error=on_dequeue_failed)
    waits_part.intercept(
        tf["found"]("client.session:BaseSession"),
        "_do_run",
        before=on_run_begins,
        after=on_run_returned,
        error=on_run_failed,
    )
    waits_part.is_set()
    tf["tell_closed_queue"] = tell_closed_queue
    part = interceptors["Part"]("adapter.tensorflow.queues")
    part.intercept(queue, "__init__", after=on_queue_made)
    part.intercept(queue, "close", after=on_close_made)
    part.is_set()


start()
