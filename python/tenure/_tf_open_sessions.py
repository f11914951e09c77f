"""TensorFlow sessions that pile up unclosed.

Runs in Tenure's private namespace; `native`, `interceptors`, `causes` and `tf` (the namespace of _tensorflow.py) are given.
"""

piles: dict = {}  # (file, line) of the user's that made them -> Pile
blamed: dict = {}  # id of a session of a pile that grows -> Cause


def pile_of(life):
    place = interceptors["users"](life.created)
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
    interceptors["when_gone"](session, blamed.pop, id(session), None)
    for line in tf["lines_of"](session.graph) or ():
        pile.cause.occurred([line], CauseRank.AFFECTED)


def on_session_closed(session, life):
    pile = pile_of(life)
    if pile is not None:
        pile.remove(session)


def on_run(session, *_args, **_kwargs):
    """What a run makes the session keeps until it is closed."""
    cause = blamed.get(id(session))
    if cause is not None:
        cause.occurred(tf["stack_here"](), CauseRank.AFFECTED)


def session_cause(session, life):
    is_interactive = type(session).__name__ == "InteractiveSession"
    what = "tf.interactive_sessions" if is_interactive else "tf.sessions"
    return causes["Cause"](
        Kind.SESSION_UNCLOSED,
        sentence(what + ".holder", line=tf["line_of"](life.created)),
        sentence("tf.sessions.why"),
        sentence(what + ".fix"),
    )


def start():
    tf["on_session"] = on_session
    tf["on_session_closed"] = on_session_closed


start()
