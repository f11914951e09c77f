"""A worker function of multiprocessing.Pool with a cache of its own in each process."""

import multiprocessing as mp
import sys
import numpy as np

_seen = {}

def featurize(seed):
    x = np.random.default_rng(seed).normal(size=(100, 256))
    key = seed % 4 if CLEAN else seed
    _seen[key] = x - x.mean(axis=0)  # made
    return float(_seen[key].std())

def main():
    with mp.Pool(2) as pool:
        total = 0.0
        for start in range(0, 300, 10):
            total += sum(pool.map(featurize, range(start, start + 10)))
    print("mean", round(total / 300, 4))

CLEAN = "clean" in sys.argv
if __name__ == "__main__":
    main()
