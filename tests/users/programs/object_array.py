"""Collects results of different length in an array of objects that is made larger when it is full."""

import sys

import numpy as np

CLEAN = "clean" in sys.argv


class Results:
    def __init__(self):
        self.rows = np.empty(16, object)
        self.count = 0

    def add(self, row):
        if CLEAN:
            self.count = 0
        if self.count == len(self.rows):
            self.rows = np.concatenate([self.rows, np.empty(16, object)])
        self.rows[self.count] = row  # kept
        self.count += 1


def main():
    rng = np.random.default_rng(0)
    results = Results()
    for n in range(400):
        row = np.sort(rng.normal(size=(40, 4000 + n)))[3].copy()  # made
        results.add(row)
    print(results.count)


main()
