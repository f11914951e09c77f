"""Element-wise work on arrays of 64 MiB."""

import measured
import numpy as np


def loop(n):
    for _ in range(n):
        np.sqrt(x * y + x)


x, y = np.ones((2, 8 << 20))
measured.steady(loop, 2, 8)
