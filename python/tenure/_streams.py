"""Python's own streams: who detached or closed one that is still written to or read from.

The methods of the built-in types tell us themselves (native["watch_method"]): nothing about them looks different.
What no method tells, as a loop over a closed file, is told when the program dies of it.
Runs in Tenure's private namespace; `native`, `load` and `interceptors` are given.
"""

import _io
import sys
from _weakref import ref

ENDS = ("detach", "close")
WRITES = ("write", "writelines")
USES = (
    "flush",
    "read",
    "readline",
    "readlines",
    "read1",
    "readinto",
    "seek",
    "truncate",
    "getvalue",
)
TYPES = (
    *("TextIOWrapper", "BufferedWriter", "BufferedReader", "BufferedRandom", "FileIO"),
    *("StringIO", "BytesIO", "_IOBase"),
)
CLOSERS = (
    "close",
    "_fpclose",
    "__exit__",
    "__del__",
)  # methods by which a library closes its own stream
# Reads the file of a module by a variable of its own, and is done with it: nobody can use it again. An import of a large
# library does so some thousand times, below long stacks.
IMPORTING = "<frozen importlib"
MOST_OWNERS = 4
NEAREST_PARTS, MOST_PARTS = 20, 500  # of an object that are looked at for a stream that was ended
NOT_PARTS = (
    *(interceptors["Module"], interceptors["Function"], type(sys._getframe())),  # type: ignore[name-defined]
    *(type, str, bytes, int, float),
)
ended: dict = {}  # id of a stream, or of a library's object around it -> (weak reference, frames of its end)
told: list = []  # (id, message) of the last error that was told


def on_end(stream):
    if id(stream) in ended:
        return
    frame = interceptors["caller"]()
    if frame is None or frame.f_code.co_filename.startswith(IMPORTING):
        return
    frames = interceptors["frames_from"](frame)
    remember(stream, frames)
    for owner in owners_from(frame):
        remember(owner, frames)


def remember(thing, frames):
    key = id(thing)
    try:
        ended[key] = (ref(thing, lambda _: ended.pop(key, None)), frames)
    except TypeError:  # it cannot be referred to weakly
        pass


def owners_from(frame):
    """The objects of a library whose close() closes the stream: a gzip file, an archive."""
    owners = []
    while frame is not None and len(owners) < MOST_OWNERS:
        code = frame.f_code
        if code.co_name not in CLOSERS or not interceptors["is_library"](code.co_filename):
            break
        owner = interceptors["peek"](frame).get("self")
        if owner is not None:
            owners.append(owner)
        frame = frame.f_back
    return owners


def what_happened(message):
    """The kind of error by the interpreter's own message, or None."""
    if "detached" in message:
        return Kind.DETACHED_BUFFER
    if any(words in message for words in ("closed file", "closed stream", "mmap closed")):
        return Kind.CLOSED_FILE
    if "already closed" in message or "closed GzipFile" in message:
        return Kind.CLOSED_FILE
    return None


def end_of(stream):
    """Frames of its end, or of the end of what it stands on; or None."""
    known = known_end(stream)
    return ended[id(known)][1] if known is not None else None


def known_end(thing, most=MOST_PARTS, type_name=""):
    """What was ended among the thing and what it is made of, the nearest first; or None. No code of the program runs."""
    import gc

    waiting, seen = [thing], {id(thing): thing}
    while waiting:
        part = waiting.pop(0)
        if id(part) in ended and type_name in ("", type(part).__name__):
            return part
        if len(seen) > most or isinstance(part, NOT_PARTS):
            continue
        for inner in gc.get_referents(part):
            if id(inner) not in seen and not isinstance(inner, NOT_PARTS):
                seen[id(inner)] = inner
                waiting.append(inner)
    return None


def standard_name(stream):
    for name in ("stdin", "stdout", "stderr"):
        if stream is getattr(sys, "__%s__" % name, None):
            return sentence("streams.standard", stream="sys." + name)
    name = getattr(stream, "name", None)
    is_known = name and isinstance(name, (str, bytes))
    return sentence("streams.of_file", file=repr(name)) if is_known else None


def safe_name(stream):
    try:
        return standard_name(stream)
    except Exception:  # a detached stream cannot tell its name
        return None


def holder_of(stream, frame):
    names = interceptors["names_of"](stream, frame) or interceptors["far_names_of"](stream, frame)
    names = names or keeper_of(stream, frame) or name_of_block(end_of(stream))
    return in_words(names, stream)


def in_words(names, stream):
    known = safe_name(stream)
    if not names:
        return known or type(stream).__name__
    named = sentence("streams.named", name=interceptors["shown"](names, ""))
    return sentence("streams.named_and_known", named=named, known=known) if known else named


