"""A cache in a dict, without a limit."""

import hashlib
import sys
import numpy as np


def work():
    """What the rest of such a program does meanwhile."""
    return sum(range(150_000))

class EmbeddingCache:
    def __init__(self, limit=None):
        self.limit = limit
        self.items = {}

    def get(self, text):
        key = hashlib.md5(text.encode()).hexdigest()
        if key not in self.items:
            if self.limit and len(self.items) >= self.limit:
                self.items.pop(next(iter(self.items)))
            self.items[key] = self.embed(text)  # kept
        return self.items[key]

    def embed(self, text):
        rng = np.random.default_rng(len(text))
        return rng.normal(size=4096).astype(np.float32)  # made

def main():
    cache = EmbeddingCache(limit=64 if CLEAN else None)
    score = 0.0
    for n in range(300):
        work()
        score += float(cache.get(f"query {n} at {n * 37 % 101}")[0])
    print(round(score, 3))

CLEAN = "clean" in sys.argv
main()
