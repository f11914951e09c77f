"""lru_cache on a method: it keeps every object the method was called on."""

import functools
import sys
import numpy as np

class Document:
    def __init__(self, n):
        self.n = n
        self.tokens = np.random.default_rng(n).integers(0, 1000, 15_000)  # made

    @functools.lru_cache(maxsize=None)  # kept
    def histogram(self):
        return np.bincount(self.tokens, minlength=1000)

    def plain_histogram(self):
        return np.bincount(self.tokens, minlength=1000)

def main():
    total = np.zeros(1000)
    for n in range(200):
        doc = Document(n)
        total += doc.plain_histogram() if CLEAN else doc.histogram()
    print("max", int(total.max()))

CLEAN = "clean" in sys.argv
main()
