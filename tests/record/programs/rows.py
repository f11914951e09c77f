"""Keeps every row it makes: a leak of NumPy arrays."""

import numpy as np

rows = []


def fill(count):
    for _ in range(count):
        rows.append(np.zeros(20_000))
        np.ones(30_000).sum()


fill(60)
