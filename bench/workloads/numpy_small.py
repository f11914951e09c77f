"""Many arrays of 2 KB: every one is counted. Prints the seconds of its own steady loop."""

import time

import numpy as np


def loop(n):
    x = np.ones(256)
    for _ in range(n):
        x = x * 0.5 + 1.0
    return x


loop(5_000)
began = time.perf_counter()
loop(100_000)
print(time.perf_counter() - began)
