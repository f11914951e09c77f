"""What a test may do with memory: the words of `@pytest.mark.tenure(...)` and of `no_leaks(...)`.

Values, no side effects.
"""

import re

ROUNDS = 20
FEWEST_ROUNDS = 16  # of the later half of them, 8 must leave survivors
UNITS = {"B": 1, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "KB": 10**3, "MB": 10**6}


def bytes_of(size, name):
    """64, "0B", "64KiB", "1.5 MiB" -> bytes."""
    if isinstance(size, (int, float)) and not isinstance(size, bool) and size >= 0:
        return size
    found = re.match(r"\s*([\d.]+)\s*([A-Za-z]*)\s*$", size) if isinstance(size, str) else None
    try:
        return float(found.group(1)) * UNITS[(found.group(2) or "B").upper()]  # type: ignore[union-attr]
    except (AttributeError, KeyError, ValueError):
        raise ValueError('%s=%r is no size: write it as "0B", "64KiB" or "1MiB"' % (name, size))


class Limits:
    """`max_growth` is per round, `max_peak` above the level at the start; None: not asked."""

    def __init__(
        self, no_leaks=None, max_growth=None, max_peak=None, rounds=None, unknown_fails=False
    ):
        if no_leaks is None:
            no_leaks = max_growth is not None or max_peak is None
        self.is_growth_asked = bool(no_leaks)
        self.max_growth = bytes_of("0B" if max_growth is None else max_growth, "max_growth")
        self.max_peak = None if max_peak is None else bytes_of(max_peak, "max_peak")
        self.unknown_fails = bool(unknown_fails)
        default = ROUNDS if self.is_growth_asked else 1
        self.rounds = default if rounds is None else rounds
        fewest = FEWEST_ROUNDS if self.is_growth_asked else 1
        if not isinstance(self.rounds, int) or self.rounds < fewest:
            why = "fewer cannot tell a leak from warming up" if self.is_growth_asked else "or more"
            raise ValueError("rounds=%r: at least %d (%s)" % (self.rounds, fewest, why))
