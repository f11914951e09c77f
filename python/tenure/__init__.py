"""Tenure's Python API. Works with and without `tenure run`; without it every call does nothing.

The same file is installed as a package and travels inside the preloaded library.
"""

_native = None  # filled by the boot under `tenure run`: name -> function of the preloaded library


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


class scope:
    """`with tenure.scope("request"):` names what happens inside. Each entry is a step of that series."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        step(self.name)
        return self

    def __exit__(self, *error):
        return False
