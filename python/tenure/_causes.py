"""What makes memory grow, as adapters see it happen: causes with their lines, and piles of objects that become ever more.

Analysis decides, by the bytes, whether a cause matters. Runs in Tenure's private namespace; `native` and `interceptors` are given.
"""

import weakref

MOST_LINES = (
    200  # the ledger's table is bounded, and a program that generates code may have any number
)
FEWEST = 3  # objects of one line that are alive at once: fewer are no pile


class Cause:
    """One thing that grows: the same words for all its lines. `variable`: what the container that fills is called."""

    count = 0

    def __init__(self, kind, holder, why, fix, variable=""):
        Cause.count += 1
        self.number = Cause.count
        self.kind, self.holder, self.why, self.fix = kind, holder, why, fix
        self.variable = variable
        self.lines = {}  # (rank, file, line) -> (key of the line in the ledger, its place)

    def occurred(self, frames, rank=CauseRank.RESPONSIBLE):  # type: ignore[name-defined]
        place = interceptors["users"](frames)
        if place is None:
            return
        line = (rank, place[0], place[2])
        if line not in self.lines:
            if len(self.lines) >= MOST_LINES:
                return
            self.lines[line] = (self.key_of(rank, place), place)
        key, place = self.lines[line]
        native["cause"](key, self.kind, self.holder, self.why, self.fix, [place])

    def key_of(self, rank, place):
        """As analysis takes it apart: src/analyze/causes/causes.cpp."""
        line = "%s:%d" % (place[0], place[2])
        return sentence(rank, cause=self.number, line=line, variable=self.variable)

    def places(self, rank):
        return [place for line, (_, place) in list(self.lines.items()) if line[0] == rank]


piles: list = []  # those with a cause


class Pile:
    """Objects of one line. They are a cause whenever more of them are alive than ever before."""

    def __init__(self):
        self.tracked_objects = {}  # id -> weak reference
        self.most = 0
        self.needed = FEWEST
        self.cause = None

    def add(self, tracked):
        key, tracked_objects = id(tracked), self.tracked_objects
        tracked_objects[key] = weakref.ref(tracked, lambda _: tracked_objects.pop(key, None))

    def remove(self, tracked):
        self.tracked_objects.pop(id(tracked), None)

    def alive(self):
        return [
            tracked
            for tracked in [reference() for reference in list(self.tracked_objects.values())]
            if tracked is not None
        ]

    def is_higher(self, count=None):
        """Whether there are more now than ever before. `count`: of those that keep something."""
        count = len(self.tracked_objects) if count is None else count
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
        first = [place for _, place in self.cause.lines.values()][:1]
        self.cause.occurred(first, CauseRank.RELEASED)
        self.cause = None
        piles.remove(self)
        self.needed = 2 * self.most  # as many again may wait as have waited


def tracked_objects():
    """Two lists in pairs: what is in piles, and the number of its cause. For snapshots, which find out who keeps it."""
    found, numbers = [], []
    for pile in piles:
        alive = pile.alive()
        found += alive
        numbers += [pile.cause.number] * len(alive)
    return found, numbers
