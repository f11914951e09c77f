"""TensorFlow sessions: made where, ended where by whom, and used after that.

Runs in Tenure's private namespace; `native`, `interceptors` and `tf` (the namespace of _tensorflow.py) are given.
"""

import weakref


class Life:
    """What is known of one session. Kept beside it, never in it."""

    def __init__(self, number, frames, session):
        self.number = number
        self.session = weakref.ref(session)
        self.graph = weakref.ref(session.graph)
        self.created = frames
        self.ended = None
        self.is_with = False  # ended by leaving a with block
        self.scope = native["scope"](
            ScopeType.SESSION, sentence("tf.session.scope", number=number), frames
        )


lives: dict = {}  # id of a session -> (weak reference, Life)
made = 0


def life_of(session):
    entry = lives.get(id(session))
    return entry[1] if entry is not None else None


def on_made(_result, args, _kwargs):
    global made
    session, key = args[0], id(args[0])
    made += 1
    life = Life(made, tf["stack_here"](), session)

    def forget(_):
        entry = lives.pop(key, None)
        if entry is not None and entry[1].ended is None:
            native["scope_state"](entry[1].scope, ScopeState.DELETED, [])

    lives[key] = (weakref.ref(session, forget), life)
    tf["on_session"](session, life)


def on_closed(_result, args, _kwargs):
    life = life_of(args[0])
    if life is None or life.ended is not None:
        return
    frame = interceptors["caller"]()
    life.is_with = frame is not None and frame.f_code.co_name == "__exit__"
    life.ended = interceptors["frames_from"](frame)
    native["scope_state"](life.scope, ScopeState.CLOSED, life.ended)
    closed.append(life)
    del closed[:-20]
    tf["on_session_closed"](args[0], life)


def open_graphs():
    """Ids of the graphs of sessions that are open."""
    sessions = [reference() for reference, life in list(lives.values()) if life.ended is None]
    return {id(session.graph) for session in sessions if session is not None}


def on_run_error(error, _traceback, args, kwargs):
    session = args[0]
    if isinstance(error, RuntimeError) and getattr(session, "_closed", False):
        tell_closed(session, life_of(session), error)
    elif isinstance(error, (ValueError, TypeError, RuntimeError)):
        fetches = args[1:2] or (kwargs.get("fetches"),)
        feeds = args[2:3] or (kwargs.get("feed_dict"),)
        stranger = find_stranger(session.graph, [fetches[0], feeds[0]], 0)
        if stranger is not None:
            tf["tell_other_graph"](stranger, session.graph, error, "tf.other_graph.run")


def on_callable_error(error, _traceback, args, _kwargs):
    """A callable of make_callable without feeds goes straight to the native session, and has an error of its own."""
    session = (
        getattr(args[0], "_session", None) if not hasattr(args[0], "make_callable") else args[0]
    )
    if getattr(session, "_closed", False):
        tell_closed(session, life_of(session), error)


closed: list = []  # lives of the last sessions that were closed, newest at the end


def on_eval_error(error, _traceback, args, _kwargs):
    """_eval_using_default_session(tensors, feed_dict, graph, session): there is none. Was there one for this graph?"""
    session = args[3] if len(args) > 3 else None
    if not isinstance(error, ValueError) or session is not None or not closed:
        return
    home = tf["home_of"]("get_default_session", "framework.ops", "framework.stack")
    if home is None or home.get_default_session() is not None:
        return
    graph = args[2] if len(args) > 2 else None
    life = next((life for life in reversed(closed) if life.graph() is graph), None)
    if life is not None and life.is_with:
        tell_closed(life.session(), life, error)


def tell_closed(session, life, error):
    names = (
        interceptors["names_of"](session, interceptors["caller"]()) if session is not None else []
    )
    used = tf["stack_here"]()
    places = [(PlaceRole.USED, used)]
    if life is not None and life.ended:
        places.append((PlaceRole.ENDED, life.ended))
    if life is not None:
        places.append((PlaceRole.CREATED, life.created))
    native["lifetime_error"](
        Kind.CLOSED_SESSION,
        Severity.ERROR,
        sentence("tf.closed_session.title"),
        why_closed(life),
        sentence("tf.closed_session.fix"),
        type(error).__name__,
        interceptors["text_of"](error),
        sentence(
            "tf.closed_session.holder", name=interceptors["shown"](names, sentence("nameless"))
        ),
        places,
    )


def why_closed(life):
    if life is None or not life.ended:
        return sentence("tf.closed_session.unseen")
    if life.is_with:
        return sentence("tf.closed_session.left_block", line=tf["line_of"](life.created))
    return sentence("tf.closed_session.closed", line=tf["line_of"](life.ended))


def find_stranger(graph, value, depth):
    """A tensor or op of another graph among fetches and feeds."""
    if depth > 4:
        return None
    if isinstance(value, dict):
        value = list(value.keys()) + list(value.values())
    if isinstance(value, (list, tuple)):
        for inner in value[:1000]:
            stranger = find_stranger(graph, inner, depth + 1)
            if stranger is not None:
                return stranger
        return None
    if type(value).__module__.startswith("numpy"):
        return None
    try:
        own = getattr(value, "graph", None)
    except Exception:
        return None
    kind = tf["found"]("framework.ops:Graph")
    return value if isinstance(own, kind) and own is not graph else None


def at_end():
    """What the interpreter takes apart from now on was not ended by the program."""
    lives.clear()


def watch_runs(before):
    """From now on before(session, fetches, ...) is told of each run; until then runs cost nothing more."""
    interceptor = tf["found"]("client.session:BaseSession").__dict__["run"]
    watchers = (interceptor.watchers if "watchers" in interceptor.__dict__ else ()) + (before,)
    if before in watchers[:-1]:
        return

    def all_watchers(*args, **kwargs):
        for watcher in watchers:
            watcher(*args, **kwargs)

    interceptor.watchers = watchers
    original, _, after, error, name = interceptor.parts
    interceptor.parts = (
        original,
        before if len(watchers) == 1 else all_watchers,
        after,
        error,
        name,
    )


def start():
    base = tf["found"]("client.session:BaseSession")
    part = interceptors["Part"]("adapter.tensorflow.sessions")
    part.intercept(base, "__init__", after=on_made)
    part.intercept(base, "close", after=on_closed)
    part.intercept(base, "run", error=on_run_error)
    if part.is_set():
        tf["watch_runs"] = watch_runs
        tf["open_graphs"] = open_graphs
    part = interceptors["Part"]("adapter.tensorflow.callables")
    part.intercept(base, "_call_tf_sessionrun", error=on_callable_error)
    part.intercept(getattr(base, "_Callable", None), "__call__", error=on_callable_error)
    part.is_set()
    part = interceptors["Part"]("adapter.tensorflow.eval_errors")
    name = "_eval_using_default_session"
    home = tf["home_of"](name, "framework.ops", "framework.tensor")
    part.intercept(home, name, error=on_eval_error)
    part.is_set()


start()
