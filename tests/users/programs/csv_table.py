"""A table whose reader outlives the file it reads from."""

import csv
import os
import sys
import tempfile

import numpy as np

CLEAN = "clean" in sys.argv


class Table:
    def __init__(self, path):
        with open(path, newline="", encoding="utf-8") as f:
            self.rows = csv.DictReader(f)
            self.columns = self.rows.fieldnames
            if CLEAN:
                self.rows = list(self.rows)

    def column(self, name):
        return np.array([float(row[name]) for row in self.rows])  # used


def main():
    path = os.path.join(tempfile.mkdtemp(), "table.csv")
    np.savetxt(path, np.arange(20).reshape(10, 2), delimiter=",", header="a,b", comments="")
    print(Table(path).column("a").mean())


main()
