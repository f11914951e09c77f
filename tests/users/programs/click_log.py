"""Two levels of dicts with lists, filled two thousand times in the twinkling of an eye."""

import collections
import sys

import numpy as np

CLEAN = "clean" in sys.argv


class Clicks:
    def __init__(self):
        self.by_user = collections.defaultdict(lambda: collections.defaultdict(list))

    def record(self, user, kind, values):
        kept = self.by_user[user][kind]
        kept.append(values.mean() if CLEAN else values)  # kept


def main():
    clicks = Clicks()
    rng = np.random.default_rng(0)
    for n in range(2000):
        clicks.record(f"u{n % 20}", "view" if n % 3 else "click", rng.random(1500))  # made
    print(len(clicks.by_user))


main()
