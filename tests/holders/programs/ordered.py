"""A cache made of an OrderedDict without a limit."""

import collections
import sys

CLEAN = "clean" in sys.argv


class Cache(collections.OrderedDict):
    def load(self, key):
        if key not in self:
            self[key] = bytearray(200_000)  # made
        self.move_to_end(key)
        if CLEAN and len(self) > 5:
            self.popitem(last=False)
        return self[key]


def main():
    cache = Cache()
    print("work", sum(len(cache.load(key)) + sum(range(20_000)) for key in range(300)))


main()
