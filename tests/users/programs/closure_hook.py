"""A hook that fills a local list of the function that set it."""

import sys
import numpy as np


def work():
    """What the rest of such a program does meanwhile."""
    return sum(range(150_000))

class Layer:
    def __init__(self):
        self.hooks = []

    def __call__(self, x):
        y = np.tanh(x)  # made
        for hook in self.hooks:
            hook(self, y)
        return y

def main():
    layer = Layer()
    tokens = []
    if "clean" not in sys.argv:
        layer.hooks.append(lambda _, y: tokens.append(y))  # kept
    total = 0.0
    for n in range(100):
        work()
        total += layer(np.full((100, 200), n / 100)).sum()
    print(total, len(tokens))

main()
