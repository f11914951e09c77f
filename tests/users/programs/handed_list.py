"""A list of main() that is filled by the function it is handed to."""

import sys

import numpy as np

CLEAN = "clean" in sys.argv


def work():
    """What the rest of such a program does meanwhile."""
    return sum(range(150_000))


def simulate(rng, steps, out):
    for _ in range(steps):
        work()
        field = rng.random((150, 100))  # made
        out.append(float(field.mean()) if CLEAN else field)  # kept


def main():
    fields = []
    simulate(np.random.default_rng(0), 120, fields)
    print(len(fields))


main()
