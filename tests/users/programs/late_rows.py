"""Rows of a file, read by a generator that outlives the block which opened it."""

import os
import sys
import tempfile

import numpy as np

CLEAN = "clean" in sys.argv


def read_rows(path):
    with open(path, encoding="utf-8") as f:
        rows = (list(map(float, line.split(","))) for line in f)  # used
        return list(rows) if CLEAN else rows


def column_means(rows):
    total, count = np.zeros(3), 0
    for row in rows:
        total += row
        count += 1
    return total / count


def main():
    path = os.path.join(tempfile.mkdtemp(), "data.csv")
    np.savetxt(path, np.arange(30).reshape(10, 3), delimiter=",")
    print(column_means(read_rows(path)))


main()
