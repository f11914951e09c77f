"""What makes memory grow, as adapters see it happen: causes with their lines, and piles of things that become ever more.

Analysis decides, by the bytes, whether a cause matters. The key of a cause says what its line is to it: "0" a line to
look at, "1" a line that only suffers, "2" and "3" the same, and what their callees make counts too, "k" like "0", of a
holder that lets nothing go while it lives, "x" that it is over. Runs in Tenure's private namespace; `native` and `taps`
are given.
"""

import weakref

MOST_LINES = (
    200  # the ledger's table is bounded, and a program that generates code may have any number
)
FEWEST = 3  # things of one line that are alive at once: fewer are no pile


class Cause:
    """One thing that grows: the same words for all its lines."""

    count = 0

    def __init__(self, kind, holder, why, fix):
        Cause.count += 1
        self.number = Cause.count
        self.kind, self.holder, self.why, self.fix = kind, holder[:160], why, fix
        self.lines = {}

    def occurred(self, frames, rank="0"):
        place = taps["users"](frames)
        if place is None:
            return
        key = "%s|%d|%s:%d" % (rank, self.number, place[0], place[2])
        if key not in self.lines:
            if len(self.lines) >= MOST_LINES:
                return
            self.lines[key] = [place]
        native["cause"](key, self.kind, self.holder, self.why, self.fix, self.lines[key])


piles: list = []  # those with a cause


class Pile:
    """Things of one line. They are a cause whenever more of them are alive than ever before."""

    def __init__(self):
        self.things = {}  # id -> weak reference
        self.most = 0
        self.needed = FEWEST
        self.cause = None

    def add(self, thing):
        key, things = id(thing), self.things
        things[key] = weakref.ref(thing, lambda _: things.pop(key, None))

    def remove(self, thing):
        self.things.pop(id(thing), None)

    def alive(self):
        return [
            thing
            for thing in [reference() for reference in list(self.things.values())]
            if thing is not None
        ]

    def is_higher(self, count=None):
        """Whether there are more now than ever before. `count`: of those that keep something."""
        count = len(self.things) if count is None else count
        if self.cause is not None and count < self.most / 2:
            self.withdraw()
        is_more = count > self.most
        self.most = max(self.most, count)
        return is_more and count >= self.needed

    def blame(self, cause):
        self.cause = cause
        piles.append(self)

    def withdraw(self):
        """Most of them are gone while more are made: they were waiting, for the collector or for their turn."""
        self.cause.occurred(next(iter(self.cause.lines.values()), []), "x")
        self.cause = None
        piles.remove(self)
        self.needed = 2 * self.most  # as many again may wait as have waited


def things():
    """Two lists in pairs: what is in piles, and the number of its cause. For snapshots, which find out who keeps it."""
    found, numbers = [], []
    for pile in piles:
        alive = pile.alive()
        found += alive
        numbers += [pile.cause.number] * len(alive)
    return found, numbers
