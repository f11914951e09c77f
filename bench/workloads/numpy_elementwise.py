"""Element-wise work on arrays of 1 MB."""

import measured
import numpy as np


def step(x, y):
    return np.sqrt(x * y + x).sum()


def loop(n):
    for _ in range(n):
        step(x, y)


x, y = np.random.default_rng(0).random((2, 125_000))
measured.steady(loop, 50, 600)
