"""Many arrays of 2 KB: every one is counted. Tiny operations."""

import measured
import numpy as np


def loop(n):
    x = np.ones(256)
    for _ in range(n):
        x = x * 0.5 + 1.0


measured.steady(loop, 5_000, 100_000, settled_after=3)
