"""Arrays that are used after their end: who deleted them or gave them away, where, and where they were made.

Runs in Tenure's private namespace; `native`, `interceptors` and `jax` (the namespace of _jax.py) are given.
"""

import weakref

SHOWING = ("__repr__", "__str__", "__format__")


class End:
    """How an array ended. The words of its finding depend on it."""

    def __init__(self, frames, born, how, by, fix):
        self.frames, self.born, self.how, self.by, self.fix = frames, born, how, by, fix


ended: dict = {}  # id of a deleted array -> (weak reference, End)
last: list = []  # what was told last: an error passes several interceptors on its way out


def before_delete(array):
    """Its own memory of where it was made goes with it, though views may keep its block."""
    jax.get("lend_to", bool)([array])
    jax.get("before_delete_of_aliases", bool)([array])
    key = id(array)
    known = ended.get(key)
    if known is not None and known[0]() is array:
        return
    frame = interceptors["caller"]()
    frames = interceptors["frames_from"](frame)
    end = End(
        frames,
        born_at(array),
        sentence("jax.deleted.how", line=line_and_caller(frames)),
        by_whom(frame, frames),
        sentence("jax.deleted.fix"),
    )
    ended[key] = (weakref.ref(array, lambda _: ended.pop(key, None)), end)


def by_whom(frame, frames):
    """That it was deleted in Pool.release(), or at the line where that is no function."""
    user = next(interceptors["user_frames"](frame), frame)
    name = jax["qualified"](user)
    if name.startswith("<"):
        return sentence("jax.deleted.at", line=interceptors["line_of"](frames))
    return sentence("jax.deleted.in", function=name)


def born_at(array):
    try:
        return jax["places_in"](array.traceback)
    except Exception:
        return []


def line_and_caller(frames):
    """ "pool.py:16, called from serve.py:27" """
    users = [place for place in frames if not interceptors["is_library"](place[0])]
    line = interceptors["line_of"](frames)
    if len(users) > 1 and users[-2][2] != users[-1][2]:
        return sentence("jax.called_from", line=line, caller=interceptors["line_of"](users[-2:-1]))
    return line


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
    if isinstance(error, RuntimeError) and "deleted" in interceptors["text_of"](error):
        for array in jax["leaves_of"](args):
            if array.is_deleted():
                return tell_deleted(array, error)


def is_shown_by_library(frames):
    """A library that writes an array down, as debuggers and loggers do, does not compute with it."""
    user = interceptors["users"](frames)
    later = frames[frames.index(user) + 1 :] if user in frames else frames
    return any(
        place[1].rpartition(".")[2] in SHOWING and i > 0 and not is_of_jax(later[i - 1][0])
        for i, place in enumerate(later)
    )


def is_of_jax(file):
    return "/jax/" in file or "/jaxlib/" in file


def tell_deleted(array, error):
    frame = interceptors["caller"]()
    used = interceptors["frames_from"](frame)
    key = [id(array), interceptors["users"](used)]
    if last == key:
        return
    last[:] = key
    end = end_of(array)
    born = born_at(array) or (end.born if end else [])
    is_sure = interceptors["users"](used) is not None and not is_shown_by_library(used)
    places = [(PlaceRole.USED, used)]
    places += [(PlaceRole.ENDED, end.frames)] if end else []
    places += [(PlaceRole.CREATED, born)] if interceptors["users"](born) else []
    name = interceptors["shown"](jax["names_of"](array, frame), sentence("jax.an_array"))
    native["lifetime_error"](
        Kind.DELETED_ARRAY,
        Severity.ERROR if is_sure else Severity.WARNING,
        sentence("jax.deleted_array.title", by=end.by if end else sentence("jax.taken_away")),
        why_deleted(array, born, end),
        end.fix if end else "",
        type(error).__name__,
        interceptors["text_of"](error),
        sentence("jax.deleted_array.holder", name=name, by=end.by) if end else name,
        places,
    )


def why_deleted(array, born, end):
    is_known = interceptors["users"](born) is not None
    made = sentence("jax.was_made_at", line=interceptors["line_of"](born)) if is_known else ""
    how = end.how if end else sentence("jax.deleted.unseen")
    return sentence("jax.deleted_array.why", type=jax["type_in_words"](array), made=made, how=how)


def start():
    jax["End"] = End
    kind = jax["array_type"]()
    part = interceptors["Part"]("adapter.jax.deleted_arrays")
    part.intercept(kind, "delete", before=before_delete)
    part.intercept(kind, "_check_if_deleted", error=on_error)
    part.is_set()
    part = interceptors["Part"]("adapter.jax.waits")
    part.intercept(kind, "block_until_ready", error=on_error)
    part.intercept(interceptors["found"]("jax"), "block_until_ready", error=on_error_of_many)
    part.is_set()


start()
