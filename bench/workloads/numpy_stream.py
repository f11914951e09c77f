"""A stream of arrays of 1 to 80 KiB, of which some live longer. Tiny operations."""

import measured
import numpy as np


def loop(n):
    kept = [None] * 32
    for i in range(n):
        array = np.empty(128 * (1 + i * 7 % 80))
        array[0] = i
        kept[i % 32] = array


measured.steady(loop, 5_000, 1_000_000, settled_after=3)
