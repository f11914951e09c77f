"""Instances put themselves into a registry of their class."""

import sys

CLEAN = "clean" in sys.argv


class Plugin:
    registry = {}

    def __init__(self, name):
        self.name = name
        self.table = bytearray(200_000)  # made
        type(self).registry[name] = self  # kept


class Filter(Plugin):
    def run(self):
        return len(self.table) + sum(range(20_000))


def main():
    work = 0
    for number in range(300):
        work += Filter("same" if CLEAN else f"filter {number}").run()
    print("work", work)


main()
