"""Generators that were asked for one item only, kept with all that their frames hold."""

import sys
import numpy as np


def work():
    """What the rest of such a program does meanwhile."""
    return sum(range(150_000))

def windows(signal, size):
    spectrum = np.fft.rfft(signal)  # made
    for at in range(0, len(signal) - size, size):
        yield signal[at:at + size] * abs(spectrum[at % len(spectrum)])

class Scanner:
    def __init__(self):
        self.open = []

    def first_peak(self, signal):
        gen = windows(signal, 64)
        if not CLEAN:
            self.open.append(gen)  # kept
        return float(next(gen).max())

def main():
    rng = np.random.default_rng(1)
    scanner = Scanner()
    best = 0
    for n in range(150):
        work()
        best = max(best, scanner.first_peak(rng.normal(size=20_000)))
    print("best", round(best, 2))

CLEAN = "clean" in sys.argv
main()
