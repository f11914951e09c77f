"""Arrays that are used after their end: who deleted them or gave them away, where, and where they were made.

Runs in Tenure's private namespace; `native`, `taps` and `jax` (the namespace of _jax.py) are given.
"""

import weakref

SHOWING = ("__repr__", "__str__", "__format__")


class End:
    """How an array ended. The words of its finding depend on it."""

    def __init__(self, frames, born, how, by, fix):
        self.frames, self.born, self.how, self.by, self.fix = frames, born, how, by, fix


ended: dict = {}  # id of a deleted array -> (weak reference, End)
last: list = []  # what was told last: an error passes several taps on its way out
DELETE_FIX = "use the array before it is deleted, delete it after its last use, or keep a copy with jnp.copy()"


def before_delete(array):
    """Its own memory of where it was made goes with it, though views may keep its block."""
    jax.get("lend_to", bool)([array])
    jax.get("before_delete_of_aliases", bool)([array])
    key = id(array)
    known = ended.get(key)
    if known is not None and known[0]() is array:
        return
    frame = taps["caller"]()
    frames = taps["frames_from"](frame)
    end = End(
        frames,
        born_at(array),
        "delete() at %s ended it" % line_and_caller(frames),
        "deleted " + by_whom(frame, frames),
        DELETE_FIX,
    )
    ended[key] = (weakref.ref(array, lambda _: ended.pop(key, None)), end)


def by_whom(frame, frames):
    """ "in Pool.release()", or the line where that is no function."""
    user = next(taps["user_frames"](frame), frame)
    name = jax["qualified"](user)
    return "at " + taps["line_of"](frames) if name.startswith("<") else "in %s()" % name


def born_at(array):
    try:
        return jax["places_in"](array.traceback)
    except Exception:
        return []


def line_and_caller(frames):
    """ "pool.py:16, called from serve.py:27" """
    users = [place for place in frames if not taps["is_library"](place[0])]
    text = taps["line_of"](frames)
    if len(users) > 1 and users[-2][2] != users[-1][2]:
        text += ", called from " + taps["line_of"](users[-2:-1])
    return text


def end_of(array):
    """Its End, or None where nobody saw it."""
    known = ended.get(id(array))
    if known is not None and known[0]() is array:
        return known[1]
    return jax.get("donation_of", bool)(array) or None


def on_error(error, _traceback, args, _kwargs):
    """A method of an array raised."""
    array = args[0]
    if isinstance(error, RuntimeError) and array.is_deleted():
        tell_deleted(array, error)


def on_error_of_many(error, _traceback, args, _kwargs):
    """jax.block_until_ready(tree)"""
    if isinstance(error, RuntimeError) and "deleted" in taps["text_of"](error):
        for array in jax["leaves_of"](args):
            if array.is_deleted():
                return tell_deleted(array, error)


def is_shown_by_library(frames):
    """A library that writes an array down, as debuggers and loggers do, does not compute with it."""
    user = taps["users"](frames)
    later = frames[frames.index(user) + 1 :] if user in frames else frames
    return any(
        place[1].rpartition(".")[2] in SHOWING and i > 0 and not is_of_jax(later[i - 1][0])
        for i, place in enumerate(later)
    )


def is_of_jax(file):
    return "/jax/" in file or "/jaxlib/" in file


def tell_deleted(array, error):
    frame = taps["caller"]()
    used = taps["frames_from"](frame)
    key = [id(array), taps["users"](used)]
    if last == key:
        return
    last[:] = key
    end = end_of(array)
    born = born_at(array) or (end.born if end else [])
    is_sure = taps["users"](used) is not None and not is_shown_by_library(used)
    places = [("used", used)]
    places += [("ended", end.frames)] if end else []
    places += [("created", born)] if taps["users"](born) else []
    name = taps["shown"](jax["names_of"](array, frame), "an array")
    native["story"](
        "deleted-array",
        "error" if is_sure else "warning",
        "an array is used after its memory was %s" % (end.by if end else "taken away"),
        "this %s%s; %s"
        % (
            jax["type_in_words"](array),
            " was made at " + taps["line_of"](born) if taps["users"](born) else "",
            end.how if end else "where it was deleted or donated was not seen",
        ),
        end.fix if end else "",
        type(error).__name__,
        taps["text_of"](error),
        ("%s%s" % (name, ", " + end.by if end else ""))[:160],
        places,
    )


def start():
    jax["End"] = End
    kind = jax["array_type"]()
    part = taps["Part"]("adapter.jax.deleted_arrays")
    part.tap(kind, "delete", before=before_delete)
    part.tap(kind, "_check_if_deleted", error=on_error)
    part.is_set()
    part = taps["Part"]("adapter.jax.waits")
    part.tap(kind, "block_until_ready", error=on_error)
    part.tap(taps["found"]("jax"), "block_until_ready", error=on_error_of_many)
    part.is_set()


start()