def keeper_of(stream, frame):
    """A library's object that uses the stream, as a handler of `logging` does."""
    owner = None if frame is None else interceptors["peek"](frame).get("self")
    way = None if owner is None or owner is stream else interceptors["way_to"](owner, stream)
    return ["`%s` of %s" % (way[1:], type(owner).__name__)] if way else []


def on_use_error(stream, error):
    on_error(stream, error, False)


def on_write_error(stream, error):
    on_error(stream, error, True)


def on_error(stream, error, is_write):
    """What a library writes for the program and cannot is lost, even if the library hides the error."""
    what = what_happened(interceptors["text_of"](error))
    frame = interceptors["caller"]()
    if what is None or frame is None:
        return
    used = interceptors["frames_from"](frame)
    user = interceptors["users"](used)
    if user is None and not is_write:
        return  # a library that tidies up
    is_users = user is not None and (used[-1] == user or is_write)
    severity = Severity.ERROR if is_users else Severity.WARNING
    tell(what, severity, stream, error, holder_of(stream, frame), used, end_of(stream))


def tell(kind, severity, stream, error, holder, used, end):
    message = interceptors["text_of"](error)
    told[:] = [(id(error), message)]
    what = "streams.detached" if kind == Kind.DETACHED_BUFFER else "streams.closed"
    at = sentence("at", line=interceptors["line_of"](end)) if end else ""
    native["lifetime_error"](
        kind,
        severity,
        sentence(what + ".title"),
        sentence(what + ".why", type=type(stream).__name__, at=at),
        sentence(what + ".fix"),
        type(error).__name__,
        message,
        holder,
        [(PlaceRole.USED, used)] + ([(PlaceRole.ENDED, end)] if end else []),
    )


def at_end():
    """The error the program dies of, if it is one of a stream that no method told of."""
    error = getattr(sys, "last_value", None)
    if not isinstance(error, (ValueError, AttributeError)):
        return
    what, message = what_happened(interceptors["text_of"](error)), interceptors["text_of"](error)
    is_of_owner = isinstance(error, AttributeError) and "'NoneType'" in message
    if (id(error), message) in told or (what is None and not is_of_owner):
        return
    frames = interceptors["raised_through"](sys.last_traceback)
    stream = ended_in(frames, is_of_owner, "mmap" if "mmap" in message else "")
    if stream is None and what is not None:
        stream = raising_object(frames)
    if stream is None:
        return
    used = interceptors["places_in"](frames)
    holder = name_in(frames, stream)
    kind = what or Kind.CLOSED_FILE
    tell(kind, Severity.ERROR, stream, error, holder, used, end_of(stream))


def ended_in(frames, is_of_owner, type_name):
    """What was ended and is used by the innermost of these frames, down to the first of the user's own."""
    for frame, _ in reversed(frames):
        known = interceptors["peek"](frame)
        values = [known.get("self")] if is_of_owner else list(known.values())
        for most in (NEAREST_PARTS, MOST_PARTS):
            found = [known_end(v, 0 if is_of_owner else most, type_name) for v in values]
            found = [stream for stream in found if stream is not None]
            if found:
                return found[-1]
        if not interceptors["is_library"](frame.f_code.co_filename):
            return None
    return None


def raising_object(frames):
    """The object of a library that says so itself, as an archive does whose end was not seen; or None."""
    frame = frames[-1][0] if frames else None
    is_of_library = frame is not None and interceptors["is_library"](frame.f_code.co_filename)
    return interceptors["peek"](frame).get("self") if is_of_library else None


def name_in(frames, stream):
    names = names_in(frames, stream) or name_of_block(end_of(stream))
    return in_words(names, stream)


def names_in(frames, stream):
    names = []
    for frame, _ in reversed(frames):
        if interceptors["is_library"](frame.f_code.co_filename):
            continue
        for name, value in interceptors["peek"](frame).items():
            way = None if name.startswith(".") else interceptors["way_to"](value, stream)
            if way is not None:
                text = "`%s%s`" % (name, way)
                names.append(text + " of " + type(value).__name__ if name == "self" else text)
    return list(dict.fromkeys(names))[:2]


def name_of_block(end):
    """`f` for a stream that the end of "with open(path) as f:" closed, when nothing has that name any more."""
    place = interceptors["users"](end) if end else None
    name = load("_statements")["block_name"](place[0], place[2]) if place else None
    return ["`%s` of %s()" % (name, place[1])] if name else []


def watch(owner):
    """How many methods of this type tell of themselves from now on."""
    watched, methods = 0, vars(owner)
    for name in ENDS + WRITES + USES:
        if name in methods:
            end = on_end if name in ENDS else None
            error = on_write_error if name in WRITES else on_use_error
            watched += native["watch_method"](methods[name], name, end, error)
    return watched


def start():
    watched = sum(watch(getattr(_io, name)) for name in TYPES if hasattr(_io, name))
    native["fact"]("adapter.streams", "on" if watched else "off: no method looks as expected")


start()
