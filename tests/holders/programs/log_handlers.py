"""Each run adds a handler of its own to the logger of all, and the handler's filter knows the run."""

import io
import logging
import sys

CLEAN = "clean" in sys.argv
LOGGER = logging.getLogger("batch")


class RunFilter(logging.Filter):
    def __init__(self, run):
        super().__init__()
        self.run = run


class Run:
    def __init__(self, number):
        self.number = number
        self.grid = bytearray(200_000)  # made
        handler = logging.StreamHandler(io.StringIO())
        handler.addFilter(RunFilter(self))
        LOGGER.addHandler(handler)  # kept
        self.handler = handler

    def relax(self):
        return sum(self.grid[::97]) + sum(range(20_000))


def main():
    total = 0
    for number in range(300):
        run = Run(number)
        total += run.relax()
        if CLEAN:
            LOGGER.removeHandler(run.handler)
            run.handler = None  # it leads back to the run: garbage would wait for the collector
    print("total", total)


main()
