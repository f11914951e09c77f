"""Every job adds a handler that writes into a text of its own, and never takes it off."""

import io
import logging
import sys

CLEAN = "clean" in sys.argv
LOGGER = logging.getLogger("jobs")
LOGGER.propagate = False


class Job:
    def __init__(self):
        self.text = io.StringIO()
        self.handler = logging.StreamHandler(self.text)
        LOGGER.addHandler(self.handler)  # kept

    def run(self):
        self.text.write("#" * 40_000)  # made
        return sum(range(60_000)) % 3

    def end(self):
        if CLEAN:
            LOGGER.removeHandler(self.handler)


def main():
    done = 0
    for _ in range(300):
        job = Job()
        done += job.run()
        job.end()
    print("done", done)


main()
