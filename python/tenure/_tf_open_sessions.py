"""TensorFlow sessions that pile up unclosed.

Runs in Tenure's private namespace; `native`, `taps`, `causes` and `tf` (the namespace of _tensorflow.py) are given.
"""

piles: dict = {}  # (file, line) of the user's that made them -> Pile
blamed: dict = {}  # id of a session of a pile that grows -> Cause


def pile_of(life):
    place = taps["users"](life.created)
    return piles.setdefault((place[0], place[2]), causes["Pile"]()) if place is not None else None


def on_session(session, life):
    """A session was made: are there now more open ones of its line than ever?"""
    pile = pile_of(life)
    if pile is None:
        return
    pile.add(session)
    if not pile.is_higher():
        return
    if pile.cause is None:
        pile.blame(session_cause(session, life))
        tf["watch_runs"](on_run)
    pile.cause.occurred(life.created)
    blamed[id(session)] = pile.cause
    taps["when_gone"](session, blamed.pop, id(session), None)
    for line in tf["lines_of"](session.graph) or ():
        pile.cause.occurred([line], "1")


def on_session_closed(session, life):
    pile = pile_of(life)
    if pile is not None:
        pile.remove(session)


def on_run(session, *_args, **_kwargs):
    """What a run makes the session keeps until it is closed."""
    cause = blamed.get(id(session))
    if cause is not None:
        cause.occurred(tf["stack_here"](), "1")


def session_cause(session, life):
    is_interactive = type(session).__name__ == "InteractiveSession"
    return causes["Cause"](
        "session-unclosed",
        "the default session stack: an InteractiveSession stays on it until close()"
        if is_interactive
        else "sessions made at %s that were never closed" % tf["line_of"](life.created),
        "each session keeps its variables and its copy of the graph until it is closed; these are never closed",
        "call close() on each InteractiveSession, or use `with tf.Session() as sess:` instead"
        if is_interactive
        else "close each session, or use `with tf.Session() as sess:`",
    )


def start():
    tf["on_session"] = on_session
    tf["on_session_closed"] = on_session_closed


start()
