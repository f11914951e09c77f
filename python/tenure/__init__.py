"""Tenure's Python API. Works with and without `tenure run`; without it every call does nothing.

The same file is installed as a package and travels inside the preloaded library.
"""

_native = None  # filled by the boot under `tenure run`: name -> function of the preloaded library


def _native_of_boot():
    """None without `tenure run`. pytest loads packages with plugins from their folders, whoever else answers for them."""
    import sys

    for finder in sys.meta_path:
        given = getattr(finder, "native_of_tenure", None)
        if given is not None:
            return given()
    return None


if "__file__" in globals():  # not the one inside the library, which is given it
    _native = _native_of_boot()


def is_running():
    """True under `tenure run`."""
    return _native is not None


def step(name="step"):
    """One more step of the series `name`. Growth is then counted per step."""
    if _native is not None:
        _native["step"](name)


def snapshot():
    """Who holds what at this moment goes into the record. True when it was taken; the program waits only for a fork."""
    return _native is not None and _native["take_snapshot"](5)


def holders(tensor):
    """Says on stderr who holds the memory of `tensor` at this moment, and returns the words. The program waits for them."""
    box = [tensor]
    del tensor  # we are none of its holders
    words = "who holds this is known only under `tenure run`"
    if _native is not None:
        words = _native["holders"](box)
    box.clear()
    import sys

    sys.stderr.write("tenure: %s\n" % words)
    return words


def load_ipython_extension(shell):
    """`%load_ext tenure`: the magics `%tenure` and `%%tenure`."""
    from .notebook import load

    load(shell)


def unload_ipython_extension(shell):
    from .notebook import unload

    unload(shell)


class scope:
    """`with tenure.scope("request"):` names what happens inside. Each entry is a step of that series."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        step(self.name)
        return self

    def __exit__(self, *error):
        return False


class ignore:
    """What is made inside is known, and accepted: its growth is told as `accepted`, and is no leak.

    `with tenure.ignore():` around the lines that make it, or `@tenure.ignore()` above a function. It counts for the
    thread that is inside, not for threads or other tasks that run meanwhile.
    """

    def __enter__(self):
        if _native is not None:
            _native["ignore"](1)
        return self

    def __exit__(self, *error):
        if _native is not None:
            _native["ignore"](0)
        return False

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def accepted(*arguments, **named):
            with self:
                return function(*arguments, **named)

        return accepted
