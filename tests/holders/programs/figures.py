"""Figures that are drawn, saved and never closed."""

import io
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

CLEAN = "clean" in sys.argv


def draw(number):
    figure = plt.figure(figsize=(3, 2))  # kept
    axes = figure.add_subplot(1, 1, 1)
    axes.plot(np.full(20_000, float(number)))  # made
    figure.savefig(io.BytesIO(), dpi=50)
    if CLEAN:
        plt.close(figure)


def main():
    for number in range(60):
        draw(number)
    print("drawn", len(plt.get_fignums()) >= 0)


main()
