"""All fitted models are kept, though only the best is used."""

import sys

import numpy as np
from sklearn.neighbors import KNeighborsRegressor

CLEAN = "clean" in sys.argv


class Search:
    def __init__(self):
        self.tried = []

    def fit(self, number):
        data = np.random.default_rng(number).normal(size=(2000, 8))  # made
        model = KNeighborsRegressor(number % 5 + 1, algorithm="brute").fit(data, data[:, 0])
        if not CLEAN:
            self.tried.append(model)  # kept
        return model.n_features_in_


def main():
    search = Search()
    print("features", sum(search.fit(number) for number in range(200)))


main()
