"""DMatrix objects of xgboost in a list."""

import sys

import numpy as np
import xgboost

CLEAN = "clean" in sys.argv


class Folds:
    def __init__(self):
        self.matrices = []

    def add(self, number):
        matrix = xgboost.DMatrix(np.full((4000, 10), 1.0 + number))  # made
        if not CLEAN:
            self.matrices.append(matrix)  # kept
        return matrix.num_row()


def main():
    folds = Folds()
    print("rows", sum(folds.add(number) for number in range(150)))


main()
