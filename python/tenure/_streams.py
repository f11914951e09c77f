"""Python's own streams: who detached or closed one that is still written to or read from.

The methods of the built-in types tell us themselves (native["watch_method"]): nothing about them looks different.
Runs in Tenure's private namespace; `native` and `taps` are given.
"""

import _io
import weakref

ENDS = ("detach", "close")
USES = ("write", "flush", "read", "readline", "read1", "readinto", "seek", "truncate", "getvalue")
TYPES = ("TextIOWrapper", "BufferedWriter", "BufferedReader", "FileIO", "StringIO", "BytesIO")
ended: dict = {}  # id of a stream -> (weak reference, frames of its end)


def on_end(stream):
    key = id(stream)
    if key in ended:
        return
    frames = taps["frames_from"](taps["caller"]())
    if frames:
        ended[key] = (weakref.ref(stream, lambda _: ended.pop(key, None)), frames)


def what_happened(message):
    """(kind, the stream's state in words) by the interpreter's own message, or None."""
    if "detached" in message:
        return "detached-buffer", "detached"
    if "closed file" in message or "closed stream" in message:
        return "closed-file", "closed"
    return None


def standard_name(stream):
    import sys

    for name in ("stdin", "stdout", "stderr"):
        if stream is getattr(sys, "__%s__" % name, None):
            return "the first sys.%s" % name
    return getattr(stream, "name", None) and "the stream of %r" % (stream.name,)


def safe_name(stream):
    try:
        return standard_name(stream)
    except Exception:  # a detached stream cannot tell its name
        return None


def on_error(stream, error):
    message = taps["text_of"](error)
    what = what_happened(message)
    frame = taps["caller"]()
    if what is None or frame is None:
        return
    kind, state = what
    used = taps["frames_from"](frame)
    _, end = ended.get(id(stream), (None, None))
    user = taps["users"](used)
    is_users = user is not None and used[-1] == user
    names = taps["names_of"](stream, frame)
    who = " and ".join(names + [n for n in [safe_name(stream)] if n])
    native["story"](
        kind,
        "error" if is_users else "warning",
        "a stream was %s before this use" % state,
        why_of(kind, type(stream).__name__, end),
        fix_of(kind),
        type(error).__name__,
        message,
        ("stream %s" % who if who else type(stream).__name__)[:160],
        [("used", used)] + ([("ended", end)] if end else []),
    )


def why_of(kind, name, end):
    where = "" if not end else " at %s:%d" % (end[-1][0].rpartition("/")[2], end[-1][2])
    if kind == "detached-buffer":
        return (
            "detach()%s took the buffer away from this %s; whoever keeps the old wrapper can no longer use it"
            % (where, name)
        )
    return "this %s was closed%s, and it is used once more" % (name, where)


def fix_of(kind):
    if kind == "detached-buffer":
        return (
            "look the stream up when it is used instead of keeping the old one, or change it in place with "
            "reconfigure(encoding=...) instead of detach()"
        )
    return "use it before it is closed, or open it again for this use"


def start():
    watched = 0
    for owner in TYPES:
        methods = vars(getattr(_io, owner, object))
        for name in ENDS + USES:
            if name in methods:
                end = on_end if name in ENDS else None
                watched += native["watch_method"](methods[name], name, end, on_error)
    native["fact"]("adapter.streams", "on" if watched else "off: no method looks as expected")


start()
