"""A pool of processes, each of which keeps what it has loaded."""

import multiprocessing

import numpy as np

cache = {}


def load(key):
    cache[key] = np.ones(40_000)
    return float(cache[key].sum())


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(3) as pool:
        pool.map(load, range(360), chunksize=6)
