"""A cache that nobody empties, and a tensor that is asked for its holder. See docs/holders.md.

Run it with: tenure run examples/who_holds.py
"""

import numpy as np
import tenure


class Loader:
    def __init__(self):
        self.cache = {}

    def batch(self, number):
        data = np.random.rand(256, 128)
        self.cache[number] = data
        return data


def main():
    loader = Loader()
    weights = np.ones((128, 128))
    losses = []
    for number in range(200):
        batch = loader.batch(number)
        losses.append(float(np.tanh(batch @ weights).mean()))
    tenure.holders(loader.cache[7])
    print("%d losses, the last is %.3f" % (len(losses), losses[-1]))


main()
