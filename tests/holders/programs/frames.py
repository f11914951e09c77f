"""Tables of every day in a dict of an object."""

import sys

import numpy as np
import pandas as pd

CLEAN = "clean" in sys.argv


class Archive:
    def __init__(self):
        self.days = {}

    def load(self, day):
        table = pd.DataFrame({"price": np.full(20_000, 1.5)})  # made
        self.days[0 if CLEAN else day] = table  # kept
        return float(table["price"].iloc[0])


def main():
    archive = Archive()
    print("sum", sum(archive.load(day) for day in range(200)))


main()
