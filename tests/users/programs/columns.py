"""One column of each table: few numbers, which lie all over the array they were cut from."""

import sys

import numpy as np

CLEAN = "clean" in sys.argv


def load(seed):
    return np.random.default_rng(seed).normal(size=(16, 6000))  # made


class Features:
    def __init__(self):
        self.first = []

    def add(self, sample):
        column = sample.T[0]
        self.first.append(column.copy() if CLEAN else column)  # kept

    def matrix(self):
        return np.stack(self.first)


def main():
    features = Features()
    for seed in range(40):
        features.add(load(seed))
    print(features.matrix().shape)


main()
